#include "n2d2/graph/operator.hpp"

#include "n2d2/graph/integers.hpp"
#include "n2d2/graph/turn.hpp"

namespace n2d2::graph {

IntegerForm Operator::integer_form(std::span<const Shape>) const {
  return no_integers("it has no integer form",
                     "'-export ONNX -nbbits -32' has it; a program needs the network to end before");
}

std::vector<Clamp> Operator::range(std::span<const Clamp>, std::span<const Shape>) const {
  return {};
}

void Operator::turned(TurnedNode&) const {
  TurnedNode::refuse("what it does with height and width exchanged is not known");
}

void Operator::integers(const IntegerArgs&) const {
  throw InternalError(fmt::format("{} has no integer form", type()), __FILE__, __LINE__);
}

}  // namespace n2d2::graph
