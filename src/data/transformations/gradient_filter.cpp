// How steep is the picture at each pixel?
#include <array>

#include <opencv2/imgproc.hpp>

#include "files/mat.hpp"
#include "stimuli/refused_keys.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

enum class GradientKind { Sobel, Scharr, Laplacian };

}  // namespace

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::GradientKind> {
  static constexpr std::array names{"Sobel", "Scharr", "Laplacian"};
};

namespace n2d2::data {

namespace {

class GradientFilter final : public Transformation {
 public:
  double scale = 1, delta = 0, threshold = 0.5, gradient_scale = 1;
  GradientKind kind = GradientKind::Sobel;
  int kernel_size = 3;
  bool apply_to_labels = false, inverted = false;
  std::vector<std::string> labels;

  template <class V>
  static void fields(V&& v) {
    using G = GradientFilter;
    v("Scale", &G::scale, help("factor of the derivatives"));
    v("Delta", &G::delta, help("added to the derivatives"));
    v("GradientFilter", &G::kind, help("how derivatives are taken"));
    v("KernelSize", &G::kernel_size, at_least(1), at_most(31), help("side of the kernel, odd; Scharr has 3"));
    v("ApplyToLabels", &G::apply_to_labels, help("only 0 is supported"));
    v("InvThreshold", &G::inverted, help("of label maps; not supported"));
    v("Threshold", &G::threshold, help("of label maps; not supported"));
    v("Label", &G::labels, help("of label maps; not supported"));
    v("GradientScale", &G::gradient_scale, help("of label maps; not supported"));
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) const {
    refuse_keys(keys,
                {{"ApplyToLabels", apply_to_labels},
                 {"InvThreshold", inverted},
                 {"Threshold", threshold != 0.5},
                 {"Label", !labels.empty()},
                 {"GradientScale", gradient_scale != 1}},
                "label maps are not changed", diagnostics);
    if (kind == GradientKind::Scharr)
      warn_without_effect(keys, {"KernelSize"}, "with GradientFilter=Scharr", diagnostics);
    else if (kernel_size % 2 == 0)
      report_key(keys, "KernelSize", fmt::format("expected an odd number, got {}", kernel_size), diagnostics);
  }

  /// Half of |dx| and half of |dy|, or |Laplacian|, of each channel, with the picture mirrored at its edges;
  /// in the depth of the picture.
  void apply(Image& image, Rng&) const override {
    require_depth(*this, image, {DataType::U8, DataType::U16, DataType::I16, DataType::F32});
    with_opencv(*this, image, [&] {
      const cv::Mat from = view(std::as_const(image));
      cv::Mat steep;
      if (kind == GradientKind::Laplacian) {
        cv::Laplacian(from, steep, CV_64F, kernel_size, scale, delta);
        steep = cv::abs(steep);
      } else {
        cv::Mat x, y;
        const int side = kind == GradientKind::Scharr ? cv::FILTER_SCHARR : kernel_size;
        cv::Sobel(from, x, CV_64F, 1, 0, side, scale, delta);
        cv::Sobel(from, y, CV_64F, 0, 1, side, scale, delta);
        steep = 0.5 * cv::abs(x) + 0.5 * cv::abs(y);
      }
      cv::Mat target = view(image);
      steep.convertTo(target, from.depth());
    });
  }
};

}  // namespace

void register_gradient_filter(TransformationRegistry& registry);
void register_gradient_filter(TransformationRegistry& registry) {
  registry.add(
      "GradientFilterTransformation",
      transformation_type<GradientFilter>("GradientFilterTransformation", "steepness at each pixel"));
}

}  // namespace n2d2::data
