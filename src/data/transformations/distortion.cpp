// Moves pixels at random: an elastic field, stretching and turning around the middle.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <opencv2/imgproc.hpp>

#include "files/mat.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

/// Pixel p of the result shows the picture at m + S R (p - m) + e(p): m the middle, R a turn by up to
/// Rotation degrees, S a stretch of each axis by up to Scaling percent, e a field of uniform numbers in [-1,
/// 1), smoothed by a Gaussian and multiplied by ElasticScaling. Source: Simard, Steinkraus, Platt 2003, Best
/// practices for convolutional neural networks applied to visual document analysis, section 2.
class Distortion final : public Transformation {
 public:
  int gaussian_size = 15;
  double sigma = 6, elastic = 0, scaling = 0, rotation = 0;
  bool ignore_missing = true;

  template <class V>
  static void fields(V&& v) {
    using D = Distortion;
    v("ElasticGaussianSize", &D::gaussian_size, at_least(1), at_most(1023),
      help("side of the smoothing kernel in pixels, odd"));
    v("ElasticSigma", &D::sigma, at_least(1e-3), at_most(1e3), help("of the smoothing kernel, in pixels"));
    v("ElasticScaling", &D::elastic, at_least(0), at_most(1e4),
      help("factor of the smoothed field, in pixels"));
    v("Scaling", &D::scaling, at_least(0), at_most(99), help("largest stretch of an axis in percent"));
    v("Rotation", &D::rotation, at_least(0), at_most(180), help("largest angle in degrees"));
    v("IgnoreMissingData", &D::ignore_missing,
      help("1: what lies beyond the picture counts as 0; 0: as the nearest pixel"));
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) {
    if (gaussian_size % 2 == 0)
      report_key(keys, "ElasticGaussianSize", fmt::format("expected an odd number, got {}", gaussian_size),
                 diagnostics);
  }

  bool is_random() const override { return elastic != 0 || scaling != 0 || rotation != 0; }

  void apply(Image& image, Rng& rng) const override {
    if (!is_random()) return;
    require_depth(*this, image, {DataType::U8, DataType::U16, DataType::I16, DataType::F32});
    const double stretch_x = 1 + scaling / 100 * rng.uniform(-1, 1);
    const double stretch_y = 1 + scaling / 100 * rng.uniform(-1, 1);
    const double angle = rotation * rng.uniform(-1, 1) * std::numbers::pi / 180;
    Image out(image.width(), image.height(), image.channels(), image.depth());
    cv::Mat target = view(out);
    with_opencv(*this, image, [&] {
      cv::Mat x = field(image, rng), y = field(image, rng);
      const double middle_x = 0.5 * (image.width() - 1), middle_y = 0.5 * (image.height() - 1);
      const double c = std::cos(angle), s = std::sin(angle);
      for (int row = 0; row < image.height(); ++row)
        for (int column = 0; column < image.width(); ++column) {
          const double from_x = column - middle_x, from_y = row - middle_y;
          x.at<float>(row, column) += static_cast<float>(middle_x + stretch_x * (c * from_x - s * from_y));
          y.at<float>(row, column) += static_cast<float>(middle_y + stretch_y * (s * from_x + c * from_y));
        }
      cv::remap(view(std::as_const(image)), target, x, y, cv::INTER_LINEAR,
                ignore_missing ? cv::BORDER_CONSTANT : cv::BORDER_REPLICATE);
    });
    image = std::move(out);
  }

 private:
  /// One coordinate of e for each pixel.
  cv::Mat field(const Image& image, Rng& rng) const {
    cv::Mat out(image.height(), image.width(), CV_32F, cv::Scalar(0));
    if (elastic == 0) return out;
    for (int row = 0; row < out.rows; ++row)
      for (int column = 0; column < out.cols; ++column)
        out.at<float>(row, column) = static_cast<float>(rng.uniform(-1, 1));
    cv::GaussianBlur(out, out, {gaussian_size, gaussian_size}, sigma);
    return out * elastic;
  }
};

}  // namespace

void register_distortion(TransformationRegistry& registry);
void register_distortion(TransformationRegistry& registry) {
  registry.add(
      "DistortionTransformation",
      transformation_type<Distortion>("DistortionTransformation", "random elastic field, stretch and turn"));
}

}  // namespace n2d2::data
