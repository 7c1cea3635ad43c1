// What is a normalization? Each position's channels as a vector of length 1.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

enum class Norm { L1, L2 };

}  // namespace n2d2::ops

template <>
struct n2d2::EnumText<n2d2::ops::Norm> {
  static constexpr std::array names{"L1", "L2"};
};

namespace n2d2::ops {

/// Input and output N,C,H,W: y_c = x_c / sqrt(sum of x^2 over the channels of the position + kEpsilon).
/// Norm=L1 is a ModelError, as in the reference, which has no L1 either.
struct Normalize final : graph::OperatorBase<Normalize> {
  static constexpr const char* kType = "Normalize";
  static constexpr double kEpsilon = 1e-6;
  Norm norm = Norm::L2;

  template <class V>
  static void fields(V&& v) {
    v("Norm", &Normalize::norm, required, help("how the length of a vector is measured; only L2"));
  }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

/// Makes unit vectors: y = x / sqrt(sum of x^2 + Normalize::kEpsilon), element i at i * step. x and y may be
/// the same.
void normalize_vector(const float* x, int64_t size, int64_t step, float* y);
/// The gradient of that with respect to x: (d_y - u (u d_y)) / length, with u = x / length.
void normalize_backward(const float* x, const float* d_y, int64_t size, int64_t step, float* d_x);

}  // namespace n2d2::ops
