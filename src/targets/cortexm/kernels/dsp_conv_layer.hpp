// What do the convolutions for the DSP instructions of Cortex-M share, whatever their tiles?
#pragma once

#include "cpp/kernels/conv_config.hpp"
#include "dsp_layer.hpp"

namespace n2d2::targets::cortexm {

/// Config of conv2d_dsp.
template <class Bound>
struct ConvDspConfig : cpp::BorderedConfig<Bound> {
  int tile_pixels = 4;
  template <class V>
  void visit(V&& v) const {
    cpp::BorderedConfig<Bound>::visit(v);
    v("tile_pixels", tile_pixels);
  }
};

}  // namespace n2d2::targets::cortexm

#ifndef N2D2_HOST_VARIANT

#include "cpp/kernels/conv_layer.hpp"

namespace n2d2::targets::cortexm::dsp {

/// Filters of a convolution in the orientation of its call.
inline dsp::Filters filters_of(const graph::Graph& graph, const graph::Node& node) {
  const auto& conv = *graph::as<ops::Conv>(node);
  const bool turned = program::is_turned(graph, node);
  return {static_cast<int>(conv.nb_outputs), turned ? conv.kernel.x : conv.kernel.y,
          turned ? conv.kernel.y : conv.kernel.x,
          static_cast<int>(graph.value(node.inputs[0]).type.shape.c()) / static_cast<int>(conv.groups),
          static_cast<int>(conv.groups)};
}

/// Conv2d in tiles of so many pixels. Self names itself.
template <class Self, int kTilePixels>
class Conv2dTiles : public cpp::ConvLayer<Self, ConvDspConfig> {
  using Layer = cpp::ConvLayer<Self, ConvDspConfig>;

 public:
  std::string_view header() const override { return "conv2d_dsp.hpp"; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    if (const std::string why = refuses_bytes(graph, node, INT32_MIN); !why.empty()) return why;
    if (graph::as<ops::Conv>(node)->is_depthwise(graph.value(node.inputs[0]).type.shape.c()))
      return "a word of it has two outputs of one input";
    return refuses_weights(graph, node, filters_of(graph, node), Layer::channels_last(graph, node));
  }
  cpp::Contract contract(const graph::Graph& graph, const graph::Node& node) const override {
    cpp::Contract out = Layer::contract(graph, node);
    out.scratch = static_cast<memory::Bytes>(dsp::scratch_bytes(filters_of(graph, node), kTilePixels));
    return out;
  }
  std::vector<cpp::Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    return packed_constants(Layer::constants(graph, node, Layer::channels_last(graph, node)), graph, node,
                            filters_of(graph, node), kTilePixels);
  }
  template <class Bound>
  ConvDspConfig<Bound> config_of(const cpp::Site& site) const {
    ConvDspConfig<Bound> c;
    static_cast<cpp::BorderedConfig<Bound>&>(c) = cpp::bordered_config<Bound>(site);
    set_packed_rescale(c, site.node());
    c.tile_pixels = kTilePixels;
    return c;
  }
};

}  // namespace n2d2::targets::cortexm::dsp

#endif
