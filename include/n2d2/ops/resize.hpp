// What is a Resize? A map of another width and height, from the nearest pixels or from the line between two.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// Bilinear is another name of BilinearTF; no Resize that was read has it.
enum class ResizeMode { NearestNeighbor, BilinearTF, Bilinear };

/// Where pixel o of an axis of `out` lies on one of `in`, with scale = out / in unless it is given:
/// o / scale; o (in - 1) / (out - 1); (o + 0.5) / scale - 0.5; the same, but 0 when out is 1; (o + 0.5) /
/// scale.
enum class ResizePositions { Asymmetric, AlignCorners, HalfPixel, PytorchHalfPixel, TfHalfPixel };

/// Which pixel is the nearest to a position between two.
enum class ResizeRounding { Floor, Ceil, RoundPreferFloor, RoundPreferCeil };

}  // namespace n2d2::ops

template <>
struct n2d2::EnumText<n2d2::ops::ResizeMode> {
  static constexpr std::array names{"NearestNeighbor", "BilinearTF", "Bilinear"};
};
template <>
struct n2d2::EnumText<n2d2::ops::ResizePositions> {
  static constexpr std::array names{"Asymmetric", "AlignCorners", "HalfPixel", "PytorchHalfPixel",
                                    "TfHalfPixel"};
};
template <>
struct n2d2::EnumText<n2d2::ops::ResizeRounding> {
  static constexpr std::array names{"Floor", "Ceil", "RoundPreferFloor", "RoundPreferCeil"};
};

namespace n2d2::ops {

/// (1 - weight) in[first] + weight in[second] of one axis.
struct ResizeSource {
  int64_t first = 0, second = 0;
  double weight = 0;
};

/// Output N,C,OutputHeight,OutputWidth. Positions outside the map take its border. Source: ONNX Resize for
/// the positions and roundings.
///
/// In integers the two weights of an axis are kOne in sum, and the four products of a pixel are added before
/// they are rescaled; the nearest pixel is moved as it is.
struct Resize final : graph::OperatorBase<Resize> {
  static constexpr const char* kType = "Resize";
  int output_width = 0, output_height = 0;
  ResizeMode mode = ResizeMode::NearestNeighbor;
  ResizePositions positions = ResizePositions::Asymmetric;
  ResizeRounding rounding = ResizeRounding::Floor;
  /// The scales of an ONNX file need not be out / in; positions are computed in float32 as they are given. 0:
  /// out / in.
  double scale_x = 0, scale_y = 0;
  static constexpr int64_t kOne = 1024;

  template <class V>
  static void fields(V&& v) {
    v("OutputWidth", &Resize::output_width, required, at_least(1), help("width of the result"));
    v("OutputHeight", &Resize::output_height, required, at_least(1), help("height of the result"));
    v("Mode", &Resize::mode, required, help("the nearest pixel, or linear between two on each axis"));
    v("Positions", &Resize::positions, help("where output pixels lie on the input"));
    v("Rounding", &Resize::rounding, help("which pixel is the nearest"));
    v("ScaleX", &Resize::scale_x, at_least(0), help("columns an input column, 0: output / input"));
    v("ScaleY", &Resize::scale_y, at_least(0), help("rows an input row, 0: output / input"));
  }

  void read(const KeySource& section, const KeySource& config, Diagnostics& diagnostics) override {
    OperatorBase::read(section, config, diagnostics);
    if (mode == ResizeMode::Bilinear) mode = ResizeMode::BilinearTF;
  }
  /// Returns the source of each output row (or of each output column) for an input of shape `in`.
  std::vector<ResizeSource> rows(const Shape& in) const;
  std::vector<ResizeSource> columns(const Shape& in) const;
  /// The weight of `second` in integers, 0 to kOne.
  static int64_t part_of(const ResizeSource& source);

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

}  // namespace n2d2::ops
