#include "n2d2/ops/pool.hpp"

#include <algorithm>

#include "n2d2/ops/scaling.hpp"

#include "import/node.hpp"
#include "import/window.hpp"

namespace n2d2::onnx {

namespace {

/// With ceil_mode the last window may hang over the end: more padding there, as long as the window starts inside
/// the map or its padding in front. Returns how much was added.
int64_t hang_over(WindowAxis& axis) {
  const int64_t room = axis.in + axis.before + axis.after - axis.extent();
  if (room < 0) return 0;
  int64_t out = (room + axis.stride - 1) / axis.stride + 1;
  if ((out - 1) * axis.stride >= axis.in + axis.before) --out;
  const int64_t more = (out - 1) * axis.stride - room;
  if (more <= 0) return 0;
  axis.after = window_size("pads", axis.after + more, 0);
  return more;
}

void finish_pool(Node& node, const WindowSizes& window, ops::Pooling pooling, size_t rank) {
  auto pool = std::make_unique<ops::Pool>();
  pool->pooling = pooling;
  pool->kernel = window.kernel();
  pool->stride = window.stride();
  pool->padding = window.pads();
  node.finish_map(std::move(pool), {node.data().value}, rank);
}

WindowSizes pool_window(Node& node, bool& hangs_over) {
  WindowSizes window = read_window(node, node.data().dims, {});
  if (window.dilation() != Dims{1, 1}) refuse("dilations other than 1 of a pool are not imported");
  hangs_over = false;
  if (node.integer("ceil_mode", 0) != 0) {
    const int64_t x = hang_over(window.x), y = hang_over(window.y);
    hangs_over = x > 0 || y > 0;
  }
  return window;
}

void convert_max(Node& node) {
  node.expect_no_output(1, "the indices of the maxima");
  node.integer("storage_order", 0);  // orders the indices only
  bool hangs_over = false;
  const WindowSizes window = pool_window(node, hangs_over);
  finish_pool(node, window, ops::Pooling::Max, node.data().dims.size());
}

/// How many of a window's taps lie on the map.
std::vector<int64_t> taps_on_map(const WindowAxis& axis) {
  std::vector<int64_t> taps;
  const int64_t outputs = (axis.in + axis.before + axis.after - axis.extent()) / axis.stride + 1;
  for (int64_t o = 0; o < outputs; ++o) {
    const int64_t first = o * axis.stride - axis.before;
    taps.push_back(std::min(axis.in, first + axis.kernel) - std::max<int64_t>(0, first));
  }
  return taps;
}

/// Ours divides by the whole window. Where padding does not count, the means of windows that see padding are scaled
/// up, element by element: a Scaling of the flattened map. An integer export refuses that by its Reshape.
void finish_average_on_map(Node& node, const WindowSizes& window) {
  auto pool = std::make_unique<ops::Pool>();
  pool->pooling = ops::Pooling::Average;
  pool->kernel = window.kernel();
  pool->stride = window.stride();
  pool->padding = window.pads();
  const Operand& data = node.data();
  const graph::ValueId mean = node.add(std::move(pool), {data.value}, "mean");
  const Shape map = node.graph().value(mean).type.shape;
  const auto rows = taps_on_map(window.y), columns = taps_on_map(window.x);
  constexpr int64_t kMostFactors = int64_t{1} << 22;
  if (map.elements() > kMostFactors)
    refuse(fmt::format("an average of {} that does not count padding", map.text()));
  auto scaling = std::make_unique<ops::Scaling>();
  const double taps = static_cast<double>(window.x.kernel) * window.y.kernel;
  for (int64_t c = 0; c < map.c(); ++c)
    for (const int64_t row : rows)
      for (const int64_t column : columns) {
        if (row < 1 || column < 1) refuse("a window sees nothing but padding");
        scaling->factor.push_back(taps / static_cast<double>(row * column));
      }
  const graph::ValueId flat = node.as_map(mean, {1, map.elements(), 1, 1}, "flat");
  const graph::ValueId scaled = node.add(std::move(scaling), {flat}, "scaled");
  const graph::ValueId result = node.as_map(scaled, map, "");
  Extents dims{data.dims[0], map.c()};
  if (data.dims.size() > 3) dims.push_back(map.h());
  dims.push_back(map.w());
  node.set_value(result, std::move(dims));
}

/// Padding that hangs over never counts, other padding as the attribute says.
void convert_average(Node& node) {
  const bool counts = node.integer("count_include_pad", 0) != 0;
  bool hangs_over = false;
  const WindowSizes window = pool_window(node, hangs_over);
  if (counts && hangs_over)
    refuse(
        "some windows see padding that counts and padding that does not (count_include_pad with ceil_mode)",
        "ceil_mode=0");
  if (!counts && window.pads() != Pads{}) return finish_average_on_map(node, window);
  finish_pool(node, window, ops::Pooling::Average, node.data().dims.size());
}

/// One window over the whole map.
WindowSizes whole_map(const Extents& dims) {
  const Shape shape = map_shape(dims);
  WindowSizes window;
  window.x.in = shape.w();
  window.x.kernel = window_size("width of the map", shape.w(), 1);
  window.y.in = shape.h();
  window.y.kernel = window_size("height of the map", shape.h(), 1);
  return window;
}

void convert_global(Node& node, ops::Pooling pooling) {
  const Extents& dims = node.data().dims;
  if (dims.size() != 3 && dims.size() != 4)
    refuse(fmt::format("the data has extents {}, expected N,C,L or N,C,H,W", text_of(dims)));
  finish_pool(node, whole_map(dims), pooling, dims.size());
}

}  // namespace

void register_pool(RuleRegistry& registry);
void register_pool(RuleRegistry& registry) {
  registry.add("AveragePool", {convert_average, nullptr});
  registry.add("GlobalAveragePool", {[](Node& n) { convert_global(n, ops::Pooling::Average); }, nullptr});
  registry.add("GlobalMaxPool", {[](Node& n) { convert_global(n, ops::Pooling::Max); }, nullptr});
  registry.add("MaxPool", {convert_max, nullptr, Integers::Moved});
}

}  // namespace n2d2::onnx
