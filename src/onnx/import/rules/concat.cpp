#include "n2d2/ops/concat.hpp"

#include <algorithm>

#include "n2d2/ops/elemwise.hpp"
#include "n2d2/ops/padding.hpp"

#include "import/channels.hpp"
#include "transpose.hpp"

namespace n2d2::onnx {

namespace {

/// Constant rows beside rows of features: zeros that a constant is added to.
bool add_tokens(Node& node) {
  std::optional<size_t> data;
  for (size_t i = 0; i < node.input_count(); ++i)
    if (const Operand& operand = node.lying(i); !operand.is_constant()) {
      if (data || !operand.channels_last || operand.dims.size() != 3 || operand.grid) return false;
      data = i;
    }
  if (!data || node.input_count() == 1) return false;
  Extents dims = node.lying(*data).dims;
  if (axis_of(node.integer("axis", 1), dims.size()) != 1) return false;
  const int64_t features = dims[2];
  ops::Padding padding;
  std::vector<float> rows;
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (i == *data) {
      rows.resize(rows.size() + static_cast<size_t>(dims[1] * features));
      continue;
    }
    const Array& constant = node.constant(i, "the rows");
    const Extents& own = constant.dims;
    if (constant.is_integer || own.size() != 3 || own[0] != 1 || own[2] != features) return false;
    (i < *data ? padding.left : padding.right) += window_size("constant rows", own[1], 0);
    rows.insert(rows.end(), constant.reals.begin(), constant.reals.end());
  }
  dims[1] += padding.left + padding.right;
  Tensor added(Shape{1, features, 1, dims[1]});
  for (int64_t row = 0; row < dims[1]; ++row)
    for (int64_t c = 0; c < features; ++c)
      added.data<float>()[c * dims[1] + row] = rows[static_cast<size_t>(row * features + c)];
  const graph::ValueId padded =
      node.add(std::make_unique<ops::Padding>(padding), {node.lying(*data).value}, "rows");
  auto sum = std::make_unique<ops::ElemWise>();
  sum->operation = ops::ElemWiseOperation::Sum;
  sum->constants_from = 1;
  node.set_channels_last(node.add(std::move(sum), {padded, node.add_constant("operands", std::move(added))}),
                         dims);
  return true;
}

/// Ours joins channels; another axis changes places with them before and after.
void convert_concat(Node& node) {
  if (add_tokens(node)) return;
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
