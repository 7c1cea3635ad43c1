// Stretches a range of values over all of the depth; what lies outside becomes its ends.
#include <algorithm>
#include <limits>

#include "files/pixels.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

class RangeClipping final : public Transformation {
 public:
  /// One number, or none: that of the picture.
  std::vector<double> range_min, range_max;

  template <class V>
  static void fields(V&& v) {
    v("RangeMin", &RangeClipping::range_min,
      help("becomes the smallest value; without: least of the picture"));
    v("RangeMax", &RangeClipping::range_max, help("becomes the largest value; without: most of the picture"));
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) const {
    for (const auto& [key, values] : {std::pair{"RangeMin", &range_min}, {"RangeMax", &range_max}})
      if (values->size() > 1 || (values->empty() && keys.find(key)))
        report_key(
            keys, key,
            fmt::format("expected one number, got '{}'", ValueText<std::vector<double>>::print(*values)),
            diagnostics);
    if (range_min.size() == 1 && range_max.size() == 1 && range_min[0] >= range_max[0])
      report_key(keys, "RangeMin",
                 fmt::format("expected less than RangeMax ({}), got {}", range_max[0], range_min[0]),
                 diagnostics);
  }

  bool is_channelwise() const override { return !range_min.empty() && !range_max.empty(); }

  /// Floats go to [0, 1], integers to all of their type. A picture without any range becomes the smallest
  /// value.
  LabelMaps label_maps() const override { return LabelMaps::Unchanged; }
  std::vector<MapStep> map_steps(const PictureForm& map) const override {
    if (!is_channelwise())
      fail("RangeMin, RangeMax: a layer needs both", "without, they are those of each picture");
    const double width = range_max[0] - range_min[0];
    const auto channels = static_cast<size_t>(map.channels);
    return {AffineStep{std::vector<double>(channels, 1 / width),
                       std::vector<double>(channels, -range_min[0] / width)},
            UnitClipStep{}};
  }
  void apply(Image& image, Rng&) const override {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    if (!is_channelwise())
      each_value(image, [&](double x, size_t) {
        low = std::min(low, x);
        high = std::max(high, x);
      });
    if (!range_min.empty()) low = range_min[0];
    if (!range_max.empty()) high = range_max[0];
    double first = 0, last = 1;
    with_type(image.depth(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (!std::is_floating_point_v<T>) {
        first = static_cast<double>(std::numeric_limits<T>::min());
        last = static_cast<double>(std::numeric_limits<T>::max());
      }
    });
    image = mapped(image, image.depth(), [&](double x, size_t) {
      if (high <= low) return first;
      return first + (last - first) * std::clamp((x - low) / (high - low), 0.0, 1.0);
    });
  }
};

}  // namespace

void register_range_clipping(TransformationRegistry& registry);
void register_range_clipping(TransformationRegistry& registry) {
  registry.add("RangeClippingTransformation",
               transformation_type<RangeClipping>("RangeClippingTransformation",
                                                  "stretch a range of values, clip the rest"));
}

}  // namespace n2d2::data
