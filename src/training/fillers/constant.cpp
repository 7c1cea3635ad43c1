#include "filler_base.hpp"

namespace n2d2::training {

namespace {

/// Every weight is Value.
struct ConstantFiller final : FillerBase<ConstantFiller> {
  static constexpr const char* kType = "ConstantFiller";
  double value = 0;

  template <class V>
  static void fields(V&& v) {
    v("Value", &ConstantFiller::value, required, help("of every weight"));
  }
  void fill(Tensor& weights, const FanInfo&, Rng&) const override { weights.fill(static_cast<float>(value)); }
};

}  // namespace

void register_constant(FillerRegistry& registry);
void register_constant(FillerRegistry& registry) {
  register_filler<ConstantFiller>(registry);
}

}  // namespace n2d2::training
