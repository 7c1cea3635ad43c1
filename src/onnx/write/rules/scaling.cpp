#include "n2d2/ops/scaling.hpp"

#include <algorithm>

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

/// A factor of 1 is no operator: only the clamp or the other scale acts. In whole numbers the rescaling
/// multiplies.
void write_scaling(NodeWriter& node) {
  const auto& scaling = node.op<ops::Scaling>();
  const std::string x = node.any();
  const bool is_one =
      std::all_of(scaling.factor.begin(), scaling.factor.end(), [](double f) { return f == 1; });
  if (is_one || node.form() == Form::FakeQuantization) return node.result(x, node.is_flat());
  const std::vector<float> factors(scaling.factor.begin(), scaling.factor.end());
  node.result(node.add("Mul", {x, node.channels("factor", factors)}), node.is_flat());
}

}  // namespace

void register_scaling(WriteRegistry& registry);
void register_scaling(WriteRegistry& registry) {
  registry.add(ops::Scaling::kType, write_scaling);
}

}  // namespace n2d2::onnx
