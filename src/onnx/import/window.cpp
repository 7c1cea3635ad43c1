#include "window.hpp"

#include <algorithm>

namespace n2d2::onnx {

namespace {

/// A list attribute with one entry an axis.
std::vector<int64_t> per_axis(Node& node, std::string_view name, size_t count, int64_t missing) {
  std::vector<int64_t> list = node.integers(name);
  if (list.empty()) list.assign(count, missing);
  if (list.size() != count)
    refuse(fmt::format("attribute '{}' has {} values, expected {}", name, list.size(), count));
  return list;
}

void pad_same(WindowAxis& axis, bool lower) {
  const int64_t out = (axis.in + axis.stride - 1) / axis.stride;
  const int64_t total = std::max<int64_t>(0, (out - 1) * axis.stride + axis.extent() - axis.in);
  axis.before = static_cast<int>(lower ? total - total / 2 : total / 2);
  axis.after = static_cast<int>(total - axis.before);
}

}  // namespace

WindowSizes read_window(Node& node, const Extents& dims, const std::vector<int64_t>& kernel) {
  if (dims.size() != 3 && dims.size() != 4)
    refuse(fmt::format("the data has extents {}, expected rank 3 (N,C,L) or 4 (N,C,H,W)", text_of(dims)),
           dims.size() == 5 ? "3D networks are not imported" : "");
  const size_t axes = dims.size() - 2;
  std::vector<int64_t> shape = node.integers("kernel_shape");
  if (shape.empty()) shape = kernel;
  if (shape.size() != axes || (!kernel.empty() && shape != kernel))
    refuse(fmt::format("kernel_shape is {}, expected {}", text_of(shape),
                       kernel.empty() ? fmt::format("{} extents", axes) : text_of(kernel)));
  const auto strides = per_axis(node, "strides", axes, 1), dilations = per_axis(node, "dilations", axes, 1);
  const auto pads = per_axis(node, "pads", 2 * axes, 0);
  const std::string mode = node.text("auto_pad", "NOTSET");
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (!same && mode != "NOTSET" && mode != "VALID")
    refuse(fmt::format("auto_pad '{}', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER", mode));
  if (mode != "NOTSET" && std::any_of(pads.begin(), pads.end(), [](int64_t pad) { return pad != 0; }))
    refuse(fmt::format("auto_pad '{}' and pads exclude each other", mode));

  WindowSizes out;
  for (size_t i = 0; i < axes; ++i) {
    WindowAxis& axis = i + 1 == axes ? out.x : out.y;
    axis.in = dims[i + 2];
    axis.kernel = window_size("kernel_shape", shape[i], 1);
    axis.stride = window_size("strides", strides[i], 1);
    axis.dilation = window_size("dilations", dilations[i], 1);
    axis.before = window_size("pads", pads[i], 0);
    axis.after = window_size("pads", pads[i + axes], 0);
    if (same) pad_same(axis, mode == "SAME_LOWER");
  }
  return out;
}

}  // namespace n2d2::onnx
