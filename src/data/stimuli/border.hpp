// What is beyond the edge of a picture?
#pragma once

#include <array>
#include <string>
#include <vector>

#include <opencv2/core.hpp>

#include "n2d2/base/fields.hpp"
#include "n2d2/data/image.hpp"
#include "n2d2/data/transformation.hpp"

namespace n2d2::data {

/// ReflectBorder repeats the edge pixel (cba|abc), MinusOneReflectBorder does not (cb|abc), MeanBorder is
/// each channel's mean over the picture.
enum class BorderType {
  ConstantBorder,
  ReplicateBorder,
  ReflectBorder,
  WrapBorder,
  MinusOneReflectBorder,
  MeanBorder
};

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::BorderType> {
  static constexpr std::array names{"ConstantBorder", "ReplicateBorder",       "ReflectBorder",
                                    "WrapBorder",     "MinusOneReflectBorder", "MeanBorder"};
};

namespace n2d2::data {

struct Border {
  BorderType type = BorderType::MinusOneReflectBorder;
  std::vector<double> value;  ///< of ConstantBorder: empty (0), one, or one per channel
};

/// cv::BorderTypes of the border; BORDER_CONSTANT for MeanBorder.
int cv_border(BorderType type);

/// The border of labels whose pictures have this one: pixels that repeat have the labels of theirs, others
/// -1.
Border of_labels(const Border& border);

/// Value of constant and mean borders, a number per channel. The step fails when the count of values does not
/// fit.
std::vector<double> border_value(const Transformation& step, const Image& image, const Border& border);

/// The window of maps of this form that window() takes of a picture: nothing where it is the whole map. The
/// step fails where what is beyond the edge depends on more than the nearest pixels, or differs between
/// channels.
std::vector<MapStep> window_steps(const Transformation& step, const PictureForm& map, int x, int y, int width,
                                  int height, const Border& border);

/// The width x height window of the picture whose first pixel is (x, y); what lies outside comes from the
/// border.
Image window(const Transformation& step, const Image& image, int x, int y, int width, int height,
             const Border& border);

}  // namespace n2d2::data
