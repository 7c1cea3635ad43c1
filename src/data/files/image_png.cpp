#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <opencv2/core.hpp>

#include "n2d2/base/error.hpp"
#include "n2d2/data/image.hpp"

#include "mat.hpp"
#include "png_file.hpp"

namespace n2d2::data {

namespace {

/// Values as bytes, those that are not finite as 0.
cv::Mat mat_of(const Image& image) {
  const cv::Mat mat = view(image);
  if (image.depth() == DataType::U8) return mat;
  cv::Mat floats, out;
  mat.convertTo(floats, CV_32F);
  float* const values = floats.ptr<float>();
  const auto count = static_cast<size_t>(image.elements());
  float least = std::numeric_limits<float>::infinity(), most = -least;
  for (size_t i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) continue;
    least = std::min(least, values[i]);
    most = std::max(most, values[i]);
  }
  const double range = least < most ? double{most} - least : 1;
  for (size_t i = 0; i < count; ++i)
    values[i] =
        std::isfinite(values[i]) ? static_cast<float>((double{values[i]} - least) / range * 255) : 0.0F;
  floats.convertTo(out, CV_8U);
  return out;
}

/// Pixels along a side of a picture that libpng writes (PNG_USER_WIDTH_MAX).
constexpr int kMostOfPng = 1000000;

/// Channels beside each other.
cv::Mat side_by_side(const cv::Mat& mat) {
  std::vector<cv::Mat> channels;
  cv::split(mat, channels);
  cv::Mat out;
  cv::hconcat(channels, out);
  return out;
}

}  // namespace

std::string png(const Image& image) {
  cv::Mat mat = mat_of(image);
  if (image.channels() != 1 && image.channels() != 3) mat = side_by_side(mat);
  std::string reason = "too large";
  if (mat.cols <= kMostOfPng && mat.rows <= kMostOfPng) {
    EncodedPicture encoded = encode_png(to_image(mat));
    if (encoded.reason.empty()) return std::move(encoded.bytes);
    reason = encoded.reason;
  }
  throw ConfigError(fmt::format("a picture of {} cannot be encoded as PNG: {}", image.text(), reason));
}

}  // namespace n2d2::data
