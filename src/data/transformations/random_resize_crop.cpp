// Cuts a window of random area and shape at a random place, and brings it to one size.
#include <algorithm>
#include <cmath>

#include <opencv2/imgproc.hpp>

#include "files/mat.hpp"
#include "stimuli/border.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

class RandomResizeCrop final : public Transformation {
 public:
  int width = 0, height = 0;
  double scale_min = 1, scale_max = 1, ratio_min = 1, ratio_max = 1;

  template <class V>
  static void fields(V&& v) {
    using R = RandomResizeCrop;
    v("Width", &R::width, required, at_least(1), help("columns of the result"));
    v("Height", &R::height, required, at_least(1), help("rows of the result"));
    v("ScaleMin", &R::scale_min, at_least(1e-6), at_most(1), help("smallest part of the picture's area"));
    v("ScaleMax", &R::scale_max, at_least(1e-6), at_most(1), help("largest part of the picture's area"));
    v("RatioMin", &R::ratio_min, at_least(1e-3), at_most(1e3), help("smallest width / height of the window"));
    v("RatioMax", &R::ratio_max, at_least(1e-3), at_most(1e3), help("largest width / height of the window"));
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) {
    check_order(keys, "ScaleMin", scale_min, "ScaleMax", scale_max, diagnostics);
    check_order(keys, "RatioMin", ratio_min, "RatioMax", ratio_max, diagnostics);
  }

  bool is_random() const override { return true; }
  void foresee(PictureForm& form) const override {
    form.width = width;
    form.height = height;
  }

  void apply(Image& image, Rng& rng) const override {
    require_depth(*this, image, {DataType::U8, DataType::U16, DataType::I16, DataType::F32});
    const cv::Rect window = draw(image, rng);
    Image out(width, height, image.channels(), image.depth());
    cv::Mat target = view(out);
    with_opencv(*this, image, [&] {
      cv::resize(view(std::as_const(image))(window), target, target.size(), 0, 0, cv::INTER_LINEAR);
    });
    image = std::move(out);
  }

 private:
  static void check_order(const KeySource& keys, const char* low_key, double low, const char* high_key,
                          double high, Diagnostics& diagnostics) {
    if (low > high)
      report_key(keys, low_key, fmt::format("expected at most {} ({}), got {}", high_key, high, low),
                 diagnostics);
  }

  /// Area uniform, ratio uniform in its logarithm, place uniform; ten tries to find a window that lies
  /// inside, else the largest one in the middle whose ratio is allowed. Source: Szegedy et al. 2015, Going
  /// deeper with convolutions, 6.
  cv::Rect draw(const Image& image, Rng& rng) const {
    const double area = static_cast<double>(image.width()) * image.height();
    for (int i = 0; i < 10; ++i) {
      const double part = area * rng.uniform(scale_min, scale_max);
      const double ratio = std::exp(rng.uniform(std::log(ratio_min), std::log(ratio_max)));
      const double draw_x = rng.uniform(), draw_y = rng.uniform();
      const int w = std::max(1, static_cast<int>(std::lround(std::sqrt(part * ratio))));
      const int h = std::max(1, static_cast<int>(std::lround(std::sqrt(part / ratio))));
      const int room_x = image.width() - w, room_y = image.height() - h;
      if (room_x >= 0 && room_y >= 0)
        return {static_cast<int>(draw_x * (room_x + 1)), static_cast<int>(draw_y * (room_y + 1)), w, h};
    }
    const double own = static_cast<double>(image.width()) / image.height();
    const double ratio = std::clamp(own, ratio_min, ratio_max);
    int w = image.width(), h = image.height();
    if (own > ratio)
      w = std::clamp(static_cast<int>(std::lround(h * ratio)), 1, w);
    else
      h = std::clamp(static_cast<int>(std::lround(w / ratio)), 1, h);
    return {(image.width() - w) / 2, (image.height() - h) / 2, w, h};
  }
};

}  // namespace

void register_random_resize_crop(TransformationRegistry& registry);
void register_random_resize_crop(TransformationRegistry& registry) {
  registry.add("RandomResizeCropTransformation",
               transformation_type<RandomResizeCrop>("RandomResizeCropTransformation",
                                                     "cut a window of random area and shape, resize it"));
}

}  // namespace n2d2::data
