#include "border.hpp"

#include <algorithm>
#include <cstring>

#include <opencv2/core.hpp>

#include "files/mat.hpp"

namespace n2d2::data {

int cv_border(BorderType type) {
  switch (type) {
    case BorderType::ReplicateBorder:
      return cv::BORDER_REPLICATE;
    case BorderType::ReflectBorder:
      return cv::BORDER_REFLECT;
    case BorderType::WrapBorder:
      return cv::BORDER_WRAP;
    case BorderType::MinusOneReflectBorder:
      return cv::BORDER_REFLECT_101;
    case BorderType::ConstantBorder:
    case BorderType::MeanBorder:
      break;
  }
  return cv::BORDER_CONSTANT;
}

Border of_labels(const Border& border) {
  if (cv_border(border.type) != cv::BORDER_CONSTANT) return border;
  return {BorderType::ConstantBorder, {-1}};
}

std::vector<double> border_value(const Transformation& step, const Image& image, const Border& border) {
  const auto channels = static_cast<size_t>(image.channels());
  std::vector<double> out(channels, border.value.size() == 1 ? border.value.front() : 0.0);
  if (border.type == BorderType::MeanBorder) {
    std::vector<cv::Mat> planes;
    cv::split(view(image), planes);
    for (size_t c = 0; c < channels; ++c) out[c] = cv::mean(planes[c])[0];
  } else if (border.value.size() > 1) {
    if (border.value.size() != channels)
      step.fail(fmt::format("BorderValue: expected 1 or {} numbers for a picture of {}, got {}", channels,
                            image.text(), border.value.size()));
    out = border.value;
  }
  return out;
}

namespace {

/// Source coordinate of each target coordinate; -1: the constant.
std::vector<int> sources(int start, int count, int size, int border) {
  std::vector<int> out;
  for (int i = start; i < start + count; ++i)
    out.push_back(i >= 0 && i < size ? i : cv::borderInterpolate(i, size, border));
  return out;
}

}  // namespace

std::vector<MapStep> window_steps(const Transformation& step, const PictureForm& map, int x, int y, int width,
                                  int height, const Border& border) {
  WindowStep out{-x, -y, x + width - map.width, y + height - map.height};
  const bool pads = out.left > 0 || out.top > 0 || out.right > 0 || out.bottom > 0;
  if (out.left == 0 && out.top == 0 && out.right == 0 && out.bottom == 0) return {};
  if (!pads) return {out};
  switch (border.type) {
    case BorderType::ReplicateBorder:
      out.around = WindowStep::Around::Edge;
      break;
    case BorderType::MinusOneReflectBorder:
      out.around = WindowStep::Around::Mirror;
      break;
    case BorderType::ConstantBorder: {
      const Image any(1, 1, map.channels, DataType::F32);
      const std::vector<double> values = border_value(step, any, border);
      out.value = values.front();
      if (std::any_of(values.begin(), values.end(), [&](double v) { return v != out.value; }))
        step.fail("BorderValue: a layer has one value around all channels");
      break;
    }
    case BorderType::ReflectBorder:
    case BorderType::WrapBorder:
    case BorderType::MeanBorder:
      step.fail(
          fmt::format("BorderType: '{}' has no form as a layer", ValueText<BorderType>::print(border.type)),
          "ConstantBorder, ReplicateBorder and MinusOneReflectBorder have one");
  }
  return {out};
}

Image window(const Transformation& step, const Image& image, int x, int y, int width, int height,
             const Border& border) {
  Image out(width, height, image.channels(), image.depth());
  const auto columns = sources(x, width, image.width(), cv_border(border.type));
  const auto rows = sources(y, height, image.height(), cv_border(border.type));
  Image constant(1, 1, image.channels(), image.depth());
  if (cv_border(border.type) == cv::BORDER_CONSTANT) {
    const std::vector<double> value = border_value(step, image, border);
    cv::Mat target = view(constant).reshape(1);
    cv::Mat(1, static_cast<int>(value.size()), CV_64F, const_cast<double*>(value.data()))
        .convertTo(target, target.depth());
  }
  const auto pixel = static_cast<size_t>(image.channels() * size_bytes(image.depth()));
  const auto row_bytes = pixel * static_cast<size_t>(image.width());
  std::byte* to = out.raw();
  for (const int row : rows)
    for (const int column : columns) {
      const std::byte* from = row < 0 || column < 0 ? constant.raw()
                                                    : image.raw() + static_cast<size_t>(row) * row_bytes +
                                                          static_cast<size_t>(column) * pixel;
      std::memcpy(to, from, pixel);
      to += pixel;
    }
  return out;
}

}  // namespace n2d2::data
