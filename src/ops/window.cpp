#include "window.hpp"

#include "checks.hpp"

namespace n2d2::ops {

Window make_window(const Shape& map, Dims kernel, Dims stride, Dims dilation, const Pads& padding) {
  expect_at_least("kernel", std::min(kernel.x, kernel.y), 1);
  expect_at_least("Stride", std::min(stride.x, stride.y), 1);
  expect_at_least("Dilation", std::min(dilation.x, dilation.y), 1);
  expect_at_least("Padding", std::min({padding.left, padding.top, padding.right, padding.bottom}), 0);
  const Window window{{map.w(), kernel.x, stride.x, dilation.x, padding.left, padding.right},
                      {map.h(), kernel.y, stride.y, dilation.y, padding.top, padding.bottom}};
  if (window.x.extent() > window.x.padded() || window.y.extent() > window.y.padded())
    throw ModelError(fmt::format("kernel {}x{} (width x height) is larger than the padded input {}x{}",
                                 window.x.extent(), window.y.extent(), window.x.padded(), window.y.padded()));
  return window;
}

}  // namespace n2d2::ops
