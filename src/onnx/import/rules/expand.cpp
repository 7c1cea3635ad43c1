#include "n2d2/ops/resize.hpp"

#include "import/cut.hpp"

namespace n2d2::onnx {

namespace {

constexpr int64_t kMostRepeats = 1 << 20;

/// One row or column becomes many.
graph::ValueId spread_pixel(Node& node, graph::ValueId value, int64_t rows, int64_t columns) {
  const Shape map = node.graph().value(value).type.shape;
  auto resize = std::make_unique<ops::Resize>();
  resize->output_height = window_size("rows", map.h() * rows, 1);
  resize->output_width = window_size("columns", map.w() * columns, 1);
  return node.add(std::move(resize), {value}, "spread");
}

std::vector<int64_t> repeated(int64_t extent, int64_t repeats) {
  std::vector<int64_t> from;
  for (int64_t i = 0; i < extent * repeats; ++i) from.push_back(i % extent);
  return from;
}

/// The data so many times along each axis: rows and columns of one pixel are resized, others are picked.
void repeat(Node& node, const Extents& data, const std::vector<int64_t>& times) {
  Extents dims = data, out = data;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (times[i] < 1 || times[i] > kMostRepeats)
      refuse(fmt::format("axis {} is there {} times", i, times[i]));
    out[i] *= times[i];
  }
  if (!out.empty() && out[0] != dims[0]) refuse(fmt::format("repeats the batch of {}", text_of(dims)));
  elements_of(out);
  graph::ValueId value = node.as_map(node.data().value, map_shape(dims), "map");
  for (size_t axis = 1; axis < dims.size(); ++axis) {
    const bool pixel = axis > 1 && dims.size() <= 4 && dims[axis] == 1;
    if (times[axis] == 1) continue;
    if (pixel)
      value = axis + 1 == dims.size() ? spread_pixel(node, value, 1, times[axis])
                                      : spread_pixel(node, value, times[axis], 1);
    else
      value = pick(node, value, dims, axis, repeated(dims[axis], times[axis]), fmt::format("axis{}_", axis));
    dims[axis] = out[axis];
  }
  value = node.as_map(value, map_shape(out), "");
  node.set_value(value, std::move(out));
}

void convert_expand(Node& node) {
  const Operand& data = node.data();
  const Extents out = broadcast(data.dims, list_of_extents(node.constant(1, "the extents")));
  if (out == data.dims) return node.pass_on(data, out);
  if (out.size() != data.dims.size())
    refuse(fmt::format("{} becomes {}, whose batch is another axis", text_of(data.dims), text_of(out)),
           "keep axis 0 in its place");
  std::vector<int64_t> times;
  for (size_t i = 0; i < out.size(); ++i) times.push_back(data.dims[i] == 0 ? 0 : out[i] / data.dims[i]);
  repeat(node, data.dims, times);
}

void fold_expand(Node& node) {
  const Array& in = node.constant(0, "the data");
  Array out = in.like(broadcast(in.dims, list_of_extents(node.constant(1, "the extents"))));
  for_broadcast(out.dims, in.dims, {}, [&](int64_t i, int64_t from, int64_t) { out.take(i, in, from); });
  node.set_constant(std::move(out));
}

std::vector<int64_t> read_repeats(Node& node, size_t rank) {
  const std::vector<int64_t> times = list_of_extents(node.constant(1, "the repeats"));
  if (times.size() != rank) refuse(fmt::format("{} repeats of a tensor of rank {}", times.size(), rank));
  return times;
}

void convert_tile(Node& node) {
  const Extents& dims = node.data().dims;
  repeat(node, dims, read_repeats(node, dims.size()));
}

void fold_tile(Node& node) {
  const Array& in = node.constant(0, "the data");
  const std::vector<int64_t> times = read_repeats(node, in.dims.size());
  Extents dims = in.dims;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (times[i] < 0 || times[i] > kMostRepeats)
      refuse(fmt::format("axis {} is there {} times", i, times[i]));
    dims[i] *= times[i];
  }
  Array out = in.like(dims);
  const Extents strides = strides_of(in.dims), steps = strides_of(dims);
  for (int64_t i = 0; i < out.size(); ++i) {
    int64_t from = 0;
    for (size_t axis = 0; axis < dims.size(); ++axis)
      from += i / steps[axis] % dims[axis] % in.dims[axis] * strides[axis];
    out.take(i, in, from);
  }
  node.set_constant(std::move(out));
}

}  // namespace

void register_expand(RuleRegistry& registry);
void register_expand(RuleRegistry& registry) {
  registry.add("Expand", {convert_expand, fold_expand});
  registry.add("Tile", {convert_tile, fold_tile});
}

}  // namespace n2d2::onnx
