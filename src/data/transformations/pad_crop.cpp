// Cuts or pads each axis around the centre to a given size.
#include "stimuli/border.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

/// First side of an axis gets ceil(d / 2) of d = target - size: with an odd d the pixel more is padded left
/// or top, or cut off right or bottom.
int first_side(int d) {
  return d > 0 ? (d + 1) / 2 : -(-d / 2);
}

class PadCrop final : public Transformation {
 public:
  int width = 0, height = 0;
  bool additive = false;
  Border border;
  BorderType border_type = BorderType::MinusOneReflectBorder;
  std::vector<double> border_values;

  template <class V>
  static void fields(V&& v) {
    v("Width", &PadCrop::width, required, help("columns of the result"));
    v("Height", &PadCrop::height, required, help("rows of the result"));
    v("AdditiveWH", &PadCrop::additive, help("Width and Height are added to the size"));
    v("BorderType", &PadCrop::border_type, help("what padding holds"));
    v("BorderValue", &PadCrop::border_values, help("of ConstantBorder: one number or one per channel"));
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) {
    if (!additive && width < 1)
      report_key(keys, "Width", fmt::format("expected an integer >= 1, got '{}'", width), diagnostics);
    if (!additive && height < 1)
      report_key(keys, "Height", fmt::format("expected an integer >= 1, got '{}'", height), diagnostics);
    border = {border_type, border_values};
  }

  void foresee(PictureForm& form) const override {
    form.width = additive ? 0 : width;
    form.height = additive ? 0 : height;
  }

  LabelMaps label_maps() const override { return LabelMaps::Moved; }
  void move_labels(Image& labels, Rng&) const override { place(labels, of_labels(border)); }
  void apply(Image& image, Rng&) const override { place(image, border); }
  std::vector<MapStep> map_steps(const PictureForm& map) const override {
    const Window w =
        window_of(map.width, map.height, fmt::format("{}x{}x{}", map.width, map.height, map.channels));
    return window_steps(*this, map, w.x, w.y, w.width, w.height, border);
  }

 private:
  struct Window {
    int x, y, width, height;
  };
  Window window_of(int from_width, int from_height, const std::string& picture) const {
    const int to_width = additive ? from_width + width : width;
    const int to_height = additive ? from_height + height : height;
    if (to_width < 1 || to_height < 1)
      fail(fmt::format("AdditiveWH: a picture of {} would become {}x{}", picture, to_width, to_height));
    return {-first_side(to_width - from_width), -first_side(to_height - from_height), to_width, to_height};
  }
  void place(Image& image, const Border& around) const {
    const Window w = window_of(image.width(), image.height(), image.text());
    if (w.width == image.width() && w.height == image.height()) return;
    image = window(*this, image, w.x, w.y, w.width, w.height, around);
  }
};

}  // namespace

void register_pad_crop(TransformationRegistry& registry);
void register_pad_crop(TransformationRegistry& registry) {
  registry.add("PadCropTransformation",
               transformation_type<PadCrop>("PadCropTransformation", "cut or pad around the centre"));
}

}  // namespace n2d2::data
