// Brings the values of each picture to a common range or norm, to float.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "files/pixels.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

enum class Norm { L1, L2, Linf, MinMax };

}  // namespace

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::Norm> {
  static constexpr std::array names{"L1", "L2", "Linf", "MinMax"};
};

namespace n2d2::data {

namespace {

/// What one channel, or all of them, are made of.
struct Extent {
  double min = std::numeric_limits<double>::infinity(), max = -std::numeric_limits<double>::infinity();
  double absolute = 0, squares = 0, largest = 0;

  void add(double x) {
    min = std::min(min, x);
    max = std::max(max, x);
    absolute += std::abs(x);
    squares += x * x;
    largest = std::max(largest, std::abs(x));
  }
};

class Normalize final : public Transformation {
 public:
  Norm norm = Norm::MinMax;
  double value = 1, min = 0, max = 1;
  bool per_channel = false;

  template <class V>
  static void fields(V&& v) {
    using N = Normalize;
    v("Norm", &N::norm, help("what is made the same for all pictures"));
    v("NormValue", &N::value, help("norm of the result; of L1, L2 and Linf"));
    v("NormMin", &N::min, help("smallest value of the result; of MinMax"));
    v("NormMax", &N::max, help("largest value of the result; of MinMax"));
    v("PerChannel", &N::per_channel, help("1: each channel by itself"));
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) const {
    if (norm == Norm::MinMax) {
      warn_without_effect(keys, {"NormValue"}, "with Norm=MinMax", diagnostics);
      if (min >= max)
        report_key(keys, "NormMin", fmt::format("expected less than NormMax ({}), got {}", max, min),
                   diagnostics);
    } else {
      warn_without_effect(keys, {"NormMin", "NormMax"},
                          fmt::format("with Norm={}", ValueText<Norm>::print(norm)), diagnostics);
    }
  }

  void foresee(PictureForm& form) const override { form.depth = DataType::F32; }

  /// A picture of one value becomes NormMin, one of zeros stays so: nothing is divided by 0.
  LabelMaps label_maps() const override { return LabelMaps::Unchanged; }
  void apply(Image& image, Rng&) const override {
    std::vector<Extent> extents(per_channel ? static_cast<size_t>(image.channels()) : 1);
    each_value(image, [&](double x, size_t c) { extents[per_channel ? c : 0].add(x); });
    image = mapped(image, DataType::F32,
                   [&](double x, size_t c) { return normalized(x, extents[per_channel ? c : 0]); });
  }

 private:
  double normalized(double x, const Extent& extent) const {
    if (norm == Norm::MinMax) {
      const double range = extent.max - extent.min;
      return range == 0 ? min : min + (x - extent.min) * ((max - min) / range);
    }
    const double found = norm == Norm::L1   ? extent.absolute
                         : norm == Norm::L2 ? std::sqrt(extent.squares)
                                            : extent.largest;
    return found == 0 ? 0 : x * (value / found);
  }
};

}  // namespace

void register_normalize(TransformationRegistry& registry);
void register_normalize(TransformationRegistry& registry) {
  registry.add("NormalizeTransformation",
               transformation_type<Normalize>("NormalizeTransformation",
                                              "same range or norm for every picture, to float"));
}

}  // namespace n2d2::data
