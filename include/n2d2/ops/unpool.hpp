// What is unpooling? A map made larger again: each value goes back to where a pool found the largest of its
// window.
#pragma once

#include "n2d2/ops/pool.hpp"

namespace n2d2::ops {

/// Inputs: data N,C,H,W and the map N,C,PH,PW that the Pool of the same window read, whose output has the
/// size of the data.
/// Output N,C,OH,OW with OH = stride H + KH - 2 padding - stride, at most PH. Max: each value is added where
/// the maximum of its window is, zeros elsewhere. Average: a KH KW th of it is added at every tap of its
/// window. The second input has no gradient.
struct Unpool final : graph::OperatorBase<Unpool> {
  static constexpr const char* kType = "Unpool";
  Dims kernel, stride{1, 1};
  Pads padding;
  Pooling pooling = Pooling::Max;

  template <class V>
  static void fields(V&& v) {
    v("PoolDims", &Unpool::kernel, required, geometry("Pool"), at_least(1), help("window width and height"));
    v("Stride", &Unpool::stride, geometry("Stride"), at_least(1), help("step along x and y"));
    v("Padding", &Unpool::padding, geometry("Padding"), at_least(0), help("border around the larger map"));
    v("Pooling", &Unpool::pooling, required, help("what was taken of a window"));
  }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void turned(graph::TurnedNode& node) const override;
};

}  // namespace n2d2::ops
