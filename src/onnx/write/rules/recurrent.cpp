#include "n2d2/ops/recurrent.hpp"

#include <algorithm>

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

std::string operator_of(ops::Cell cell) {
  return cell == ops::Cell::Lstm ? "LSTM" : cell == ops::Cell::Gru ? "GRU" : "RNN";
}

std::string direction_of(ops::Direction direction) {
  if (direction == ops::Direction::Both) return "bidirectional";
  return direction == ops::Direction::Reverse ? "reverse" : "forward";
}

/// The parameter with an axis of directions in front.
std::string by_direction(NodeWriter& node, std::string_view role, size_t slot) {
  const Tensor& given = node.constant(slot);
  const int64_t directions = node.op<ops::Recurrent>().directions();
  std::vector<int64_t> dims = given.shape().dims();
  dims[0] /= directions;
  dims.insert(dims.begin(), directions);
  Tensor out(Shape(std::move(dims)));
  std::copy(given.span().begin(), given.span().end(), out.span().begin());
  return node.tensor(role, out);
}

/// N,C,H,W becomes T,N,C; the states become N,D*S,H,W again.
void write_recurrent(NodeWriter& node) {
  expect_float(node);
  const auto& op = node.op<ops::Recurrent>();
  const Shape &in = node.in(), &out = node.out();
  std::string x = node.add("Reshape", {node.map(), node.integers("steps", {0, in.c(), in.h() * in.w()})});
  x = node.add("Transpose", {x}, {{"perm", std::vector<int64_t>{2, 0, 1}}});
  WrittenAttributes attributes{{"hidden_size", int64_t{op.hidden}},
                               {"direction", direction_of(op.direction)}};
  if (op.linear_before_reset) attributes.emplace_back("linear_before_reset", int64_t{1});
  const std::string states =
      node.add(operator_of(op.cell),
               {x, by_direction(node, "weights", 1), by_direction(node, "recurrent_weights", 2),
                by_direction(node, "biases", 3)},
               attributes, op.last_step ? 1 : 0);
  const std::vector<int64_t> order =
      op.last_step ? std::vector<int64_t>{1, 0, 2} : std::vector<int64_t>{2, 1, 3, 0};
  const std::string moved = node.add("Transpose", {states}, {{"perm", order}});
  node.result(node.add("Reshape", {moved, node.integers("map", {0, out.c(), out.h(), out.w()})}), false);
}

}  // namespace

void register_recurrent(WriteRegistry& registry);
void register_recurrent(WriteRegistry& registry) {
  registry.add(ops::Recurrent::kType, write_recurrent);
}

}  // namespace n2d2::onnx
