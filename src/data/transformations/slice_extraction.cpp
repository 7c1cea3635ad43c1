// Cuts a window out of the picture, at a given or random place, also turned and scaled.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <opencv2/imgproc.hpp>

#include "files/mat.hpp"
#include "stimuli/border.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

class SliceExtraction final : public Transformation {
 public:
  int width = 0, height = 0, offset_x = 0, offset_y = 0;
  bool random_offset_x = false, random_offset_y = false, random_rotation = false, random_scaling = false;
  std::vector<double> rotation_range{0, 360}, scaling_range{0.8, 1.2};
  bool allow_padding = false;
  BorderType border_type = BorderType::MinusOneReflectBorder;
  std::vector<double> border_values;

  template <class V>
  static void fields(V&& v) {
    using S = SliceExtraction;
    v("Width", &S::width, required, at_least(0), help("columns of the slice; 0: all"));
    v("Height", &S::height, required, at_least(0), help("rows of the slice; 0: all"));
    v("OffsetX", &S::offset_x, help("first column"));
    v("OffsetY", &S::offset_y, help("first row"));
    v("RandomOffsetX", &S::random_offset_x, help("any first column that keeps the slice inside"));
    v("RandomOffsetY", &S::random_offset_y, help("any first row that keeps the slice inside"));
    v("RandomRotation", &S::random_rotation, help("turn around the middle of the slice"));
    v("RandomRotationRange", &S::rotation_range, help("smallest and largest angle in degrees"));
    v("RandomScaling", &S::random_scaling, help("magnify around the middle of the slice"));
    v("RandomScalingRange", &S::scaling_range, help("smallest and largest factor, > 1 magnifies"));
    v("AllowPadding", &S::allow_padding, help("the slice may reach beyond the picture"));
    v("BorderType", &S::border_type, help("what is beyond the picture"));
    v("BorderValue", &S::border_values, help("of ConstantBorder: one number or one per channel"));
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) {
    check_range(keys, "RandomRotationRange", rotation_range, -1e9, diagnostics);
    check_range(keys, "RandomScalingRange", scaling_range, 1e-3, diagnostics);
  }

  bool is_random() const override {
    return random_offset_x || random_offset_y || random_rotation || random_scaling;
  }

  void foresee(PictureForm& form) const override {
    if (width > 0) form.width = width;
    if (height > 0) form.height = height;
  }
  std::vector<MapStep> map_steps(const PictureForm& map) const override {
    const int to_width = width > 0 ? width : map.width, to_height = height > 0 ? height : map.height;
    const Image any(map.width, map.height, map.channels, DataType::F32);
    const int x = first("OffsetX", false, offset_x, 0, map.width, to_width, any);
    const int y = first("OffsetY", false, offset_y, 0, map.height, to_height, any);
    return window_steps(*this, map, x, y, to_width, to_height, {border_type, border_values});
  }
  LabelMaps label_maps() const override { return LabelMaps::Moved; }
  void move_labels(Image& labels, Rng& rng) const override {
    take(labels, rng, of_labels({border_type, border_values}), cv::INTER_NEAREST);
  }
  void apply(Image& image, Rng& rng) const override {
    if (random_rotation || random_scaling)
      require_depth(*this, image, {DataType::U8, DataType::U16, DataType::I16, DataType::F32});
    take(image, rng, {border_type, border_values}, cv::INTER_LINEAR);
  }

 private:
  void take(Image& image, Rng& rng, const Border& border, int interpolation) const {
    const int to_width = width > 0 ? width : image.width(), to_height = height > 0 ? height : image.height();
    const double draw_x = rng.uniform(), draw_y = rng.uniform(), draw_angle = rng.uniform(),
                 draw_scale = rng.uniform();
    const int x = first("OffsetX", random_offset_x, offset_x, draw_x, image.width(), to_width, image);
    const int y = first("OffsetY", random_offset_y, offset_y, draw_y, image.height(), to_height, image);
    const double degrees = random_rotation ? std::lerp(rotation_range[0], rotation_range[1], draw_angle) : 0;
    const double scale = random_scaling ? std::lerp(scaling_range[0], scaling_range[1], draw_scale) : 1;
    if (!random_rotation && !random_scaling) {
      if (x != 0 || y != 0 || to_width != image.width() || to_height != image.height())
        image = window(*this, image, x, y, to_width, to_height, border);
      return;
    }
    turn(image, x, y, to_width, to_height, degrees * std::numbers::pi / 180, scale, border, interpolation);
  }

  static void check_range(const KeySource& keys, const char* key, const std::vector<double>& range,
                          double min, Diagnostics& diagnostics) {
    if (range.size() != 2 || range[0] > range[1] || range[0] < min)
      report_key(keys, key,
                 fmt::format("expected two numbers, the smaller one first{}, got '{}'",
                             min > 0 ? fmt::format(" and >= {}", min) : "",
                             ValueText<std::vector<double>>::print(range)),
                 diagnostics);
  }

  /// First pixel of the slice on one axis.
  int first(const char* key, bool random, int offset, double draw, int size, int slice,
            const Image& image) const {
    const int room = size - slice;
    if (room < 0 && !allow_padding)
      fail(
          fmt::format("{}: a slice of {} pixels does not fit into a picture of {}", key, slice, image.text()),
          "AllowPadding=1 pads the picture");
    if (random) return std::min(room, 0) + static_cast<int>(draw * (std::abs(room) + 1));
    if (!allow_padding && (offset < 0 || offset > room))
      fail(fmt::format("{}: expected 0 to {} for a slice of {} pixels in a picture of {}, got {}", key, room,
                       slice, image.text(), offset),
           "AllowPadding=1 pads the picture");
    return offset;
  }

  /// Pixel p of the slice shows the picture at centre + R(angle) (p - slice centre) / scale; corners that
  /// come from outside the picture hold the border.
  void turn(Image& image, int x, int y, int to_width, int to_height, double angle, double scale,
            const Border& border, int interpolation) const {
    const double middle_x = 0.5 * (to_width - 1), middle_y = 0.5 * (to_height - 1);
    const double c = std::cos(angle) / scale, s = std::sin(angle) / scale;
    const cv::Matx23d map(c, -s, x + middle_x - c * middle_x + s * middle_y,  //
                          s, c, y + middle_y - s * middle_x - c * middle_y);
    const std::vector<double> value = border_value(*this, image, border);
    cv::Scalar constant;
    for (size_t i = 0; i < value.size() && i < 4; ++i) constant[static_cast<int>(i)] = value[i];
    Image out(to_width, to_height, image.channels(), image.depth());
    cv::Mat target = view(out);
    with_opencv(*this, image, [&] {
      cv::warpAffine(view(image), target, map, target.size(), interpolation | cv::WARP_INVERSE_MAP,
                     cv_border(border.type), constant);
    });
    image = std::move(out);
  }
};

}  // namespace

void register_slice_extraction(TransformationRegistry& registry);
void register_slice_extraction(TransformationRegistry& registry) {
  registry.add(
      "SliceExtractionTransformation",
      transformation_type<SliceExtraction>("SliceExtractionTransformation", "cut a window, also random"));
}

}  // namespace n2d2::data
