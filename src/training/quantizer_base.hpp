// What do all weight quantizers share? Bookkeeping from fields(), and sums that no number of threads changes.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <numeric>

#include "n2d2/base/nearest_whole.hpp"
#include "n2d2/training/weight_quantizer.hpp"

#include "solver_base.hpp"

namespace n2d2::training {

/// Gives a quantizer with `static constexpr const char* kType` and `fields()` its bookkeeping.
template <class Self>
class QuantizerBase : public WeightQuantizer {
 public:
  std::string_view type() const override { return Self::kType; }
  std::unique_ptr<WeightQuantizer> clone() const override { return std::make_unique<Self>(self()); }
  void read(const KeySource& keys, Diagnostics& diagnostics) override {
    read_fields(static_cast<Self&>(*this), keys, diagnostics);
  }
  std::vector<std::pair<std::string, std::string>> fields_text() const override {
    return print_fields(self());
  }

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
};

template <class Q>
void register_quantizer(QuantizerRegistry& registry) {
  registry.add(Q::kType, {[] { return std::make_unique<Q>(); }, describe_fields<Q>()});
}

/// Sums of term(i) over [0, count): each of blocks of one size, the blocks in their order.
template <size_t Sums, class Term>
std::array<double, Sums> block_sums(size_t count, const Term& term) {
  constexpr size_t kSumBlock = 4096;
  const size_t blocks = (count + kSumBlock - 1) / kSumBlock;
  std::vector<std::array<double, Sums>> parts(blocks);
  const auto sum_block = [&](size_t block) {
    std::array<double, Sums> sums{};
    const size_t end = std::min(count, (block + 1) * kSumBlock);
    for (size_t i = block * kSumBlock; i < end; ++i) {
      const std::array<double, Sums> one = term(i);
      for (size_t k = 0; k < Sums; ++k) sums[k] += one[k];
    }
    parts[block] = sums;
  };
  if (blocks <= 4)
    for (size_t block = 0; block < blocks; ++block) sum_block(block);
  else
    parallel_for(static_cast<int64_t>(blocks),
                 [&](int64_t block, int) { sum_block(static_cast<size_t>(block)); });
  std::array<double, Sums> out{};
  for (const auto& part : parts)
    for (size_t k = 0; k < Sums; ++k) out[k] += part[k];
  return out;
}

}  // namespace n2d2::training
