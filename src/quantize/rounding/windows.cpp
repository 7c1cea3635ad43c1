#include "windows.hpp"

#include <cmath>

#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/fc.hpp"

namespace n2d2::quantize {

void Windows::read(std::span<const float> sample, Layout layout, int64_t position, float unit,
                   float* to) const {
  const int64_t y0 = position / out_w * stride.y - top, x0 = position % out_w * stride.x - left;
  const int64_t plane = in.h() * in.w(), pixel = layout == Layout::Nchw ? 1 : in.c();
  const int64_t channel = layout == Layout::Nchw ? plane : 1;
  for (int64_t c = 0; c < in.c(); ++c)
    for (int64_t ky = 0; ky < kernel.y; ++ky)
      for (int64_t kx = 0; kx < kernel.x; ++kx) {
        const int64_t y = y0 + ky * dilation.y, x = x0 + kx * dilation.x;
        const bool is_inside = y >= 0 && y < in.h() && x >= 0 && x < in.w();
        const float value =
            is_inside ? sample[static_cast<size_t>(c * channel + (y * in.w() + x) * pixel)] : 0.0F;
        *to++ = std::nearbyint(2 * (value / unit)) / 2;
      }
}

std::optional<Windows> windows_of(const graph::Graph& graph, const graph::Node& node) {
  Windows out;
  out.in = graph.value(node.inputs.at(0)).type.shape.with_batch(1);
  if (graph::as<ops::Fc>(node) != nullptr) {
    out.kernel = {static_cast<int>(out.in.w()), static_cast<int>(out.in.h())};
    return out;
  }
  const auto* conv = graph::as<ops::Conv>(node);
  if (conv == nullptr || !conv->connections.empty()) return {};
  const Shape& made = graph.value(node.outputs.at(0)).type.shape;
  out.kernel = conv->kernel, out.stride = conv->stride, out.dilation = conv->dilation;
  out.left = conv->padding.left, out.top = conv->padding.top;
  out.out_w = made.w(), out.out_h = made.h();
  out.groups = conv->groups;
  return out;
}

}  // namespace n2d2::quantize
