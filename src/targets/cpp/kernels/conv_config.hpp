// What do conv2d and conv2d_depthwise have in common, and what has conv2d beside it?
#pragma once

#include "n2d2/targets/cpp/config.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct ConvConfig : Planes, RescaleFields<Bound> {
  int kernel_w = 1, kernel_h = 1, stride_x = 1, stride_y = 1, dilation_x = 1, dilation_y = 1;
  int pad_x = 0, pad_y = 0, groups = 1, parallel = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_planes(v), this->visit_rescale(v);
    v("kernel_w", kernel_w), v("kernel_h", kernel_h), v("stride_x", stride_x), v("stride_y", stride_y);
    v("dilation_x", dilation_x), v("dilation_y", dilation_y), v("pad_x", pad_x), v("pad_y", pad_y);
    v("groups", groups), v("parallel", parallel);
  }
};

/// Config of conv2d_depthwise.
template <class Bound>
struct DepthwiseConfig : ConvConfig<Bound> {
  int whole_rows = 1, small_factors = 0, pad_value = 0;
  template <class V>
  void visit(V&& v) const {
    ConvConfig<Bound>::visit(v);
    v("whole_rows", whole_rows), v("small_factors", small_factors);
    if (pad_value != 0) v("pad_value", pad_value);
  }
};

/// Config of conv2d: the numbers of border rows and border columns of the output that have biases of their
/// own, and the order of its weights.
template <class Bound>
struct BorderedConfig : ConvConfig<Bound> {
  int border_top = 0, border_bottom = 0, border_left = 0, border_right = 0, packed = 0;
  int matrix = 0, small_factors = 0;
  template <class V>
  void visit(V&& v) const {
    ConvConfig<Bound>::visit(v);
    v("border_top", border_top), v("border_bottom", border_bottom);
    v("border_left", border_left), v("border_right", border_right);
    v("packed", packed), v("matrix", matrix), v("small_factors", small_factors);
  }
};

}  // namespace n2d2::targets::cpp
