#include "integer_rounding.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/base/error.hpp"

namespace n2d2::compute {

namespace {

template <class Factor>
Factor entry(const std::vector<Factor>& list, int64_t channel) {
  return list.size() == 1 ? list[0] : list.at(static_cast<size_t>(channel));
}

/// One product of two float32 values is exact in double; it is rounded to float32 once.
int64_t nearest(int64_t sum, float factor, const Rescale& rescale) {
  const auto x = static_cast<double>(static_cast<float>(sum));
  const auto product = static_cast<double>(static_cast<float>(x * static_cast<double>(factor)));
  const double inside = std::clamp(product, static_cast<double>(rescale.lo), static_cast<double>(rescale.hi));
  const double below = std::floor(inside), rest = inside - below;
  const auto whole = static_cast<int64_t>(below);
  if (rest == 0.5) return whole % 2 == 0 ? whole : whole + 1;
  return rest > 0.5 ? whole + 1 : whole;
}

int64_t shifted(int64_t products, const Rescale& rescale) {
  const int64_t unit = int64_t{1} << rescale.shift;
  const int64_t rounded = products + unit / 2;
  const int64_t quotient = rounded / unit - (rounded % unit < 0 ? 1 : 0);
  return std::clamp<int64_t>(quotient, rescale.lo, rescale.hi);
}

}  // namespace

int64_t DefinedRounding::sum(int64_t sum, int64_t channel) const {
  N2D2_CHECK(rescale_.has_value(), "a layer without rescaling has a sum");
  sum += rescale_->start;
  if (rescale_->multiplier.empty()) return nearest(sum, entry(rescale_->factor, channel), *rescale_);
  return shifted(sum * entry(rescale_->multiplier, channel), *rescale_);
}

int64_t DefinedRounding::inputs(std::span<const int64_t> values) const {
  N2D2_CHECK(rescale_.has_value() && rescale_->multiplier.size() == values.size(),
             "{} inputs without a multiplier each", values.size());
  int64_t products = rescale_->start;
  for (size_t i = 0; i < values.size(); ++i) products += values[i] * rescale_->multiplier[i];
  return shifted(products, *rescale_);
}

}  // namespace n2d2::compute
