#include "window.hpp"

#include "checks.hpp"

namespace n2d2::ops {

namespace {

/// Positions are counted in 32 bits by the code of an export: a step, a tap and a pad beyond the map must fit
/// beside it.
constexpr int64_t kFarthest = int64_t{1} << 24;

void expect_between(std::string_view field, std::initializer_list<int> values, int64_t least) {
  expect_at_least(field, std::min(values), least);
  expect_at_most(field, std::max(values), kFarthest);
}

}  // namespace

void expect_steps(Dims kernel, Dims stride, Dims dilation, const Pads& padding) {
  expect_between("kernel", {kernel.x, kernel.y}, 1);
  expect_between("Stride", {stride.x, stride.y}, 1);
  expect_between("Dilation", {dilation.x, dilation.y}, 1);
  expect_between("Padding", {padding.left, padding.top, padding.right, padding.bottom}, 0);
}

Window make_window(const Shape& map, Dims kernel, Dims stride, Dims dilation, const Pads& padding) {
  expect_steps(kernel, stride, dilation, padding);
  const Window window{{map.w(), kernel.x, stride.x, dilation.x, padding.left, padding.right},
                      {map.h(), kernel.y, stride.y, dilation.y, padding.top, padding.bottom}};
  if (window.x.extent() > window.x.padded() || window.y.extent() > window.y.padded())
    throw ModelError(fmt::format("kernel {}x{} (width x height) is larger than the padded input {}x{}",
                                 window.x.extent(), window.y.extent(), window.x.padded(), window.y.padded()));
  return window;
}

}  // namespace n2d2::ops
