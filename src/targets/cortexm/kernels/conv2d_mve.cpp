#include "cpp/kernels/conv_config.hpp"
#include "mve_layer.hpp"

namespace n2d2::targets::cortexm {

/// Config of conv2d_mve.
template <class Bound>
struct ConvMveConfig : cpp::BorderedConfig<Bound> {
  int tile_pixels = 0;
  template <class V>
  void visit(V&& v) const {
    cpp::BorderedConfig<Bound>::visit(v);
    v("tile_pixels", tile_pixels);
  }
};

}  // namespace n2d2::targets::cortexm

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP_CortexM/kernels/conv2d_mve.hpp"

namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT {

void conv2d_mve(const void* config, const cpp::Arrays& arrays);
void conv2d_mve(const void* config, const cpp::Arrays& arrays) {
  with_byte_arrays(arrays, [&](auto*... data) {
    N2D2_EXPORT_NAMESPACE::conv2d_mve(*static_cast<const ConvMveConfig<int>*>(config),
                                      N2D2_EXPORT_NAMESPACE::Rows{arrays.first_row, arrays.rows}, data...,
                                      arrays.scratch);
  });
}

}  // namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT

#else

#include "cpp/kernels/conv_layer.hpp"

namespace n2d2::targets::cortexm {

namespace {

class Conv2dMve final : public cpp::ConvLayer<Conv2dMve, ConvMveConfig> {
 public:
  std::string_view name() const override { return "conv2d_mve"; }
  std::string_view header() const override { return "conv2d_mve.hpp"; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    if (graph::as<ops::Conv>(node)->is_depthwise(graph.value(node.inputs[0]).type.shape.c()))
      return "a vector of weights would have one channel";
    return mve::refuses_integers(graph, node);
  }
  cpp::Contract contract(const graph::Graph& graph, const graph::Node& node) const override {
    cpp::Contract out = ConvLayer::contract(graph, node);
    out.scratch = mve::scratch_bytes(windows_of(graph, node), kTilePixels);
    return out;
  }
  std::vector<cpp::Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    return mve::packed(graph, node, windows_of(graph, node),
                       constants(graph, node, channels_last(graph, node)));
  }
  template <class Bound>
  ConvMveConfig<Bound> config_of(const cpp::Site& site) const {
    ConvMveConfig<Bound> c;
    static_cast<cpp::BorderedConfig<Bound>&>(c) = cpp::bordered_config<Bound>(site);
    set_packed_rescale(c, site.node());
    c.tile_pixels = kTilePixels;
    return c;
  }

 private:
  static constexpr int kTilePixels = 2;

  static mve::Windows windows_of(const graph::Graph& graph, const graph::Node& node) {
    const auto& conv = *graph::as<ops::Conv>(node);
    const auto channels = static_cast<int>(graph.value(node.inputs[0]).type.shape.c());
    const auto groups = static_cast<int>(conv.groups);
    return {static_cast<int>(conv.nb_outputs), conv.kernel.x * conv.kernel.y * channels / groups, groups};
  }
};

}  // namespace

void register_conv2d_mve(program::KernelLibrary& library);
void register_conv2d_mve(program::KernelLibrary& library) {
  library.add(std::make_unique<Conv2dMve>());
}

}  // namespace n2d2::targets::cortexm

#endif
