// Which activations exist? Rectifier and Saturation; Linear is no node at all unless it clips.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// x > 0 ? min(x, Clipping if > 0) : LeakSlope x. INI: ActivationFunction=Rectifier.
///
/// In integers a leak is a sum of equal taps, rounded once: kTaps of x above zero, taps_below() of them
/// below. The slope is right to 1 / (2 kTaps).
struct Relu final : graph::OperatorBase<Relu> {
  static constexpr const char* kType = "Relu";
  double leak_slope = 0, clipping = 0;

  template <class V>
  static void fields(V&& v) {
    v("LeakSlope", &Relu::leak_slope, help("slope below zero"));
    v("Clipping", &Relu::clipping, at_least(0), help("upper bound, 0: none"));
  }
  /// The clamp it is, if it does not leak.
  std::optional<Clamp> clamp() const;

  static constexpr int kTaps = 1 << 16;
  /// LeakSlope kTaps, to the nearest; for slopes that have an integer form.
  int taps_below() const;

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

/// Clamps to [-Threshold, Threshold]. INI: ActivationFunction=Saturation, and Linear with Clipping > 0.
struct Saturation final : graph::OperatorBase<Saturation> {
  static constexpr const char* kType = "Saturation";
  double threshold = 1;

  template <class V>
  static void fields(V&& v) {
    v("Threshold", &Saturation::threshold, at_least(0), help("bound of the absolute value"));
  }
  Clamp clamp() const { return {static_cast<float>(-threshold), static_cast<float>(threshold)}; }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

}  // namespace n2d2::ops
