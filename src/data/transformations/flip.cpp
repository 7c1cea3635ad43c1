// Mirrors the picture, always or by chance.
#include <opencv2/core.hpp>

#include "files/mat.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

class Flip final : public Transformation {
 public:
  bool horizontal = false, vertical = false, random_horizontal = false, random_vertical = false;

  template <class V>
  static void fields(V&& v) {
    v("HorizontalFlip", &Flip::horizontal, help("left and right change places"));
    v("VerticalFlip", &Flip::vertical, help("top and bottom change places"));
    v("RandomHorizontalFlip", &Flip::random_horizontal, help("with probability 1/2"));
    v("RandomVerticalFlip", &Flip::random_vertical, help("with probability 1/2"));
  }

  bool is_random() const override {
    return (random_horizontal && !horizontal) || (random_vertical && !vertical);
  }

  LabelMaps label_maps() const override { return LabelMaps::Moved; }
  void move_labels(Image& labels, Rng& rng) const override { apply(labels, rng); }

  void apply(Image& image, Rng& rng) const override {
    const bool chance_x = rng.chance(0.5), chance_y = rng.chance(0.5);
    const bool x = horizontal || (random_horizontal && chance_x);
    const bool y = vertical || (random_vertical && chance_y);
    if (!x && !y) return;
    Image out(image.width(), image.height(), image.channels(), image.depth());
    cv::Mat target = view(out);
    with_opencv(*this, image, [&] { cv::flip(view(image), target, x && y ? -1 : x ? 1 : 0); });
    image = std::move(out);
  }
};

}  // namespace

void register_flip(TransformationRegistry& registry);
void register_flip(TransformationRegistry& registry) {
  registry.add("FlipTransformation",
               transformation_type<Flip>("FlipTransformation", "mirror, always or by chance"));
}

}  // namespace n2d2::data
