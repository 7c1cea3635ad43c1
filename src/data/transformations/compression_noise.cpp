// What storing the picture as JPEG of a random quality leaves of it.
#include <algorithm>

#include <opencv2/imgcodecs.hpp>

#include "files/codecs.hpp"
#include "files/mat.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

class CompressionNoise final : public Transformation {
 public:
  std::vector<int> range{0, 100};

  template <class V>
  static void fields(V&& v) {
    v("CompressionRange", &CompressionNoise::range, at_least(0), at_most(100),
      help("lowest and highest JPEG quality"));
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) const {
    if (range.size() != 2 || range[0] > range[1])
      report_key(keys, "CompressionRange",
                 fmt::format("expected two integers, the smaller one first, got '{}'",
                             ValueText<std::vector<int>>::print(range)),
                 diagnostics);
  }

  bool is_random() const override { return true; }

  LabelMaps label_maps() const override { return LabelMaps::Unchanged; }
  void apply(Image& image, Rng& rng) const override {
    require_depth(*this, image, {DataType::U8});
    if (image.channels() != 1 && image.channels() != 3)
      fail(fmt::format("CompressionNoiseTransformation: expected 1 or 3 channels, got a picture of {}",
                       image.text()));
    const int quality =
        range[0] + static_cast<int>(rng.below(static_cast<uint64_t>(range[1] - range[0] + 1)));
    with_opencv(*this, image, [&] {
      std::vector<uint8_t> bytes;
      const codecs::Functions& codecs = codecs::functions();
      codecs.encode(".jpg", view(std::as_const(image)), bytes, {cv::IMWRITE_JPEG_QUALITY, quality});
      image = to_image(codecs.decode(bytes, image.channels() == 1 ? cv::IMREAD_GRAYSCALE : cv::IMREAD_COLOR));
    });
  }
};

}  // namespace

void register_compression_noise(TransformationRegistry& registry);
void register_compression_noise(TransformationRegistry& registry) {
  registry.add("CompressionNoiseTransformation",
               transformation_type<CompressionNoise>("CompressionNoiseTransformation", "traces of JPEG"));
}

}  // namespace n2d2::data
