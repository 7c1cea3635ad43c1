// Compares each value with a threshold, a given one or the one that parts the picture best.
#include <algorithm>
#include <array>

#include <opencv2/imgproc.hpp>

#include "files/mat.hpp"
#include "files/pixels.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

enum class ThresholdOperation { Binary, BinaryInverted, Truncate, ToZero, ToZeroInverted };

}  // namespace

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::ThresholdOperation> {
  static constexpr std::array names{"Binary", "BinaryInverted", "Truncate", "ToZero", "ToZeroInverted"};
};

namespace n2d2::data {

namespace {

class Threshold final : public Transformation {
 public:
  double threshold = 0, max_value = 1;
  bool otsu = false;
  ThresholdOperation operation = ThresholdOperation::Binary;

  template <class V>
  static void fields(V&& v) {
    using T = Threshold;
    v("Threshold", &T::threshold, required, help("in values of the picture (of bytes 0 to 255)"));
    v("OtsuMethod", &T::otsu, help("1: the threshold that parts each channel best instead, of bytes"));
    v("Operation", &T::operation, help("what becomes of values above the threshold and of the others"));
    v("MaxValue", &T::max_value, help("value for yes, of Binary and BinaryInverted"));
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) const {
    if (operation != ThresholdOperation::Binary && operation != ThresholdOperation::BinaryInverted)
      warn_without_effect(keys, {"MaxValue"},
                          fmt::format("with Operation={}", ValueText<ThresholdOperation>::print(operation)),
                          diagnostics);
  }

  bool is_channelwise() const override { return !otsu; }

  LabelMaps label_maps() const override { return LabelMaps::Unchanged; }
  std::vector<MapStep> map_steps(const PictureForm&) const override {
    if (otsu) fail("OtsuMethod: 1 has no form as a layer, which has one threshold for all samples");
    return {ThresholdStep{ValueText<ThresholdOperation>::print(operation), threshold, max_value}};
  }
  void apply(Image& image, Rng&) const override {
    std::vector<double> limits(static_cast<size_t>(image.channels()), threshold);
    if (otsu) {
      require_depth(*this, image, {DataType::U8});
      with_opencv(*this, image, [&] {
        std::vector<cv::Mat> planes;
        cv::split(view(std::as_const(image)), planes);
        cv::Mat unused;
        for (size_t c = 0; c < planes.size(); ++c)
          limits[c] = cv::threshold(planes[c], unused, 0, 255, cv::THRESH_BINARY | cv::THRESH_OTSU);
      });
    }
    image = mapped(image, image.depth(), [&](double x, size_t c) { return value(x, limits[c]); });
  }

 private:
  double value(double x, double limit) const {
    const bool above = x > limit;
    switch (operation) {
      case ThresholdOperation::Binary:
        return above ? max_value : 0;
      case ThresholdOperation::BinaryInverted:
        return above ? 0 : max_value;
      case ThresholdOperation::Truncate:
        return std::min(x, limit);
      case ThresholdOperation::ToZero:
        return above ? x : 0;
      case ThresholdOperation::ToZeroInverted:
        break;
    }
    return above ? 0 : x;
  }
};

}  // namespace

void register_threshold(TransformationRegistry& registry);
void register_threshold(TransformationRegistry& registry) {
  registry.add("ThresholdTransformation",
               transformation_type<Threshold>("ThresholdTransformation", "compare values with a threshold"));
}

}  // namespace n2d2::data
