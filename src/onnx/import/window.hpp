// Where does the sliding window of a Conv or a pool lie? The attributes that both share.
#pragma once

#include "node.hpp"

namespace n2d2::onnx {

struct WindowAxis {
  int64_t in = 1;
  int kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;
  int64_t extent() const { return int64_t{kernel - 1} * dilation + 1; }
};

/// `x` alone slides over a tensor N,C,L.
struct WindowSizes {
  WindowAxis x, y;
  Dims kernel() const { return {x.kernel, y.kernel}; }
  Dims stride() const { return {x.stride, y.stride}; }
  Dims dilation() const { return {x.dilation, y.dilation}; }
  Pads pads() const { return {x.before, y.before, x.after, y.after}; }
};

/// Reads kernel_shape, strides, dilations, pads and auto_pad of a node whose data has these extents; SAME
/// pads are exact: as many as ceil(in / stride) outputs need. `kernel`: extents that weights give, empty when
/// only the attribute does.
WindowSizes read_window(Node& node, const Extents& dims, const std::vector<int64_t>& kernel);

}  // namespace n2d2::onnx
