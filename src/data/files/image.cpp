#include "n2d2/data/image.hpp"

#include <fmt/format.h>

#include "n2d2/base/error.hpp"

namespace n2d2::data {

Image::Image(int width, int height, int channels, DataType depth)
    : width_(width), height_(height), channels_(channels), depth_(depth) {
  N2D2_CHECK(width >= 1 && height >= 1 && channels >= 1, "picture of {}x{}x{}", width, height, channels);
  bytes_.resize(static_cast<size_t>(bytes()));
}

std::string Image::text() const {
  return fmt::format("{}x{}x{} {}", width_, height_, channels_, n2d2::to_string(depth_));
}

void Image::check_depth(DataType wanted) const {
  N2D2_CHECK(wanted == depth_, "picture of {} read as {}", n2d2::to_string(depth_), n2d2::to_string(wanted));
}

}  // namespace n2d2::data
