// Leaves a few levels of each channel.
#include <array>
#include <cmath>

#include "files/pixels.hpp"
#include "stimuli/refused_keys.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

enum class TrimMethod { Discretize, Reduce };

}  // namespace

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::TrimMethod> {
  static constexpr std::array names{"Discretize", "Reduce"};
};

namespace n2d2::data {

namespace {

class Trim final : public Transformation {
 public:
  int levels = 0;
  TrimMethod method = TrimMethod::Discretize;

  template <class V>
  static void fields(V&& v) {
    v("NbLevels", &Trim::levels, required, at_least(2),
      help("from black to white, equally far from each other"));
    v("Method", &Trim::method, help("only Discretize is supported: the nearest level"));
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) const {
    refuse_keys(keys, {{"Method", method != TrimMethod::Discretize}},
                "levels are equally far from each other", diagnostics);
  }

  bool is_channelwise() const override { return true; }

  /// Levels lie between 0 and the largest integer of the depth, or 1.
  void apply(Image& image, Rng&) const override {
    const double step = full_scale(image.depth()) / (levels - 1);
    image = mapped(image, image.depth(), [&](double x, size_t) { return std::round(x / step) * step; });
  }
};

}  // namespace

void register_trim(TransformationRegistry& registry);
void register_trim(TransformationRegistry& registry) {
  registry.add("TrimTransformation",
               transformation_type<Trim>("TrimTransformation", "a few levels of each channel"));
}

}  // namespace n2d2::data
