// What is a transposed convolution? What a convolution of the same fields does to a gradient of its output.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// Inputs: data N,C,H,W; weights O,C/groups,KH,KW with O = NbOutputs; optionally biases O. Each input element
/// adds its kernel to the output, Stride apart. Output N,O,OH,OW with OH = stride (H - 1) + (KH - 1) dilation
/// + 1 - top - bottom + rows of OutputPadding.
/// Source: ONNX ConvTranspose for groups, unequal pads and OutputPadding.
struct Deconv final : graph::OperatorBase<Deconv> {
  static constexpr const char* kType = "Deconv";
  Dims kernel, stride{1, 1}, dilation{1, 1}, output_padding{0, 0};
  Pads padding;
  int nb_outputs = 0, groups = 1;
  /// C x O as of a Conv.
  std::vector<int> connections;

  template <class V>
  static void fields(V&& v) {
    v("KernelDims", &Deconv::kernel, required, geometry("Kernel"), at_least(1),
      help("kernel width and height"));
    v("NbOutputs", &Deconv::nb_outputs, required, at_least(1), help("feature maps"));
    v("Stride", &Deconv::stride, geometry("Stride"), at_least(1), help("step along x and y in the output"));
    v("Padding", &Deconv::padding, geometry("Padding"), at_least(0), help("border cut off the output"));
    v("Dilation", &Deconv::dilation, geometry("Dilation"), at_least(1), help("distance between kernel taps"));
    v("OutputPadding", &Deconv::output_padding, at_least(0), help("columns and rows added behind"));
    v("Groups", &Deconv::groups, at_least(1), help("blocks of channels that do not see each other"));
    v("Connections", &Deconv::connections, at_least(0), at_most(1), help("table channels x outputs"));
  }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  void turned(graph::TurnedNode& node) const override;
  std::string_view input_role(size_t slot) const override;
};

}  // namespace n2d2::ops
