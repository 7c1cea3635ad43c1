#include "filler_base.hpp"

namespace n2d2::training {

namespace {

/// Uniform in [Min, Max).
struct UniformFiller final : FillerBase<UniformFiller> {
  static constexpr const char* kType = "UniformFiller";
  double min = 0, max = 1;

  template <class V>
  static void fields(V&& v) {
    v("Min", &UniformFiller::min, help("lower end"));
    v("Max", &UniformFiller::max, help("upper end"));
  }
  void check(const KeySource& keys, Diagnostics& diagnostics) const {
    if (min <= max) return;
    const auto key = keys.find("Max") ? keys.find("Max") : keys.find("Min");
    diagnostics.error(key ? key->where : keys.where(),
                      fmt::format("{} Max: expected a number >= Min = {}, got '{}'", keys.subject(),
                                  print_real(min), print_real(max)));
  }
  void fill(Tensor& weights, const FanInfo&, Rng& rng) const override {
    fill_each(weights, [&] { return rng.uniform(min, max); });
  }
};

}  // namespace

void register_uniform(FillerRegistry& registry);
void register_uniform(FillerRegistry& registry) {
  register_filler<UniformFiller>(registry);
}

}  // namespace n2d2::training
