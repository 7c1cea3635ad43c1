// The least or largest value around each pixel, and what is made of these.
#include <array>

#include <opencv2/imgproc.hpp>

#include "files/mat.hpp"
#include "stimuli/around_pixel.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

enum class MorphologyOperation { Erode, Dilate, Opening, Closing, Gradient, TopHat, BlackHat };

}  // namespace

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::MorphologyOperation> {
  static constexpr std::array names{"Erode",    "Dilate", "Opening", "Closing",
                                    "Gradient", "TopHat", "BlackHat"};
};

namespace n2d2::data {

namespace {

/// By MorphologyOperation.
constexpr std::array<int, 7> kOperations{cv::MORPH_ERODE,   cv::MORPH_DILATE,   cv::MORPH_OPEN,
                                         cv::MORPH_CLOSE,   cv::MORPH_GRADIENT, cv::MORPH_TOPHAT,
                                         cv::MORPH_BLACKHAT};

class Morphology final : public AroundPixel {
 public:
  MorphologyOperation operation = MorphologyOperation::Erode;

  template <class V>
  static void fields(V&& v) {
    using M = Morphology;
    v("Operation", &M::operation, required, help("of the least and largest values around a pixel"));
    AroundPixel::fields(v);
  }

  void apply(Image& image, Rng&) const override {
    require_depth(*this, image, {DataType::U8, DataType::U16, DataType::I16, DataType::F32});
    Image out(image.width(), image.height(), image.channels(), image.depth());
    cv::Mat target = view(out);
    with_opencv(*this, image, [&] {
      cv::morphologyEx(view(std::as_const(image)), target, kOperations[static_cast<size_t>(operation)],
                       structuring_element(shape, size), {-1, -1}, iterations);
    });
    image = std::move(out);
  }
};

}  // namespace

void register_morphology(TransformationRegistry& registry);
void register_morphology(TransformationRegistry& registry) {
  registry.add(
      "MorphologyTransformation",
      transformation_type<Morphology>("MorphologyTransformation", "erosion, dilation and what follows"));
}

}  // namespace n2d2::data
