#include "cpp/kernels/conv_config.hpp"
#include "scalar_layer.hpp"

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP_CortexM/kernels/depthwise_scalar.hpp"

namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT {

void depthwise_scalar(const void* config, const cpp::Arrays& arrays);
void depthwise_scalar(const void* config, const cpp::Arrays& arrays) {
  with_byte_arrays(arrays, [&](auto*... data) {
    N2D2_EXPORT_NAMESPACE::depthwise_scalar(*static_cast<const cpp::BorderedConfig<int>*>(config),
                                            N2D2_EXPORT_NAMESPACE::Rows{arrays.first_row, arrays.rows},
                                            data...);
  });
}

}  // namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT

#else

#include "cpp/kernels/conv_layer.hpp"

namespace n2d2::targets::cortexm {

namespace {

class DepthwiseScalar final : public cpp::ConvLayer<DepthwiseScalar, cpp::BorderedConfig> {
 public:
  std::string_view name() const override { return "depthwise_scalar"; }
  std::string_view header() const override { return "depthwise_scalar.hpp"; }
  int priority() const override { return 1; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    const auto& conv = *graph::as<ops::Conv>(node);
    const int64_t channels = graph.value(node.inputs[0]).type.shape.c();
    if (!conv.is_depthwise(channels)) return "not one input channel per group";
    if (conv.nb_outputs != channels)
      return fmt::format("it makes {} outputs of {} channels", conv.nb_outputs, channels);
    if (conv.kernel != Dims{3, 3})
      return fmt::format("its kernel is {} x {}, not 3 x 3", conv.kernel.x, conv.kernel.y);
    if (conv.dilation != Dims{1, 1}) return "it has a dilation";
    if (node.inputs.size() > 2 && graph.value(node.inputs[2]).type.shape.rank() > 1)
      return "biases of their own at borders";
    if (const std::string why = cpp::refuses_padding(graph, node); !why.empty()) return why;
    return refuses_scalar(graph, node);
  }
  /// Weights O,1,3,3 lie as they are.
  std::vector<cpp::Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    const Tensor weights = channels_last(graph, node);
    return scalar_depthwise_constants(constants(graph, node, weights), node,
                                      static_cast<int>(weights.shape()[0]));
  }
  template <class Bound>
  cpp::BorderedConfig<Bound> config_of(const cpp::Site& site) const {
    cpp::BorderedConfig<Bound> c = cpp::bordered_config<Bound>(site);
    set_packed_rescale(c, site.node());
    return c;
  }
};

}  // namespace

void register_depthwise_scalar(program::KernelLibrary& library);
void register_depthwise_scalar(program::KernelLibrary& library) {
  library.add(std::make_unique<DepthwiseScalar>());
}

}  // namespace n2d2::targets::cortexm

#endif
