#include "filler_base.hpp"

namespace n2d2::training {

namespace {

/// Normal distribution.
struct NormalFiller final : FillerBase<NormalFiller> {
  static constexpr const char* kType = "NormalFiller";
  double mean = 0, std_dev = 1;

  template <class V>
  static void fields(V&& v) {
    v("Mean", &NormalFiller::mean, help("of the distribution"));
    v("StdDev", &NormalFiller::std_dev, at_least(0), help("standard deviation"));
  }
  void fill(Tensor& weights, const FanInfo&, Rng& rng) const override {
    fill_each(weights, [&] { return mean + std_dev * rng.normal(); });
  }
};

}  // namespace

std::unique_ptr<Filler> default_filler() {
  auto filler = std::make_unique<NormalFiller>();
  filler->std_dev = 0.05;
  return filler;
}

void register_normal(FillerRegistry& registry);
void register_normal(FillerRegistry& registry) {
  register_filler<NormalFiller>(registry);
}

}  // namespace n2d2::training
