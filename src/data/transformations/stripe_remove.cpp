// Takes stripes of rows or columns out of the picture; what is left moves together.
#include <algorithm>
#include <cstring>

#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

class StripeRemove final : public Transformation {
 public:
  int axis = 0, offset = 0, length = 0, iterations = 1;
  bool random_offset = false;
  /// One number, or none: Offset.
  std::vector<int> step_offset;

  template <class V>
  static void fields(V&& v) {
    using S = StripeRemove;
    v("Axis", &S::axis, required, at_least(0), at_most(1), help("0: columns are taken out, 1: rows"));
    v("Offset", &S::offset, required, at_least(0), help("where the first stripe begins"));
    v("Length", &S::length, required, at_least(1), help("columns or rows of a stripe"));
    v("RandomOffset", &S::random_offset, help("1: the first stripe begins anywhere where all fit"));
    v("NbIterations", &S::iterations, at_least(1), at_most(10000), help("stripes"));
    v("StepOffset", &S::step_offset, help("from the begin of a stripe to that of the next; Offset without"));
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) const {
    if (step_offset.size() > 1 || (step_offset.empty() && keys.find("StepOffset")))
      report_key(keys, "StepOffset", "expected one integer", diagnostics);
    else if (iterations > 1 && step() < length)
      report_key(keys, "StepOffset",
                 fmt::format("expected at least Length ({}), got {}: stripes would overlap", length, step()),
                 diagnostics);
    if (iterations == 1) warn_without_effect(keys, {"StepOffset"}, "with NbIterations=1", diagnostics);
  }

  bool is_random() const override { return random_offset; }
  void foresee(PictureForm& form) const override {
    int& side = axis == 0 ? form.width : form.height;
    if (side > 0) side = static_cast<int>(std::max<int64_t>(1, side - removed()));
  }
  LabelMaps label_maps() const override { return LabelMaps::Moved; }
  void move_labels(Image& labels, Rng& rng) const override { apply(labels, rng); }

  void apply(Image& image, Rng& rng) const override {
    const int size = axis == 0 ? image.width() : image.height();
    const int64_t all =
        int64_t{iterations - 1} * step() + length;  // from the first stripe to the end of the last
    const double draw = rng.uniform();
    const int64_t first =
        random_offset ? static_cast<int64_t>(draw * static_cast<double>(size - all + 1)) : offset;
    if (first < 0 || first + all > size || removed() >= size)
      fail(fmt::format("Length: stripes up to {} do not fit into the {} {} of a picture of {}", first + all,
                       size, axis == 0 ? "columns" : "rows", image.text()));
    const auto is_kept = [&](int at) {
      const int64_t behind = at - first;
      return behind < 0 || behind >= all || (iterations > 1 && behind % step() >= length);
    };
    const int left = size - static_cast<int>(removed());
    Image out(axis == 0 ? left : image.width(), axis == 0 ? image.height() : left, image.channels(),
              image.depth());
    const auto pixel = static_cast<size_t>(image.channels() * size_bytes(image.depth()));
    std::byte* to = out.raw();
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x) {
        if (!is_kept(axis == 0 ? x : y)) continue;
        const auto place = static_cast<size_t>(int64_t{y} * image.width() + x);
        std::memcpy(to, image.raw() + place * pixel, pixel);
        to += pixel;
      }
    image = std::move(out);
  }

 private:
  int64_t removed() const { return int64_t{iterations} * length; }
  int step() const { return step_offset.empty() ? offset : step_offset.front(); }
};

}  // namespace

void register_stripe_remove(TransformationRegistry& registry);
void register_stripe_remove(TransformationRegistry& registry) {
  registry.add("StripeRemoveTransformation",
               transformation_type<StripeRemove>("StripeRemoveTransformation", "take rows or columns out"));
}

}  // namespace n2d2::data
