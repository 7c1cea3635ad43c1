// Reads the values of the picture, in their order, as rows of another length or pixels of other channels.
#include <algorithm>

#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

class Reshape final : public Transformation {
 public:
  int rows = 0, columns = 0, channels = 0;

  template <class V>
  static void fields(V&& v) {
    v("NbRows", &Reshape::rows, required, at_least(1), help("rows of the result"));
    v("NbCols", &Reshape::columns, at_least(0), help("columns of the result; 0: what is left"));
    v("NbChannels", &Reshape::channels, at_least(0), help("channels of the result; 0: as they are"));
  }

  void foresee(PictureForm& form) const override {
    form.height = rows;
    form.width = columns;
    if (channels > 0) form.channels = channels;
  }

  void apply(Image& image, Rng&) const override {
    const int to_channels = channels > 0 ? channels : image.channels();
    const int64_t pixel_row = int64_t{rows} * to_channels;
    const int64_t to_columns = columns > 0 ? columns : image.elements() / pixel_row;
    if (to_columns < 1 || to_columns * pixel_row != image.elements())
      fail(fmt::format("NbRows: the {} values of a picture of {} do not make {} rows of {}{} channels",
                       image.elements(), image.text(), rows,
                       columns > 0 ? fmt::format("{} columns and ", columns) : "", to_channels));
    Image out(static_cast<int>(to_columns), rows, to_channels, image.depth());
    std::copy_n(image.raw(), image.bytes(), out.raw());
    image = std::move(out);
  }
};

}  // namespace

void register_reshape(TransformationRegistry& registry);
void register_reshape(TransformationRegistry& registry) {
  registry.add("ReshapeTransformation",
               transformation_type<Reshape>("ReshapeTransformation", "same values, other rows or channels"));
}

}  // namespace n2d2::data
