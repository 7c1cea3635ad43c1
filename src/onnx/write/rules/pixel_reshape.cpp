#include "n2d2/ops/pixel_reshape.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

/// Channels go last for as long as the extents change.
void write_pixel_reshape(NodeWriter& node) {
  const Shape& s = node.out();
  std::string x = node.add("Transpose", {node.map()}, {{"perm", std::vector<int64_t>{0, 2, 3, 1}}});
  x = node.add("Reshape", {node.keep_scale(x), node.integers("pixels", {0, s.h(), s.w(), s.c()})});
  node.result(node.add("Transpose", {node.keep_scale(x)}, {{"perm", std::vector<int64_t>{0, 3, 1, 2}}}),
              false);
}

}  // namespace

void register_pixel_reshape(WriteRegistry& registry);
void register_pixel_reshape(WriteRegistry& registry) {
  registry.add(ops::PixelReshape::kType, write_pixel_reshape);
}

}  // namespace n2d2::onnx
