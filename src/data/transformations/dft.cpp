// The picture as a sum of waves: DFT, DCT, and the length and angle of complex numbers.
#include <cmath>

#include <opencv2/core.hpp>

#include "files/mat.hpp"
#include "files/pixels.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

void require_channels(const Transformation& step, const Image& image, int wanted, const char* hint) {
  if (image.channels() != wanted)
    step.fail(fmt::format("{}: expected {} channel{}, got a picture of {}", step.type(), wanted,
                          wanted == 1 ? "" : "s", image.text()),
              hint);
}

Image floats_of(const Image& image) {
  return mapped(image, DataType::F32, [](double x, size_t) { return x; });
}

/// Sum of x(n) exp(-2 pi i k n / N), not scaled: one channel becomes two, real and imaginary part.
class Dft final : public Transformation {
 public:
  bool two_dimensional = true;

  template <class V>
  static void fields(V&& v) {
    v("TwoDimensional", &Dft::two_dimensional, help("0: each row by itself"));
  }

  void foresee(PictureForm& form) const override {
    form.channels = 2;
    form.depth = DataType::F32;
  }

  void apply(Image& image, Rng&) const override {
    require_channels(*this, image, 1, "a ChannelExtractionTransformation before this step keeps one");
    const Image from = floats_of(image);
    Image out(image.width(), image.height(), 2, DataType::F32);
    cv::Mat target = view(out);
    with_opencv(*this, image, [&] {
      cv::dft(view(from), target, cv::DFT_COMPLEX_OUTPUT | (two_dimensional ? 0 : cv::DFT_ROWS));
    });
    image = std::move(out);
  }
};

/// The orthogonal DCT-II of each channel: c(k) sqrt(2 / N) sum of x(n) cos(pi (2 n + 1) k / (2 N)), c(0) =
/// sqrt(1/2), else 1.
class Dct final : public Transformation {
 public:
  bool two_dimensional = true;

  template <class V>
  static void fields(V&& v) {
    v("TwoDimensional", &Dct::two_dimensional, help("0: each row by itself"));
  }

  void foresee(PictureForm& form) const override { form.depth = DataType::F32; }

  void apply(Image& image, Rng&) const override {
    if (image.width() % 2 != 0 || (two_dimensional && image.height() % 2 != 0))
      fail(fmt::format("DCTTransformation: expected even sides, got a picture of {}", image.text()),
           "a PadCropTransformation before this step makes them even");
    Image out = floats_of(image);
    with_opencv(*this, image, [&] {
      std::vector<cv::Mat> planes;
      cv::split(view(std::as_const(out)), planes);
      for (cv::Mat& plane : planes) cv::dct(plane, plane, two_dimensional ? 0 : cv::DCT_ROWS);
      cv::Mat target = view(out);
      cv::merge(planes, target);
    });
    image = std::move(out);
  }
};

/// Two channels, real and imaginary part, become length and angle in (-pi, pi].
class MagnitudePhase final : public Transformation {
 public:
  bool log_scale = false;

  template <class V>
  static void fields(V&& v) {
    v("LogScale", &MagnitudePhase::log_scale, help("1: the logarithm of 1 + the length"));
  }

  void foresee(PictureForm& form) const override { form.depth = DataType::F32; }

  void apply(Image& image, Rng&) const override {
    require_channels(*this, image, 2, "a DFTTransformation before this step makes them");
    image = floats_of(image);
    const auto values = image.span<float>();
    for (size_t i = 0; i < values.size(); i += 2) {
      const double real = values[i], imaginary = values[i + 1];
      const double length = std::hypot(real, imaginary);
      values[i] = static_cast<float>(log_scale ? std::log1p(length) : length);
      values[i + 1] = static_cast<float>(std::atan2(imaginary, real));
    }
  }
};

}  // namespace

void register_dft(TransformationRegistry& registry);
void register_dft(TransformationRegistry& registry) {
  registry.add("DFTTransformation",
               transformation_type<Dft>("DFTTransformation", "Fourier transform, 1 to 2 channels"));
  registry.add("DCTTransformation", transformation_type<Dct>("DCTTransformation", "cosine transform"));
  registry.add(
      "MagnitudePhaseTransformation",
      transformation_type<MagnitudePhase>("MagnitudePhaseTransformation", "length and angle of 2 channels"));
}

}  // namespace n2d2::data
