// Opening and closing that leave the shape of what survives as it was.
#include <array>

#include <opencv2/imgproc.hpp>

#include "files/mat.hpp"
#include "stimuli/around_pixel.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

enum class ReconstructionOperation {
  ReconstructionByErosion,
  ReconstructionByDilation,
  OpeningByReconstruction,
  ClosingByReconstruction
};

}  // namespace

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::ReconstructionOperation> {
  static constexpr std::array names{"ReconstructionByErosion", "ReconstructionByDilation",
                                    "OpeningByReconstruction", "ClosingByReconstruction"};
};

namespace n2d2::data {

namespace {

class MorphologicalReconstruction final : public AroundPixel {
 public:
  ReconstructionOperation operation = ReconstructionOperation::OpeningByReconstruction;

  template <class V>
  static void fields(V&& v) {
    using M = MorphologicalReconstruction;
    v("Operation", &M::operation, required, help("OpeningByReconstruction or ClosingByReconstruction"));
    AroundPixel::fields(v);
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) const {
    AroundPixel::check(keys, diagnostics);
    if (operation == ReconstructionOperation::ReconstructionByErosion ||
        operation == ReconstructionOperation::ReconstructionByDilation)
      report_key(keys, "Operation",
                 fmt::format("'{}' is not supported: a second picture would say where it starts",
                             ValueText<ReconstructionOperation>::print(operation)),
                 diagnostics, "OpeningByReconstruction and ClosingByReconstruction start from the picture");
  }

  /// The eroded (dilated) picture grows (shrinks) again, below (above) the picture, until nothing changes.
  LabelMaps label_maps() const override { return LabelMaps::Unchanged; }
  void apply(Image& image, Rng&) const override {
    require_depth(*this, image, {DataType::U8, DataType::U16, DataType::I16, DataType::F32});
    const bool opens = operation == ReconstructionOperation::OpeningByReconstruction;
    with_opencv(*this, image, [&] {
      const cv::Mat element = structuring_element(shape, size);
      const cv::Mat mask = view(std::as_const(image)).clone();
      cv::Mat grown, next;
      if (opens)
        cv::erode(mask, grown, element, {-1, -1}, iterations);
      else
        cv::dilate(mask, grown, element, {-1, -1}, iterations);
      const int64_t most = int64_t{image.width()} * image.height();  // each round settles a pixel
      for (int64_t round = 0; round <= most; ++round) {
        if (opens) {
          cv::dilate(grown, next, element);
          next = cv::min(next, mask);
        } else {
          cv::erode(grown, next, element);
          next = cv::max(next, mask);
        }
        if (cv::norm(next, grown, cv::NORM_INF) == 0) break;
        cv::swap(grown, next);
      }
      cv::Mat target = view(image);
      grown.copyTo(target);
    });
  }
};

}  // namespace

void register_morphological_reconstruction(TransformationRegistry& registry);
void register_morphological_reconstruction(TransformationRegistry& registry) {
  registry.add("MorphologicalReconstructionTransformation",
               transformation_type<MorphologicalReconstruction>("MorphologicalReconstructionTransformation",
                                                                "opening and closing that keep shapes"));
}

}  // namespace n2d2::data
