#include "n2d2/ops/concat.hpp"

#include <algorithm>

#include "n2d2/ops/elemwise.hpp"
#include "n2d2/ops/padding.hpp"
#include "n2d2/ops/pixel_reshape.hpp"

#include "import/cut.hpp"
#include "import/operands.hpp"
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

/// Refused where the inputs differ in another axis than the one they are joined along.
Extents joined_extents(Node& node, size_t axis) {
  const Extents first = node.lying(0).dims;
  Extents dims = first;
  dims[axis] = 0;
  for (size_t i = 0; i < node.input_count(); ++i) {
    const Extents& own = node.lying(i).dims;
    Extents expected = first;
    if (own.size() > axis) expected[axis] = own[axis];
    if (own != expected)
      refuse(fmt::format("input {} has extents {}, input 0 has {}", i, text_of(own), text_of(first)));
    dims[axis] += own[axis];
  }
  return dims;
}

/// Constant maps beside the data, as coordinates of pixels: zeros that a constant is added to.
bool add_constants(Node& node, size_t axis, const Extents& dims) {
  std::vector<graph::ValueId> data;
  std::vector<int64_t> from;
  int64_t count = 0;
  for (size_t i = 0; i < node.input_count(); ++i) {
    const Operand& operand = node.lying(i);
    if (!operand.is_constant()) data.push_back(node.data(i).value);
    for (int64_t k = 0; k < operand.dims[axis]; ++k) from.push_back(operand.is_constant() ? -1 : count++);
  }
  if (data.size() == node.input_count()) return false;
  if (data.size() != 1 || dims.size() > 4)
    refuse(fmt::format("joins constants and {} tensors of {} that depend on the data", data.size(),
                       text_of(dims)),
           "join one such tensor of at most 4 axes with constants, then others");
  Array added = Array::of_reals(dims, std::vector<float>(static_cast<size_t>(elements_of(dims)), 0));
  int64_t inner = 1, outer = 1, at = 0;
  for (size_t i = 0; i < dims.size(); ++i) (i < axis ? outer : inner) *= i == axis ? 1 : dims[i];
  for (size_t i = 0; i < node.input_count(); ++i) {
    const int64_t rows = node.lying(i).dims[axis] * inner;
    if (node.lying(i).is_constant()) {
      const Array& part = node.constant(i, "the map");
      if (part.is_integer) refuse("joins integers and real numbers");
      for (int64_t o = 0; o < outer; ++o)
        for (int64_t k = 0; k < rows; ++k) added.take(o * dims[axis] * inner + at + k, part, o * rows + k);
    }
    at += rows;
  }
  Extents own = dims;
  own[axis] = count;
  const graph::ValueId room = pick(node, data[0], own, axis, from, "room_");
  auto sum = std::make_unique<ops::ElemWise>();
  sum->operation = ops::ElemWiseOperation::Sum;
  sum->constants_from = 1;
  const graph::ValueId constant = node.add_constant("operands", constant_map(added, dims));
  node.finish(std::move(sum), {room, constant}, dims);
  return true;
}

/// Tensors of many axes, as the lanes of anchors: the axis becomes channels, all others are pixels.
void join_views(Node& node, size_t axis, const Extents& dims) {
  std::vector<graph::ValueId> parts;
  for (size_t i = 0; i < node.input_count(); ++i) {
    const std::optional<Split> split = node.split_of(i);
    if (!split)
      refuse(fmt::format("along axis {} of {}: of a batch above 1, only axes 1 to 3 are joined", axis,
                         text_of(dims)),
             "export the model with a batch of 1");
    std::vector<size_t> order;
    for (size_t other = 0; other < dims.size(); ++other)
      if (other != axis) order.insert(order.end(), split->axes[other].begin(), split->axes[other].end());
    order.insert(order.end(), split->axes[axis].begin(), split->axes[axis].end());
    const std::string name = fmt::format("part_{}", i);
    graph::ValueId part = node.arranged(node.lying(i).value, *split, order, split->axes[axis].size(), name);
    const Shape shape = node.graph().value(part).type.shape, row{1, shape.c(), 1, shape.h() * shape.w()};
    if (shape != row) part = node.add(ops::pixel_reshape_to(row), {part}, name);
    parts.push_back(part);
  }
  Extents lying = dims;
  std::rotate(lying.begin() + static_cast<std::ptrdiff_t>(axis),
              lying.begin() + static_cast<std::ptrdiff_t>(axis) + 1, lying.end());
  std::vector<size_t> order(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) order[i] = i == axis ? dims.size() - 1 : i < axis ? i : i - 1;
  const graph::ValueId joined = node.add(std::make_unique<ops::Concat>(), std::move(parts), "joined");
  const graph::NodeId layer = node.layer;
  node.set_split(joined, split_in_order(lying).transposed(order));
  node.layer = layer;
}

/// Ours joins channels; another axis changes places with them before and after.
void convert_concat(Node& node) {
  if (add_tokens(node)) return;
  const size_t axis = axis_of(node.integer("axis", 1), node.lying(0).dims.size()),
               rank = node.lying(0).dims.size();
  if (axis == 0)
    refuse(fmt::format("along axis 0 of {}: only axes behind the batch are joined",
                       text_of(node.lying(0).dims)));
  Extents dims = joined_extents(node, axis);
  if (add_constants(node, axis, dims)) return;
  if (axis > 1 && rank > 4 && node.input_count() > 1) return join_views(node, axis, dims);
  std::vector<graph::ValueId> inputs;
  for (size_t i = 0; i < node.input_count(); ++i) inputs.push_back(node.data(i).value);
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
