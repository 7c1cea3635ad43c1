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

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP_CortexM/kernels/conv2d_dsp.hpp"

namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT {

void conv2d_dsp(const void* config, const cpp::Arrays& arrays);
void conv2d_dsp(const void* config, const cpp::Arrays& arrays) {
  dsp_with_bytes(arrays, [&](auto*... data) {
    N2D2_EXPORT_NAMESPACE::conv2d_dsp(*static_cast<const ConvDspConfig<int>*>(config),
                                      N2D2_EXPORT_NAMESPACE::Rows{arrays.first_row, arrays.rows}, data...,
                                      arrays.scratch);
  });
}

}  // namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT

#else

#include "cpp/kernels/conv_layer.hpp"

namespace n2d2::targets::cortexm {

namespace dsp {

namespace {

constexpr int kTilePixels = 4;

/// Filters of a convolution in the orientation of its call.
dsp::Filters filters_of(const graph::Graph& graph, const graph::Node& node) {
  const auto& conv = *graph::as<ops::Conv>(node);
  const bool turned = program::is_turned(graph, node);
  return {static_cast<int>(conv.nb_outputs), turned ? conv.kernel.x : conv.kernel.y,
          turned ? conv.kernel.y : conv.kernel.x,
          static_cast<int>(graph.value(node.inputs[0]).type.shape.c()) / static_cast<int>(conv.groups),
          static_cast<int>(conv.groups)};
}

class Conv2dDsp final : public cpp::ConvLayer<Conv2dDsp, ConvDspConfig> {
 public:
  std::string_view name() const override { return "conv2d_dsp"; }
  std::string_view header() const override { return "conv2d_dsp.hpp"; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    if (const std::string why = refuses_bytes(graph, node); !why.empty()) return why;
    if (graph::as<ops::Conv>(node)->is_depthwise(graph.value(node.inputs[0]).type.shape.c()))
      return "a word of it has two outputs of one input";
    return refuses_weights(graph, node, filters_of(graph, node), channels_last(graph, node));
  }
  cpp::Contract contract(const graph::Graph& graph, const graph::Node& node) const override {
    cpp::Contract out = ConvLayer::contract(graph, node);
    out.scratch = static_cast<memory::Bytes>(dsp::scratch_bytes(filters_of(graph, node), kTilePixels));
    return out;
  }
  std::vector<cpp::Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    return packed_constants(constants(graph, node, channels_last(graph, node)), node,
                            filters_of(graph, node));
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

}  // namespace

}  // namespace dsp

void register_conv2d_dsp(program::KernelLibrary& library);
void register_conv2d_dsp(program::KernelLibrary& library) {
  library.add(std::make_unique<dsp::Conv2dDsp>());
}

}  // namespace n2d2::targets::cortexm

#endif
