// What is a convolution? Cross-correlation with stride, padding, dilation, groups or a connection table.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// Outputs along one axis by their windows: each of the leading and trailing ones that reach into the padding
/// is a kind of its own, all between them are one. Where none is between, all are leading ones.
struct Kinds {
  int64_t size = 1, leading = 0, trailing = 0;

  int64_t between() const { return size - leading - trailing; }
  int64_t count() const { return leading + (between() > 0 ? 1 : 0) + trailing; }
  /// Returns the kind of output i; i is counted from 0.
  int64_t of(int64_t i) const {
    if (i < leading) return i;
    return i < size - trailing ? leading : i - between() + (between() > 0 ? 1 : 0);
  }
};

/// Along both axes. The kinds of pixels are the pairs, row by row.
struct Borders {
  Kinds y, x;

  int64_t count() const { return y.count() * x.count(); }
  int64_t of(int64_t row, int64_t column) const { return y.of(row) * x.count() + x.of(column); }
};

/// Inputs: data N,C,H,W; weights O,C/groups,KH,KW; optionally biases O, or of each kind of pixel (borders())
/// a row of O, where there are several. Output N,O,OH,OW with OH = floor((H + top + bottom - ((KH - 1)
/// dilation + 1)) / stride) + 1. Bias is added once an output.
struct Conv final : graph::OperatorBase<Conv> {
  static constexpr const char* kType = "Conv";
  Dims kernel, stride{1, 1}, dilation{1, 1};
  Pads padding;
  int nb_outputs = 0, groups = 1;
  /// C x O, 1 where input channel c feeds output o; empty: all (or as the groups say). Weights of channels
  /// that are not connected are 0 and stay 0.
  std::vector<int> connections;

  template <class V>
  static void fields(V&& v) {
    v("KernelDims", &Conv::kernel, required, geometry("Kernel"), at_least(1),
      help("kernel width and height"));
    v("NbOutputs", &Conv::nb_outputs, required, at_least(1), help("feature maps"));
    v("Stride", &Conv::stride, geometry("Stride"), at_least(1), help("step along x and y"));
    v("Padding", &Conv::padding, geometry("Padding"), at_least(0), help("zeros around the input"));
    v("Dilation", &Conv::dilation, geometry("Dilation"), at_least(1), help("distance between kernel taps"));
    v("Groups", &Conv::groups, at_least(1), help("blocks of channels that do not see each other"));
    v("Connections", &Conv::connections, at_least(0), at_most(1), help("table channels x outputs"));
  }

  /// Every channel its own group (with any number of outputs a channel).
  bool is_depthwise(int64_t in_channels) const { return groups > 1 && groups == in_channels; }
  /// Whether integers outside a map of this shape are those that stand for 0, so that all outputs of a
  /// channel have one bias: a row of biases for each kind of border would be larger than the weights.
  bool pads_with_zero_point(const Shape& in) const;
  /// Returns the kinds of the output rows and output columns for an input of this shape.
  Borders borders(const Shape& in) const;
  bool is_connected(int64_t channel, int64_t output) const {
    return connections.empty() || connections[static_cast<size_t>(channel * nb_outputs + output)] != 0;
  }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  void turned(graph::TurnedNode& node) const override;
  std::string_view input_role(size_t slot) const override;
};

}  // namespace n2d2::ops
