// What do integer forms of several operators share?
#pragma once

#include "n2d2/graph/integer_form.hpp"
#include "n2d2/graph/integers.hpp"

namespace n2d2::ops {

/// Returns the integer form of an operator that a pass removes before quantization: none, with the reason and
/// a hint.
inline graph::IntegerForm not_removed() {
  return graph::no_integers("it has no integer form and was not removed before quantization",
                            "the float pipeline of an export removes it");
}

/// Integer weights, I8 or I16.
inline std::vector<int64_t> widened(const Tensor& weights) {
  if (weights.dtype() == DataType::I8) return {weights.span<int8_t>().begin(), weights.span<int8_t>().end()};
  return {weights.span<int16_t>().begin(), weights.span<int16_t>().end()};
}

/// Rounds sums, one for each element of the output.
inline void round_channels(const graph::IntegerArgs& args, std::span<const int64_t> sums) {
  graph::Integers& out = *args.out[0];
  const int64_t pixels = out.shape.h() * out.shape.w();
  for (size_t i = 0; i < sums.size(); ++i)
    out.values[i] = args.rounding.sum(sums[i], static_cast<int64_t>(i) / pixels);
}

/// Rounds each value of input 0 by itself.
inline void round_each(const graph::IntegerArgs& args) {
  round_channels(args, args.in[0]->values);
}

}  // namespace n2d2::ops
