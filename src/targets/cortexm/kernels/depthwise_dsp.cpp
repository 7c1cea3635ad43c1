#include "cpp/kernels/conv_config.hpp"
#include "dsp_layer.hpp"

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP_CortexM/kernels/depthwise_dsp.hpp"

namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT {

void depthwise_dsp(const void* config, const cpp::Arrays& arrays);
void depthwise_dsp(const void* config, const cpp::Arrays& arrays) {
  with_byte_arrays(arrays, [&](auto*... data) {
    N2D2_EXPORT_NAMESPACE::depthwise_dsp(*static_cast<const cpp::DepthwiseConfig<int>*>(config),
                                         N2D2_EXPORT_NAMESPACE::Rows{arrays.first_row, arrays.rows}, data...);
  });
}

}  // namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT

#else

#include "cpp/kernels/conv_layer.hpp"

namespace n2d2::targets::cortexm {

namespace dsp {

namespace {

class DepthwiseDsp final : public cpp::ConvLayer<DepthwiseDsp, cpp::DepthwiseConfig> {
 public:
  std::string_view name() const override { return "depthwise_dsp"; }
  std::string_view header() const override { return "depthwise_dsp.hpp"; }
  int priority() const override { return 1; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    if (const std::string why = refuses_bytes(graph, node, INT32_MIN); !why.empty()) return why;
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
    return graph.value(node.inputs[1]).constant->dtype() == DataType::I8 ? "" : "its weights are no bytes";
  }
  std::vector<cpp::Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    // O,1,3,3 (bytes O,3,3) to 3,3,O.
    const Tensor weights = channels_last(graph, node);
    const int64_t channels = weights.shape()[0];
    Tensor taps(Shape{9, channels}, DataType::I8);
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t t = 0; t < 9; ++t)
        taps.data<int8_t>()[t * channels + c] = weights.data<int8_t>()[c * 9 + t];
    return packed_depthwise(constants(graph, node, std::move(taps)), node, static_cast<int>(channels));
  }
  template <class Bound>
  cpp::DepthwiseConfig<Bound> config_of(const cpp::Site& site) const {
    cpp::DepthwiseConfig<Bound> c;
    static_cast<cpp::ConvConfig<Bound>&>(c) = cpp::conv_config<Bound>(site);
    set_packed_rescale(c, site.node());
    return c;
  }
};

}  // namespace

}  // namespace dsp

void register_depthwise_dsp(program::KernelLibrary& library);
void register_depthwise_dsp(program::KernelLibrary& library) {
  library.add(std::make_unique<dsp::DepthwiseDsp>());
}

}  // namespace n2d2::targets::cortexm

#endif
