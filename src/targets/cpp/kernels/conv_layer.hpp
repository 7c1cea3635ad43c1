// What do the kernels of a convolution share beside their config?
#pragma once

#include <cstring>

#include "n2d2/ops/conv.hpp"

#include "conv_config.hpp"
#include "layer.hpp"

namespace n2d2::targets::cpp {

/// Forms of a conv2d.
inline std::vector<program::Form> conv_forms() {
  return {{"matrix", "as packed, with instructions for matrices where the machine has them", true},
          {"packed", "weights of 16 outputs beside each other, tiles of several pixels", true, true},
          {"dot", "weights in the order of windows, a few outputs at a time"}};
}

/// Why a kernel whose padding is zero does not compute the layer; "": it does.
inline std::string refuses_padding(const graph::Graph& graph, const graph::Node& node) {
  const int value = pad_value(graph, node);
  return value == 0 ? "" : fmt::format("its padding has the value {}", value);
}

/// What a convolution reads and writes, and its windows.
template <class Bound>
void set_windows(ConvConfig<Bound>& c, const Site& site) {
  const auto& conv = *graph::as<ops::Conv>(site.node());
  set_planes(c, site);
  const Dims kernel = site.oriented(conv.kernel), stride = site.oriented(conv.stride),
             dilation = site.oriented(conv.dilation);
  c.kernel_w = kernel.x, c.kernel_h = kernel.y;
  c.stride_x = stride.x, c.stride_y = stride.y;
  c.dilation_x = dilation.x, c.dilation_y = dilation.y;
  c.pad_x = site.before_x(conv.padding), c.pad_y = site.before_y(conv.padding);
  c.groups = conv.groups;
}

/// The config of a convolution; its constants are those of ConvLayer.
template <class Bound>
ConvConfig<Bound> conv_config(const Site& site) {
  ConvConfig<Bound> c;
  set_windows<Bound>(c, site);
  set_rescale<Bound>(c, site, &site.constant(2));
  c.parallel = site.call.parallel ? 1 : 0;
  return c;
}

/// Returns the config of a conv2d, with the size of each border whose outputs have
/// biases of their own.
template <class Bound>
BorderedConfig<Bound> bordered_config(const Site& site) {
  BorderedConfig<Bound> c;
  static_cast<ConvConfig<Bound>&>(c) = conv_config<Bound>(site);
  c.packed = site.constant(0).packed != nullptr ? 1 : 0;
  c.matrix = c.packed != 0 && site.call.form == "matrix" ? 1 : 0;
  c.small_factors = has_small_factors(site.constant(2)) ? 1 : 0;
  const graph::Graph& graph = site.program.graph;
  const graph::Node& node = site.node();
  if (node.inputs.size() < 3 || graph.value(node.inputs[2]).type.shape.rank() != 2) return c;
  const auto [rows, columns] = graph::as<ops::Conv>(node)->borders(graph.value(node.inputs[0]).type.shape);
  const ops::Kinds& y = site.call.turned ? columns : rows;
  const ops::Kinds& x = site.call.turned ? rows : columns;
  c.border_top = static_cast<int>(y.leading), c.border_bottom = static_cast<int>(y.trailing);
  c.border_left = static_cast<int>(x.leading), c.border_right = static_cast<int>(x.trailing);
  return c;
}

template <class Self, template <class> class ConfigOf = ConvConfig>
class ConvLayer : public LayerKernel<Self, ConfigOf> {
 public:
  std::vector<std::string_view> operators() const override { return {"Conv"}; }
  Contract contract(const graph::Graph& graph, const graph::Node& node) const override {
    const auto& conv = *graph::as<ops::Conv>(node);
    return contract_of(
        1, rows_window(graph.value(node.inputs[0]).type.shape, graph.value(node.outputs[0]).type.shape,
                       conv.kernel, conv.stride, conv.dilation, conv.padding));
  }

 protected:
  /// These weights, then biases and factors.
  static std::vector<Constant> constants(const graph::Graph& graph, const graph::Node& node, Tensor weights) {
    return {weights_of(std::move(weights)), oriented_biases(graph, node), factors_of(graph, node, 1.0F)};
  }
  /// The weights O,I,KH,KW of the call, rows and columns as its config has them, with bytes O,KH,KW,I.
  static Tensor channels_last(const graph::Graph& graph, const graph::Node& node) {
    Tensor weights = to_layout(*graph.value(node.inputs.at(1)).constant, Layout::Nhwc);
    if (!program::is_turned(graph, node)) return weights;
    const Shape& s = weights.shape();
    Tensor turned(Shape{s[0], s[1], s[3], s[2]}, weights.dtype(), Layout::Nhwc);
    for (int64_t o = 0; o < s[0]; ++o) exchange(weights, o * s[2] * s[3], s[2], s[3], s[1], turned);
    return turned;
  }

 private:
  /// Biases O, or a row of O for each border class, row by row as the call counts rows.
  static Constant oriented_biases(const graph::Graph& graph, const graph::Node& node) {
    const auto& conv = *graph::as<ops::Conv>(node);
    Constant biases = biases_of(graph, node, 2, conv.nb_outputs);
    if (biases.data->shape().rank() != 2 || !program::is_turned(graph, node)) return biases;
    const auto [rows, columns] = conv.borders(graph.value(node.inputs[0]).type.shape);
    auto turned = std::make_shared<Tensor>(biases.data->shape(), biases.data->dtype());
    exchange(*biases.data, 0, rows.count(), columns.count(), conv.nb_outputs, *turned);
    biases.data = std::move(turned);
    return biases;
  }
  /// Runs of `run` elements, a grid of them from run `first` on: row by row in `from`, column by column in
  /// `to`.
  static void exchange(const Tensor& from, int64_t first, int64_t rows, int64_t columns, int64_t run,
                       Tensor& to) {
    const int64_t bytes = run * size_bytes(from.dtype());
    const auto* src = static_cast<const std::byte*>(from.raw()) + first * bytes;
    auto* dst = static_cast<std::byte*>(to.raw()) + first * bytes;
    for (int64_t x = 0; x < columns; ++x)
      for (int64_t y = 0; y < rows; ++y, dst += bytes)
        std::memcpy(dst, src + (y * columns + x) * bytes, static_cast<size_t>(bytes));
  }
};

}  // namespace n2d2::targets::cpp
