// How does a sum become an integer? The definition of the exported kernels, for whoever runs a graph in process.
#pragma once

#include <optional>
#include <vector>

#include "n2d2/graph/integers.hpp"
#include "n2d2/tensor/quant_params.hpp"

namespace n2d2::compute {

class ShippedRounding final : public graph::Rounding {
 public:
  /// Nothing: whoever asks is no node that rescales.
  explicit ShippedRounding(const std::optional<Rescale>& rescale) : rescale_(rescale) {}
  int64_t sum(int64_t sum, int64_t channel) const override;
  int64_t inputs(std::span<const int64_t> values) const override;

 private:
  const std::optional<Rescale>& rescale_;
};

}  // namespace n2d2::compute
