// What do all fillers share? Bookkeeping from fields(), a loop, and the fan of He and Xavier.
#pragma once

#include <array>
#include <concepts>
#include <utility>

#include "n2d2/training/filler.hpp"

namespace n2d2::training {

/// Gives a filler with `static constexpr const char* kType` and `fields()` its bookkeeping.
template <class Self>
class FillerBase : public Filler {
 public:
  std::string_view type() const override { return Self::kType; }
  std::unique_ptr<Filler> clone() const override { return std::make_unique<Self>(self()); }
  void read(const KeySource& keys, Diagnostics& diagnostics) override {
    read_fields(static_cast<Self&>(*this), keys, diagnostics);
    if constexpr (requires { self().check(keys, diagnostics); }) self().check(keys, diagnostics);
  }
  std::vector<std::pair<std::string, std::string>> fields_text() const override {
    return print_fields(self());
  }

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
};

template <class F>
void register_filler(FillerRegistry& registry) {
  registry.add(F::kType, {[] { return std::make_unique<F>(); }, describe_fields<F>()});
}

/// Writes draw() to each element in memory order.
template <std::invocable Draw>
void fill_each(Tensor& weights, Draw&& draw) {
  for (float& w : weights.span()) w = static_cast<float>(draw());
}

enum class VarianceNorm { FanIn, Average, FanOut };

/// The n by which fillers scale: fan-in, fan-out or their average.
inline double fan_count(VarianceNorm norm, const FanInfo& fan) {
  const std::array counts{fan.fan_in, (fan.fan_in + fan.fan_out) / 2, fan.fan_out};
  return counts[static_cast<size_t>(norm)];
}

}  // namespace n2d2::training

template <>
struct n2d2::EnumText<n2d2::training::VarianceNorm> {
  static constexpr std::array names{"FanIn", "Average", "FanOut"};
};
