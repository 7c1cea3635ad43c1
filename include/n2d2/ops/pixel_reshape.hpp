// What is a reshape of an N,H,W,C map? The same values in the same order (y, x, channel) under other extents.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// The bytes of an export's map stay where they are, whatever the extents are. A network gets it from a
/// Transpose and a Reshape that together move no byte (pass elide_transpose).
struct PixelReshape final : graph::OperatorBase<PixelReshape> {
  static constexpr const char* kType = "PixelReshape";
  int width = 1, height = 1, channels = 1;

  template <class V>
  static void fields(V&& v) {
    v("Width", &PixelReshape::width, required, at_least(1), help("width of the output"));
    v("Height", &PixelReshape::height, required, at_least(1), help("height of the output"));
    v("Channels", &PixelReshape::channels, required, at_least(1), help("channels of the output"));
  }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

/// The PixelReshape to a map of these extents.
std::unique_ptr<PixelReshape> pixel_reshape_to(const Shape& shape);

}  // namespace n2d2::ops
