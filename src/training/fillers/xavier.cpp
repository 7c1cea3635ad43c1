#include <cmath>

#include "filler_base.hpp"

namespace n2d2::training {

enum class Distribution { Uniform, Normal };

}  // namespace n2d2::training

template <>
struct n2d2::EnumText<n2d2::training::Distribution> {
  static constexpr std::array names{"Uniform", "Normal"};
};

namespace n2d2::training {

namespace {

/// Scaling * uniform(-sqrt(3 / n), sqrt(3 / n)), or Scaling * normal(0, sqrt(1 / n)): variance 1 / n either
/// way. Source: Glorot & Bengio 2010, section 4.2.1.
struct XavierFiller final : FillerBase<XavierFiller> {
  static constexpr const char* kType = "XavierFiller";
  VarianceNorm variance_norm = VarianceNorm::FanIn;
  Distribution distribution = Distribution::Uniform;
  double scaling = 1;

  template <class V>
  static void fields(V&& v) {
    v("VarianceNorm", &XavierFiller::variance_norm, help("what n counts"));
    v("Distribution", &XavierFiller::distribution, help("of the weights"));
    v("Scaling", &XavierFiller::scaling, help("factor on every weight"));
  }
  void fill(Tensor& weights, const FanInfo& fan, Rng& rng) const override {
    const double n = fan_count(variance_norm, fan);
    if (distribution == Distribution::Normal) {
      const double std_dev = std::sqrt(1 / n);
      fill_each(weights, [&] { return scaling * std_dev * rng.normal(); });
    } else {
      const double bound = std::sqrt(3 / n);
      fill_each(weights, [&] { return scaling * rng.uniform(-bound, bound); });
    }
  }
};

}  // namespace

void register_xavier(FillerRegistry& registry);
void register_xavier(FillerRegistry& registry) {
  register_filler<XavierFiller>(registry);
}

}  // namespace n2d2::training
