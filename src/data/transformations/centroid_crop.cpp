// Cuts off one side of each axis so that the weight of the picture lies in the middle.
#include <algorithm>
#include <cmath>

#include "files/pixels.hpp"
#include "stimuli/border.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

class CentroidCrop final : public Transformation {
 public:
  int axis = -1;

  template <class V>
  static void fields(V&& v) {
    v("Axis", &CentroidCrop::axis, at_least(-1), at_most(1), help("0: columns, 1: rows, -1: both"));
  }

  bool sizes_by_content() const override { return true; }
  void foresee(PictureForm& form) const override {
    if (axis != 1) form.width = 0;
    if (axis != 0) form.height = 0;
  }

  /// The largest window around the pixel at the mean place, each place weighted by the sum of its channels;
  /// the picture itself where these sum up to nothing.
  void apply(Image& image, Rng&) const override {
    double sum = 0, sum_x = 0, sum_y = 0;
    const auto channels = static_cast<size_t>(image.channels()), width = static_cast<size_t>(image.width());
    with_pixels(std::as_const(image), [&](auto values) {
      for (size_t i = 0; i < values.size(); ++i) {
        const auto weight = static_cast<double>(values[i]);
        const size_t pixel = i / channels;
        sum += weight;
        sum_x += weight * static_cast<double>(pixel % width);
        sum_y += weight * static_cast<double>(pixel / width);
      }
    });
    if (sum <= 0) return;
    const auto [x, to_width] = window_around(axis != 1, sum_x / sum, image.width());
    const auto [y, to_height] = window_around(axis != 0, sum_y / sum, image.height());
    image = window(*this, image, x, y, to_width, to_height, Border{});
  }

 private:
  /// First pixel and extent.
  static std::pair<int, int> window_around(bool cuts, double centre, int size) {
    if (!cuts) return {0, size};
    const int middle = static_cast<int>(std::lround(std::clamp(centre, 0.0, static_cast<double>(size - 1))));
    const int reach = std::min(middle, size - 1 - middle);
    return {middle - reach, 2 * reach + 1};
  }
};

}  // namespace

void register_centroid_crop(TransformationRegistry& registry);
void register_centroid_crop(TransformationRegistry& registry) {
  registry.add("CentroidCropTransformation",
               transformation_type<CentroidCrop>("CentroidCropTransformation",
                                                 "cut so that the weight is in the middle"));
}

}  // namespace n2d2::data
