#include <cmath>

#include "filler_base.hpp"

namespace n2d2::training {

namespace {

/// Scaling * normal(MeanNorm / n, sqrt(2 / n)). Source: He et al. 2015, equation 10.
struct HeFiller final : FillerBase<HeFiller> {
  static constexpr const char* kType = "HeFiller";
  VarianceNorm variance_norm = VarianceNorm::FanIn;
  double mean_norm = 0, scaling = 1;

  template <class V>
  static void fields(V&& v) {
    v("VarianceNorm", &HeFiller::variance_norm, help("what n counts"));
    v("MeanNorm", &HeFiller::mean_norm, help("n times the mean"));
    v("Scaling", &HeFiller::scaling, help("factor on every weight"));
  }
  void fill(Tensor& weights, const FanInfo& fan, Rng& rng) const override {
    const double n = fan_count(variance_norm, fan);
    const double mean = mean_norm / n, std_dev = std::sqrt(2 / n);
    fill_each(weights, [&] { return scaling * (mean + std_dev * rng.normal()); });
  }
};

}  // namespace

void register_he(FillerRegistry& registry);
void register_he(FillerRegistry& registry) {
  register_filler<HeFiller>(registry);
}

}  // namespace n2d2::training
