// What can stand around a map but zeros? One value, its mirror image, or its outermost pixels.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// Constant: Value. Reflect: the map mirrored at its outermost pixels, which are not repeated. Edge: the
/// nearest pixel.
enum class BorderMode { Constant, Reflect, Edge };

}  // namespace n2d2::ops

template <>
struct n2d2::EnumText<n2d2::ops::BorderMode> {
  static constexpr std::array names{"Constant", "Reflect", "Edge"};
};

namespace n2d2::ops {

/// Input N,C,H,W, output N,C, H + top + bottom, W + left + right. Reflect needs pads smaller than the map.
/// Zeros are a Padding. In integers of Mode=Constant input 1 is a table of one entry: the integer nearest to
/// Value. Source: ONNX Pad.
struct Border final : graph::OperatorBase<Border> {
  static constexpr const char* kType = "Border";
  BorderMode mode = BorderMode::Constant;
  double value = 0;
  int top = 0, bottom = 0, left = 0, right = 0;

  template <class V>
  static void fields(V&& v) {
    v("Mode", &Border::mode, required, help("what stands around the map"));
    v("Value", &Border::value, help("the value of Mode=Constant"));
    v("TopPadding", &Border::top, at_least(0), help("rows above"));
    v("BottomPadding", &Border::bottom, at_least(0), help("rows below"));
    v("LeftPadding", &Border::left, at_least(0), help("columns on the left"));
    v("RightPadding", &Border::right, at_least(0), help("columns on the right"));
  }

  /// The row (column) of a map of this shape that each row (column) of the output shows; -1: Value.
  std::vector<int64_t> rows(const Shape& in) const;
  std::vector<int64_t> columns(const Shape& in) const;

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
  std::string_view input_role(size_t slot) const override { return slot == 1 ? "table" : ""; }
};

/// The integer of a table of one entry.
int64_t fill_of(const Tensor& table);

}  // namespace n2d2::ops
