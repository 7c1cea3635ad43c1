// Which pixels are around a pixel?
#pragma once

#include <array>

#include <opencv2/imgproc.hpp>

#include "n2d2/base/fields.hpp"

namespace n2d2::data {

enum class ElementShape { Rectangular, Elliptic, Cross };

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::ElementShape> {
  static constexpr std::array names{"Rectangular", "Elliptic", "Cross"};
};

namespace n2d2::data {

/// size x size, 1 for the pixels that count.
inline cv::Mat structuring_element(ElementShape shape, int size) {
  constexpr std::array shapes{cv::MORPH_RECT, cv::MORPH_ELLIPSE, cv::MORPH_CROSS};  // by ElementShape
  return cv::getStructuringElement(shapes[static_cast<size_t>(shape)], {size, size});
}

}  // namespace n2d2::data
