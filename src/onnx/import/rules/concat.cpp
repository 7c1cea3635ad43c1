#include "n2d2/ops/concat.hpp"

#include <algorithm>

#include "import/channels.hpp"
#include "transpose.hpp"

namespace n2d2::onnx {

namespace {

/// Ours joins channels; another axis changes places with them before and after.
void convert_concat(Node& node) {
  const Extents& first = node.data(0).dims;
  const size_t axis = axis_of(node.integer("axis", 1), first.size()), rank = first.size();
  if (axis == 0 || (axis > 1 && rank > 4))
    refuse(fmt::format("along axis {} of {}: only axes 1 to 3 are joined", axis, text_of(first)));
  std::vector<graph::ValueId> inputs;
  Extents dims = first;
  dims[axis] = 0;
  for (size_t i = 0; i < node.input_count(); ++i) {
    const Operand& operand = node.data(i);
    Extents expected = first;
    if (operand.dims.size() > axis) expected[axis] = operand.dims[axis];
    if (operand.dims != expected)
      refuse(
          fmt::format("input {} has extents {}, input 0 has {}", i, text_of(operand.dims), text_of(first)));
    dims[axis] += operand.dims[axis];
    inputs.push_back(operand.value);
  }
  if (inputs.size() == 1) return node.pass_on(node.data(0), dims);
  if (axis == 1) return node.finish(std::make_unique<ops::Concat>(), std::move(inputs), std::move(dims));
  for (size_t i = 0; i < inputs.size(); ++i)
    inputs[i] = swap_channels(node, inputs[i], axis, rank, fmt::format("part_{}", i));
  const graph::ValueId joined = node.add(std::make_unique<ops::Concat>(), std::move(inputs), "joined");
  node.set_value(swap_channels(node, joined, axis, rank, ""), std::move(dims));
}

void fold_concat(Node& node) {
  if (node.input_count() == 0) refuse("has no input");
  const Array& first = node.constant(0, "the inputs");
  const size_t axis = axis_of(node.integer("axis", 1), first.dims.size());
  Extents dims = first.dims;
  dims[axis] = 0;
  for (size_t i = 0; i < node.input_count(); ++i) {
    const Array& part = node.constant(i, "the inputs");
    Extents expected = first.dims;
    if (part.dims.size() > axis) expected[axis] = part.dims[axis];
    if (part.dims != expected || part.is_integer != first.is_integer)
      refuse(
          fmt::format("input {} has extents {}, input 0 has {}", i, text_of(part.dims), text_of(first.dims)));
    dims[axis] += part.dims[axis];
  }
  Array out = first.like(dims);
  int64_t inner = 1, outer = 1, at = 0;
  for (size_t i = 0; i < dims.size(); ++i) (i < axis ? outer : inner) *= i == axis ? 1 : dims[i];
  for (size_t i = 0; i < node.input_count(); ++i) {
    const Array& part = node.constant(i, "the inputs");
    const int64_t rows = part.dims[axis] * inner;
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t k = 0; k < rows; ++k) out.take(o * dims[axis] * inner + at + k, part, o * rows + k);
    at += rows;
  }
  node.set_constant(std::move(out));
}

}  // namespace

void register_concat(RuleRegistry& registry);
void register_concat(RuleRegistry& registry) {
  registry.add("Concat", {convert_concat, fold_concat, Integers::Moved});
}

}  // namespace n2d2::onnx
