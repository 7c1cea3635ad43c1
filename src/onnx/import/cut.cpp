#include "cut.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "n2d2/ops/padding.hpp"
#include "n2d2/ops/pixel_reshape.hpp"
#include "n2d2/ops/pool.hpp"
#include "n2d2/ops/reshape.hpp"
#include "n2d2/ops/transpose.hpp"

#include "channels.hpp"
#include "import/rules/transpose.hpp"

namespace n2d2::onnx {

Range range_of(int64_t start, int64_t end, int64_t step, int64_t extent) {
  if (step == 0) refuse("a step of 0");
  const auto settle = [&](int64_t at, int64_t lowest, int64_t highest) {
    if (at < 0) at = at < -extent ? -1 : at + extent;  // -1: before the first
    return std::clamp(at, lowest, highest);
  };
  Range out{0, step, 0};
  if (step > 0) {
    out.start = settle(start, 0, extent);
    const int64_t room = settle(end, 0, extent) - out.start;
    out.count = room > 0 ? (room - 1) / step + 1 : 0;
  } else {
    out.start = settle(start, -1, extent - 1);
    const int64_t room = out.start - settle(end, -1, extent - 1);
    const int64_t length = step == std::numeric_limits<int64_t>::min() ? extent : -step;
    out.count = room > 0 ? (room - 1) / length + 1 : 0;
  }
  return out;
}

std::vector<Range> whole(const Extents& dims) {
  std::vector<Range> ranges;
  for (const int64_t extent : dims) ranges.push_back({0, 1, extent});
  return ranges;
}

Extents extents_of(const std::vector<Range>& ranges) {
  Extents dims;
  for (const Range& range : ranges) dims.push_back(range.count);
  return dims;
}

Array cut(const Array& in, const std::vector<Range>& ranges) {
  const Extents dims = extents_of(ranges);
  Array out = in.like(dims);
  const Extents strides = strides_of(in.dims);
  Extents index(dims.size(), 0);
  for (int64_t i = 0; i < out.size(); ++i) {
    int64_t from = 0;
    for (size_t axis = 0; axis < dims.size(); ++axis)
      from += (ranges[axis].start + index[axis] * ranges[axis].step) * strides[axis];
    out.take(i, in, from);
    for (size_t axis = dims.size(); axis-- > 0;) {
      if (++index[axis] < dims[axis]) break;
      index[axis] = 0;
    }
  }
  return out;
}

namespace {

/// What a crop takes away before the first and behind the last that stays; `rest` lies behind the last window
/// of a step.
struct Crop {
  int before = 0, after = 0, step = 1;
};

Crop crop_of(const Range& range, int64_t extent) {
  Crop crop;
  crop.step = range.count == 1 ? 1 : window_size("steps", range.step, 1);
  crop.before = -window_size("starts", range.start, 0);
  const int64_t rest = extent - 1 - range.start - (range.count - 1) * crop.step;
  // The pool of a step leaves out what follows its last window.
  if (crop.step == 1 || rest >= crop.step) crop.after = -window_size("ends", rest, 0);
  return crop;
}

/// Rows and columns of a map: a crop, then a pool of one pixel for a step.
graph::ValueId cut_pixels(Node& node, graph::ValueId value, const Range& rows, const Range& columns,
                          const std::string& suffix) {
  const Shape map = node.graph().value(value).type.shape;
  const Crop y = crop_of(rows, map.h()), x = crop_of(columns, map.w());
  ops::Padding padding;
  padding.left = x.before;
  padding.right = x.after;
  padding.top = y.before;
  padding.bottom = y.after;
  if (padding.pads() != Pads{})
    value = node.add(std::make_unique<ops::Padding>(padding), {value}, suffix + "crop");
  if (x.step == 1 && y.step == 1) return value;
  auto pool = std::make_unique<ops::Pool>();
  pool->kernel = {1, 1};
  pool->stride = {x.step, y.step};
  return node.add(std::move(pool), {value}, suffix + "step");
}

std::vector<int64_t> indices_of(const Range& range) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < range.count; ++i) out.push_back(range.start + i * range.step);
  return out;
}

constexpr std::array<size_t, 3> kChannelsAndColumns{3, 2, 1};

/// The map whose columns are the channels of the value, if a Transpose made it of one.
std::optional<graph::ValueId> columns_of_channels(Node& node, graph::ValueId value) {
  const Shape& shape = node.graph().value(value).type.shape;
  graph::NodeId producer = node.graph().value(value).producer;
  while (producer && graph::as<ops::Reshape>(node.graph().node(producer)) != nullptr) {
    value = node.graph().node(producer).inputs.at(0);
    producer = node.graph().value(value).producer;
  }
  if (!producer || node.graph().value(value).type.shape != shape) return std::nullopt;
  const auto* transpose = graph::as<ops::Transpose>(node.graph().node(producer));
  if (transpose == nullptr || transpose->order() != kChannelsAndColumns) return std::nullopt;
  return node.graph().node(producer).inputs.at(0);
}

