// Spreads the values of each channel evenly: over the whole picture, or around each place.
#include <array>

#include <opencv2/imgproc.hpp>

#include "files/mat.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

enum class EqualizeMethod { Standard, CLAHE };

}  // namespace

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::EqualizeMethod> {
  static constexpr std::array names{"Standard", "CLAHE"};
};

namespace n2d2::data {

namespace {

class Equalize final : public Transformation {
 public:
  EqualizeMethod method = EqualizeMethod::Standard;
  double clip_limit = 40;
  int grid_size = 8;

  template <class V>
  static void fields(V&& v) {
    using E = Equalize;
    v("Method", &E::method, help("Standard: one histogram; CLAHE: of each tile, with limited contrast"));
    v("CLAHE_ClipLimit", &E::clip_limit, at_least(0), help("largest bin of a tile, in means of its bins"));
    v("CLAHE_GridSize", &E::grid_size, at_least(1), at_most(1024), help("tiles along each axis"));
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) const {
    if (method == EqualizeMethod::Standard)
      warn_without_effect(keys, {"CLAHE_ClipLimit", "CLAHE_GridSize"}, "with Method=Standard", diagnostics);
  }

  LabelMaps label_maps() const override { return LabelMaps::Unchanged; }
  void apply(Image& image, Rng&) const override {
    const bool standard = method == EqualizeMethod::Standard;
    if (standard)
      require_depth(*this, image, {DataType::U8});
    else
      require_depth(*this, image, {DataType::U8, DataType::U16});
    with_opencv(*this, image, [&] {
      const auto clahe = standard ? nullptr : cv::createCLAHE(clip_limit, {grid_size, grid_size});
      std::vector<cv::Mat> planes;
      cv::split(view(std::as_const(image)), planes);
      for (cv::Mat& plane : planes) {
        cv::Mat out;
        if (standard)
          cv::equalizeHist(plane, out);
        else
          clahe->apply(plane, out);
        plane = out;
      }
      cv::Mat target = view(image);
      cv::merge(planes, target);
    });
  }
};

}  // namespace

void register_equalize(TransformationRegistry& registry);
void register_equalize(TransformationRegistry& registry) {
  registry.add("EqualizeTransformation",
               transformation_type<Equalize>("EqualizeTransformation", "histogram equalization"));
}

}  // namespace n2d2::data
