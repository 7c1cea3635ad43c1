#include "cpp/kernels/conv_config.hpp"
#include "scalar_layer.hpp"

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP_CortexM/kernels/conv2d_scalar.hpp"

namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT {

void conv2d_scalar(const void* config, const cpp::Arrays& arrays);
void conv2d_scalar(const void* config, const cpp::Arrays& arrays) {
  with_byte_arrays(arrays, [&](auto*... data) {
    N2D2_EXPORT_NAMESPACE::conv2d_scalar(*static_cast<const cpp::BorderedConfig<int>*>(config),
                                         N2D2_EXPORT_NAMESPACE::Rows{arrays.first_row, arrays.rows}, data...,
                                         arrays.scratch);
  });
}

}  // namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT

#else

#include "cpp/kernels/conv_layer.hpp"

namespace n2d2::targets::cortexm {

namespace {

/// Filters of a convolution in the orientation of its call.
scalar::Filters filters_of(const graph::Graph& graph, const graph::Node& node) {
  const auto& conv = *graph::as<ops::Conv>(node);
  const bool turned = program::is_turned(graph, node);
  return {static_cast<int>(conv.nb_outputs), turned ? conv.kernel.x : conv.kernel.y,
          turned ? conv.kernel.y : conv.kernel.x,
          static_cast<int>(graph.value(node.inputs[0]).type.shape.c()) / static_cast<int>(conv.groups),
          static_cast<int>(conv.groups)};
}

class Conv2dScalar final : public cpp::ConvLayer<Conv2dScalar, cpp::BorderedConfig> {
 public:
  std::string_view name() const override { return "conv2d_scalar"; }
  std::string_view header() const override { return "conv2d_scalar.hpp"; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    if (graph::as<ops::Conv>(node)->is_depthwise(graph.value(node.inputs[0]).type.shape.c()))
      return "a word of it has two outputs of one input";
    const Shape& map = graph.value(node.outputs[0]).type.shape;
    if (map.h() * map.w() == 1) return "it makes one pixel, and a tile has four";
    return refuses_scalar(graph, node);
  }
  cpp::Contract contract(const graph::Graph& graph, const graph::Node& node) const override {
    cpp::Contract out = ConvLayer::contract(graph, node);
    out.scratch = static_cast<memory::Bytes>(scalar::scratch_bytes(filters_of(graph, node)));
    return out;
  }
  std::vector<cpp::Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    return scalar_constants(constants(graph, node, channels_last(graph, node)), graph, node,
                            filters_of(graph, node));
  }
  template <class Bound>
  cpp::BorderedConfig<Bound> config_of(const cpp::Site& site) const {
    cpp::BorderedConfig<Bound> c = cpp::bordered_config<Bound>(site);
    set_packed_rescale(c, site.node());
    return c;
  }
};

}  // namespace

void register_conv2d_scalar(program::KernelLibrary& library);
void register_conv2d_scalar(program::KernelLibrary& library) {
  library.add(std::make_unique<Conv2dScalar>());
}

}  // namespace n2d2::targets::cortexm

#endif
