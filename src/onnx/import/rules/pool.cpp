#include "n2d2/ops/pool.hpp"

#include "import/node.hpp"
#include "import/window.hpp"

namespace n2d2::onnx {

namespace {

/// With ceil_mode the last window may hang over the end: more padding there, as long as the window starts
/// inside the map or its padding in front. Returns how much was added.
int hang_over(WindowAxis& axis) {
  const int64_t room = axis.in + axis.before + axis.after - axis.extent();
  if (room < 0) return 0;
  int64_t out = (room + axis.stride - 1) / axis.stride + 1;
  if ((out - 1) * axis.stride >= axis.in + axis.before) --out;
  const int64_t more = (out - 1) * axis.stride - room;
  if (more <= 0) return 0;
  axis.after = window_size("pads", axis.after + more, 0);
  return static_cast<int>(more);
}

void finish_pool(Node& node, const WindowSizes& window, ops::Pooling pooling, size_t rank,
                 const Pads& uncounted = {}) {
  auto pool = std::make_unique<ops::Pool>();
  pool->pooling = pooling;
  pool->kernel = window.kernel();
  pool->stride = window.stride();
  pool->padding = window.pads();
  pool->uncounted = uncounted;
  node.finish_map(std::move(pool), {node.data().value}, rank);
}

/// `hanging`: the part of the padding that ceil_mode adds.
struct PoolWindow {
  WindowSizes sizes;
  Pads hanging;
};

PoolWindow pool_window(Node& node) {
  PoolWindow window{read_window(node, node.data().dims, {}), {}};
  if (window.sizes.dilation() != Dims{1, 1}) refuse("dilations other than 1 of a pool are not imported");
  if (node.integer("ceil_mode", 0) != 0) {
    window.hanging.right = hang_over(window.sizes.x);
    window.hanging.bottom = hang_over(window.sizes.y);
  }
  return window;
}

void convert_max(Node& node) {
  node.expect_no_output(1, "the indices of the maxima");
  node.integer("storage_order", 0);  // orders the indices only
  finish_pool(node, pool_window(node).sizes, ops::Pooling::Max, node.data().dims.size());
}

/// Padding that hangs over never counts, other padding as the attribute says.
void convert_average(Node& node) {
  const bool counts = node.integer("count_include_pad", 0) != 0;
  const PoolWindow window = pool_window(node);
  finish_pool(node, window.sizes, ops::Pooling::Average, node.data().dims.size(),
              counts ? window.hanging : window.sizes.pads());
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
