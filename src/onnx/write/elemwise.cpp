#include "n2d2/ops/elemwise.hpp"

#include <algorithm>

#include "../writer_node.hpp"

namespace n2d2::onnx {

namespace {

std::vector<float> weights_of(const NodeWriter& node, const ops::ElemWise& sum, size_t input) {
  std::vector<float> out;
  for (int64_t c = 0; c < node.out().c(); ++c) out.push_back(static_cast<float>(sum.weight(input, c)));
  return out;
}

bool all_are(const std::vector<float>& values, float what) {
  return std::all_of(values.begin(), values.end(), [&](float x) { return x == what; });
}

/// Shifts of all inputs together, channel by channel.
std::vector<float> shifts_of(const NodeWriter& node, const ops::ElemWise& sum) {
  std::vector<float> out;
  for (int64_t c = 0; c < node.out().c(); ++c) {
    double shift = 0;
    for (size_t i = 0; i < node.node().inputs.size(); ++i) shift += sum.shift(i, c);
    out.push_back(static_cast<float>(shift));
  }
  return out;
}

std::string add_all(NodeWriter& node, const std::vector<std::string>& terms) {
  if (terms.size() == 1) return terms[0];
  return node.add(terms.size() == 2 ? "Add" : "Sum", terms);
}

/// Whole numbers times the real value of their multipliers; one rounding of the sum.
void write_steps(NodeWriter& node) {
  std::vector<std::string> terms;
  for (size_t i = 0; i < node.node().inputs.size(); ++i) {
    const auto factor = static_cast<float>(node.multiplier(i));
    terms.push_back(node.add("Mul", {node.any(i), node.channels("factor", {factor})}));
  }
  node.scaled_result(add_all(node, terms), node.is_flat());
}

void write_sum(NodeWriter& node) {
  const auto& sum = node.op<ops::ElemWise>();
  if (sum.operation != ops::ElemWiseOperation::Sum)
    throw ModelError(fmt::format("Operation {} has no ONNX form here",
                                 ValueText<ops::ElemWiseOperation>::print(sum.operation)));
  if (node.form() == Form::FakeQuantization) return write_steps(node);
  const size_t count = node.node().inputs.size();
  if (count == 2 && all_are(weights_of(node, sum, 0), 1) && all_are(weights_of(node, sum, 1), -1) &&
      all_are(shifts_of(node, sum), 0))
    return node.result(node.add("Sub", {node.any(0), node.any(1)}), node.is_flat());
  std::vector<std::string> terms;
  for (size_t i = 0; i < count; ++i) {
    const std::vector<float> weights = weights_of(node, sum, i);
    const std::string x = node.any(i);
    terms.push_back(all_are(weights, 1) ? x : node.add("Mul", {x, node.channels("weights", weights)}));
  }
  std::string total = add_all(node, terms);
  const std::vector<float> shifts = shifts_of(node, sum);
  if (!all_are(shifts, 0)) total = node.add("Add", {total, node.channels("shifts", shifts)});
  node.result(total, node.is_flat());
}

}  // namespace

void register_elemwise(WriteRegistry& registry);
void register_elemwise(WriteRegistry& registry) {
  registry.add(ops::ElemWise::kType, write_sum);
}

}  // namespace n2d2::onnx