/// One axis of a tensor of any rank, as the rows of a view; against its order as channels.
graph::ValueId cut_axis(Node& node, graph::ValueId value, const Extents& dims, size_t axis,
                        const Range& range, const std::string& suffix) {
  if (range.step < 0) return pick(node, value, dims, axis, indices_of(range), suffix);
  int64_t before = 1, behind = 1;
  for (size_t i = 1; i < dims.size(); ++i) (i < axis ? before : behind) *= i == axis ? 1 : dims[i];
  const graph::ValueId view = node.as_map(value, {1, before, dims[axis], behind}, suffix + "view");
  return cut_pixels(node, view, range, {0, 1, behind}, suffix);
}

}  // namespace

graph::ValueId cut(Node& node, const std::vector<Range>& ranges, const std::string& suffix) {
  const Operand& data = node.data();
  Extents dims = data.dims;
  const size_t rank = dims.size();
  if (rank < 2 || !ranges[0].is_all(dims[0])) refuse(fmt::format("cuts the batch of {}", text_of(dims)));
  for (const Range& range : ranges)
    if (range.count < 1) refuse(fmt::format("nothing is left of {}", text_of(dims)));
  graph::ValueId value = data.value;
  if (const auto steps = ranges[1].is_all(dims[1]) ? std::nullopt : columns_of_channels(node, value);
      steps && ranges[1].step > 0) {
    const Range rows{0, 1, node.graph().value(*steps).type.shape.h()};
    value = cut_pixels(node, *steps, rows, ranges[1], suffix + "steps_");
    value = transposed(node, value, kChannelsAndColumns, suffix + "channels");
    dims[1] = ranges[1].count;
  } else if (!ranges[1].is_all(dims[1])) {
    value = pick(node, value, dims, 1, indices_of(ranges[1]), suffix);
    dims[1] = ranges[1].count;
  }
  const auto forward = [](const Range& range) { return range.step > 0 || range.count == 1; };
  if (rank <= 4 && std::all_of(ranges.begin() + 2, ranges.end(), forward)) {
    const Range one{0, 1, 1};
    return cut_pixels(node, value, rank > 3 ? ranges[2] : one, rank > 2 ? ranges[rank - 1] : one, suffix);
  }
  for (size_t axis = 2; axis < rank; ++axis) {
    if (ranges[axis].is_all(dims[axis])) continue;
    value = cut_axis(node, value, dims, axis, ranges[axis], fmt::format("{}axis{}_", suffix, axis));
    dims[axis] = ranges[axis].count;
  }
  return node.as_map(value, map_shape(dims), suffix + "cut");
}

bool cut_view(Node& node, size_t axis, const Range& range, bool is_gone, size_t output) {
  const Operand& data = node.lying(0);
  const bool has_features = data.channels_last && data.dims.size() == 3;
  if (data.is_constant() || data.grid || (!data.split && !has_features)) return false;
  std::optional<Split> split = node.split_of(0);
  if (!split || (range.step != 1 && range.count != 1) || range.count < 1) return false;
  graph::ValueId value = data.value;
  if (!range.is_all(data.dims[axis])) {
    if (split->axes[axis].size() != 1) return false;
    const size_t at = split->axes[axis][0];
    int64_t before = 1, behind = 1;
    for (size_t i = 0; i < split->extents.size(); ++i)
      (i < at ? before : behind) *= i == at ? 1 : split->extents[i];
    const Shape map{1, behind, before, split->extents[at]};
    const std::string suffix = output == 0 ? "" : fmt::format("{}_", output);
    if (node.graph().value(value).type.shape != map)
      value = node.add(ops::pixel_reshape_to(map), {value}, suffix + "view");
    const Crop crop = crop_of(range, split->extents[at]);
    ops::Padding padding;
    padding.left = crop.before;
    padding.right = -window_size("ends", split->extents[at] - range.start - range.count, 0);
    value = node.add(std::make_unique<ops::Padding>(padding), {value}, suffix + "crop");
    split = split->with_extent(axis, range.count);
  }
  if (is_gone) split = split->without_axis(axis);
  node.set_split(value, *std::move(split), output);
  return true;
}

graph::ValueId pick(Node& node, graph::ValueId value, const Extents& dims, size_t axis,
                    const std::vector<int64_t>& from, const std::string& suffix) {
  if (axis == 1) return pick_channels(node, value, from, suffix + "channels");
  int64_t before = 1, behind = 1;
  for (size_t i = 1; i < dims.size(); ++i) (i < axis ? before : behind) *= i == axis ? 1 : dims[i];
  constexpr std::array<size_t, 3> kSwapped{2, 1, 3};
  const graph::ValueId view = node.as_map(value, {1, before, dims[axis], behind}, suffix + "view");
  const graph::ValueId channels = transposed(node, view, kSwapped, suffix + "channels");
  const graph::ValueId picked = pick_channels(node, channels, from, suffix + "picked");
  Extents out = dims;
  out[axis] = static_cast<int64_t>(from.size());
  return node.as_map(transposed(node, picked, kSwapped, suffix + "back"), map_shape(out), suffix + "map");
}

}  // namespace n2d2::onnx
