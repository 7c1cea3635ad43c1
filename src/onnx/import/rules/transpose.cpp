#include "transpose.hpp"

#include <algorithm>

#include "n2d2/ops/depth_to_space.hpp"
#include "n2d2/ops/transpose.hpp"

#include "import/channels_last.hpp"

namespace n2d2::onnx {

graph::ValueId transposed(Node& node, graph::ValueId value, const std::array<size_t, 3>& order,
                          std::string_view suffix) {
  const Shape shape = node.graph().value(value).type.shape;
  const ops::Transpose op = ops::transpose_of(order);
  if (op.moves(shape)) return node.add(op.clone(), {value}, suffix);
  return node.as_map(value, {1, shape[order[0]], shape[order[1]], shape[order[2]]}, suffix);
}

graph::ValueId swap_channels(Node& node, graph::ValueId value, size_t axis, size_t rank,
                             std::string_view suffix) {
  N2D2_CHECK(rank <= 4 && axis >= 1 && axis < rank, "axis {} of rank {}", axis, rank);
  std::array<size_t, 3> order{1, 2, 3};
  std::swap(order[0], order[rank == 3 && axis == 2 ? 2 : axis - 1]);
  return transposed(node, value, order, suffix);
}

namespace {

void fold_transpose(Node& node, const Array& in, const std::vector<size_t>& order) {
  Extents dims;
  for (const size_t axis : order) dims.push_back(in.dims[axis]);
  Array out = in.like(dims);
  const Extents strides = strides_of(in.dims);
  Extents index(dims.size(), 0);
  int64_t from = 0;
  for (int64_t i = 0; i < out.size(); ++i) {
    out.take(i, in, from);
    for (size_t axis = dims.size(); axis-- > 0;) {
      from += strides[order[axis]];
      if (++index[axis] < dims[axis]) break;
      from -= strides[order[axis]] * dims[axis];
      index[axis] = 0;
    }
  }
  node.set_constant(std::move(out));
}

/// Which input axis each output axis is.
std::vector<size_t> read_order(Node& node, const Extents& dims) {
  std::vector<int64_t> perm = node.integers("perm");
  if (perm.empty())
    for (size_t i = dims.size(); i-- > 0;) perm.push_back(static_cast<int64_t>(i));
  std::vector<size_t> order;
  order.reserve(perm.size());
  for (const int64_t axis : perm) order.push_back(axis_of(axis, dims.size()));
  std::vector<size_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i)
    if (sorted.size() != dims.size() || sorted[i] != i)
      refuse(fmt::format("perm is no order of the axes of {}", text_of(dims)));
  return order;
}

/// Axes that stay beside each other move as one: its first and last axis in the input, and the product of
/// extents.
struct Group {
  size_t first = 0, last = 0;
  int64_t extent = 1;
};

/// Groups in the order of the output. Axes of one element do not matter.
std::vector<Group> groups_of(const Extents& dims, const std::vector<size_t>& order) {
  std::vector<Group> groups;
  for (size_t i = 1; i < order.size(); ++i) {
    const size_t axis = order[i];
    if (dims[axis] == 1) continue;
    const auto is_next = [&](const Group& group) {
      return group.last < axis && std::all_of(dims.begin() + static_cast<int64_t>(group.last) + 1,
                                              dims.begin() + static_cast<int64_t>(axis),
                                              [](int64_t extent) { return extent == 1; });
    };
    if (!groups.empty() && is_next(groups.back()))
      groups.back() = {groups.back().first, axis, groups.back().extent * dims[axis]};
    else
      groups.push_back({axis, axis, dims[axis]});
  }
  return groups;
}

/// Three axes of a map, or three groups of axes under a Reshape.
graph::ValueId move_groups(Node& node, const Operand& data, const std::vector<Group>& groups) {
  if (groups.size() > 3)
    refuse(fmt::format("moves {} groups of axes of {}, at most 3 behind the batch are imported",
                       groups.size(), text_of(data.dims)),
           "pixel_shuffle exports as DepthToSpace from operator set 11 on");
  std::vector<Group> sorted = groups;
  std::sort(sorted.begin(), sorted.end(), [](const Group& a, const Group& b) { return a.first < b.first; });
  Shape view{1, 1, 1, 1};
  std::array<size_t, 3> order{1, 2, 3};
  for (size_t i = 0; i < groups.size(); ++i) {
    view[i + 1] = sorted[i].extent;
    for (size_t k = 0; k < groups.size(); ++k)
      if (sorted[k].first == groups[i].first) order[i] = k + 1;
  }
  return transposed(node, node.as_map(data.value, view, "groups"), order, "moved");
}

/// Where N,C,h,a,w,b (blocks of pixels taken apart) or N,(C,a,b),h,w (channels) goes.
struct Blocks {
  std::array<size_t, 6> order;
  bool to_depth = true;
  ops::BlockOrder channels = ops::BlockOrder::Crd;
  bool channels_last = false;
};
constexpr Blocks kBlocks[] = {
    {{0, 1, 3, 5, 2, 4}},
    {{0, 3, 5, 1, 2, 4}, true, ops::BlockOrder::Dcr},
    {{0, 2, 4, 1, 3, 5}, true, ops::BlockOrder::Crd, true},
    {{0, 2, 4, 3, 5, 1}, true, ops::BlockOrder::Dcr, true},
    {{0, 1, 4, 2, 5, 3}, false},
    {{0, 3, 4, 1, 5, 2}, false, ops::BlockOrder::Dcr},
};

/// A tensor of six axes as blocks of pixels that become channels, or the other way round.
bool move_blocks(Node& node, const Operand& data, const std::vector<size_t>& order) {
  const auto* found = std::find_if(std::begin(kBlocks), std::end(kBlocks), [&](const Blocks& blocks) {
    return std::equal(order.begin(), order.end(), blocks.order.begin(), blocks.order.end());
  });
  if (found == std::end(kBlocks) || (found->channels_last && data.dims[0] != 1)) return false;
  const Extents& d = data.dims;
  Extents dims;
  for (const size_t axis : order) dims.push_back(d[axis]);
  const bool is_dcr = found->channels == ops::BlockOrder::Dcr;
  const int64_t rows = found->to_depth ? d[3]
                       : is_dcr        ? d[1]
                                       : d[2],
                columns = found->to_depth ? d[5]
                          : is_dcr        ? d[2]
                                          : d[3];
  const Shape from =
      found->to_depth ? Shape{1, d[1], d[2] * d[3], d[4] * d[5]} : Shape{1, d[1] * d[2] * d[3], d[4], d[5]};
  auto op = std::make_unique<ops::DepthToSpace>();
  op->to_depth = found->to_depth;
  op->order = found->channels;
  op->block_size = window_size("blocks", columns, 1);
  op->block_rows = rows == columns ? 0 : window_size("blocks", rows, 1);
  const graph::ValueId moved = node.add(std::move(op), {node.as_map(data.value, from, "map")}, "blocks");
  const graph::NodeId layer = node.layer;
  if (found->channels_last) {
    node.set_split(moved, split_in_order(dims));
  } else {
    const graph::ValueId map = node.as_map(moved, map_shape(dims), "");
    node.set_value(map, std::move(dims));
  }
  node.layer = layer;
  return true;
}

/// One that puts channels last or first again moves no byte of an export.
bool is_wire(Node& node, const Operand& data, const std::vector<size_t>& order) {
  if (data.is_constant() || data.split || !can_be_channels_last(data.dims)) return false;
  if (data.channels_last && puts_channels_first(order)) {
    node.set_value(data.value, channels_first(data.dims));
    return true;
  }
  if (data.channels_last || !puts_channels_last(order)) return false;
  node.set_channels_last(data.value, channels_last(data.dims));
  return true;
}

void transpose(Node& node) {
  const std::vector<size_t> order = read_order(node, node.lying(0).dims);
  if (is_wire(node, node.lying(0), order)) return;
  const Operand& lying = node.lying(0);
  if (!lying.is_constant() && (lying.split || lying.channels_last))
    if (const std::optional<Split> split = node.split_of(0))
      if (node.defer(lying, split->transposed(order))) return;
  const Operand& operand = node.input(0);
  if (operand.is_constant()) return fold_transpose(node, *operand.array, order);
  if (order.empty() || order[0] != 0)
    refuse(fmt::format("moves the batch of {}", text_of(operand.dims)), "keep axis 0 in its place");
  Extents dims;
  for (const size_t axis : order) dims.push_back(operand.dims[axis]);
  const std::vector<Group> groups = groups_of(operand.dims, order);
  if (groups.size() < 2) return node.pass_on(operand, std::move(dims));
  if (groups.size() > 3 && move_blocks(node, operand, order)) return;
  if (order.size() <= 4) {
    std::array<size_t, 3> axes{3, 2, 1};  // N,C,L is a map of height 1
    if (order.size() == 4) axes = {order[1], order[2], order[3]};
    return node.set_value(transposed(node, operand.value, axes, ""), std::move(dims));
  }
  const graph::ValueId moved = node.as_map(move_groups(node, operand, groups), map_shape(dims), "");
  node.set_value(moved, std::move(dims));
}

}  // namespace

void register_transpose(RuleRegistry& registry);
void register_transpose(RuleRegistry& registry) {
  registry.add("Transpose", {transpose, transpose, Integers::Moved});
}

}  // namespace n2d2::onnx
