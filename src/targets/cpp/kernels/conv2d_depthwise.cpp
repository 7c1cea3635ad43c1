#include "conv_config.hpp"
#include "host.hpp"

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/conv_depthwise.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void conv2d_depthwise(const void* config, const Arrays& arrays);
void conv2d_depthwise(const void* config, const Arrays& arrays) {
  weighted<DepthwiseConfig>(config, arrays, [&](const auto& c, auto*... data) {
    N2D2_EXPORT_NAMESPACE::conv2d_depthwise(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), data...);
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include <cstring>

#include "conv_layer.hpp"

namespace n2d2::targets::cpp {

namespace {

/// O,1,KH,KW (bytes O,KH,KW) to KH,KW,O.
Tensor taps_outermost(const Tensor& weights) {
  const Shape& s = weights.shape();
  const int64_t outputs = s[0], taps = s[2] * s[3], size = size_bytes(weights.dtype());
  Tensor out(s, weights.dtype(), Layout::Nhwc);
  const auto* from = static_cast<const std::byte*>(weights.raw());
  auto* to = static_cast<std::byte*>(out.raw());
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t t = 0; t < taps; ++t)
      std::memcpy(to + (t * outputs + o) * size, from + (o * taps + t) * size, static_cast<size_t>(size));
  return out;
}

class Conv2dDepthwise final : public ConvLayer<Conv2dDepthwise, DepthwiseConfig> {
 public:
  std::string_view name() const override { return "conv2d_depthwise"; }
  std::string_view header() const override { return "conv_depthwise.hpp"; }
  int priority() const override { return 1; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    if (!graph::as<ops::Conv>(node)->is_depthwise(graph.value(node.inputs[0]).type.shape.c()))
      return "not one input channel per group";
    if (node.inputs.size() > 2 && graph.value(node.inputs[2]).type.shape.rank() > 1)
      return "biases of their own at borders";
    return check_weighted_types(graph, node);
  }
  std::vector<program::Form> forms() const override {
    return {{"rows", "a row of a depthwise convolution at once, in the order of channels"},
            {"pixels", "a depthwise convolution pixel by pixel"}};
  }
  std::string form_refuses(const graph::Graph& graph, const graph::Node& node,
                           std::string_view form) const override {
    if (form != "rows") return {};
    const TensorType& map = graph.value(node.inputs[0]).type;
    if (size_bytes(map.dtype) != 1) return "its elements are no bytes";
    const int64_t channels = map.shape.c(), outputs = graph::as<ops::Conv>(node)->nb_outputs;
    return outputs == channels ? "" : fmt::format("it makes {} outputs of {} channels", outputs, channels);
  }
  std::vector<Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    return constants(graph, node, taps_outermost(channels_last(graph, node)));
  }
  program::Slicing slicing(const graph::Graph& graph, const graph::Node& node) const override {
    const bool keeps = graph.value(node.inputs[0]).type.shape.c() == graph::as<ops::Conv>(node)->nb_outputs;
    return {keeps ? program::Slicing::Made::OfSame : program::Slicing::Made::Never};
  }
  template <class Bound>
  DepthwiseConfig<Bound> config_of(const Site& site) const {
    DepthwiseConfig<Bound> c;
    static_cast<ConvConfig<Bound>&>(c) = conv_config<Bound>(site);
    c.whole_rows = site.call.form == "rows" ? 1 : 0;
    c.small_factors = has_small_factors(site.constant(2)) ? 1 : 0;
    c.pad_value = pad_value(site.program.graph, site.node());
    return c;
  }
};

}  // namespace

void register_conv2d_depthwise(program::KernelLibrary& library);
void register_conv2d_depthwise(program::KernelLibrary& library) {
  library.add(std::make_unique<Conv2dDepthwise>());
}

}  // namespace n2d2::targets::cpp

#endif
