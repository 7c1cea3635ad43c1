#include "integer_rounding.hpp"

#include "n2d2/base/error.hpp"

// The portable form is the definition; every other one gives its bytes.
#define N2D2_EXPORT_NAMESPACE n2d2_integer_rounding
#define N2D2_PORTABLE
#include "../../export/CPP/kernels/rescale.hpp"

namespace n2d2::compute {

namespace {

/// What rescale.hpp reads of a config.
struct Config {
  int lo, hi, shift;
};

Config config_of(const Rescale& rescale) {
  return {static_cast<int>(rescale.lo), static_cast<int>(rescale.hi), rescale.shift};
}

template <class Factor>
Factor entry(const std::vector<Factor>& list, int64_t channel) {
  return list.size() == 1 ? list[0] : list.at(static_cast<size_t>(channel));
}

}  // namespace

int64_t ShippedRounding::sum(int64_t sum, int64_t channel) const {
  N2D2_CHECK(rescale_.has_value(), "a layer without rescaling has a sum");
  const Config c = config_of(*rescale_);
  if (rescale_->multiplier.empty())
    return n2d2_integer_rounding::rescale<int32_t>(c, sum, entry(rescale_->factor, channel));
  return n2d2_integer_rounding::rescale<int32_t>(c, sum, entry(rescale_->multiplier, channel));
}

int64_t ShippedRounding::inputs(std::span<const int64_t> values) const {
  N2D2_CHECK(rescale_.has_value() && rescale_->multiplier.size() == values.size(),
             "{} inputs without a multiplier each", values.size());
  int64_t sum = 0;
  for (size_t i = 0; i < values.size(); ++i) sum += values[i] * rescale_->multiplier[i];
  return n2d2_integer_rounding::shift_round<int32_t>(config_of(*rescale_), sum);
}

}  // namespace n2d2::compute
