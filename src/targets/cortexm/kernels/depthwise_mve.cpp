#include "cpp/kernels/conv_config.hpp"
#include "mve_layer.hpp"

namespace n2d2::targets::cortexm {

/// Config of depthwise_mve.
template <class Bound>
struct DepthwiseMveConfig : cpp::DepthwiseConfig<Bound> {
  int piece_bytes = 0;
  template <class V>
  void visit(V&& v) const {
    cpp::DepthwiseConfig<Bound>::visit(v);
    v("piece_bytes", piece_bytes);
  }
};

}  // namespace n2d2::targets::cortexm

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP_CortexM/kernels/depthwise_mve.hpp"

namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT {

void depthwise_mve(const void* config, const cpp::Arrays& arrays);
void depthwise_mve(const void* config, const cpp::Arrays& arrays) {
  with_byte_arrays(arrays, [&](auto*... data) {
    N2D2_EXPORT_NAMESPACE::depthwise_mve(*static_cast<const DepthwiseMveConfig<int>*>(config),
                                         N2D2_EXPORT_NAMESPACE::Rows{arrays.first_row, arrays.rows}, data...,
                                         arrays.scratch);
  });
}

}  // namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT

#else

#include "cpp/kernels/conv_layer.hpp"

namespace n2d2::targets::cortexm {

namespace {

class DepthwiseMve final : public cpp::ConvLayer<DepthwiseMve, DepthwiseMveConfig> {
 public:
  std::string_view name() const override { return "depthwise_mve"; }
  std::string_view header() const override { return "depthwise_mve.hpp"; }
  int priority() const override { return 1; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    const auto& conv = *graph::as<ops::Conv>(node);
    const int64_t channels = graph.value(node.inputs[0]).type.shape.c();
    if (!conv.is_depthwise(channels)) return "not one input channel per group";
    if (conv.nb_outputs != channels)
      return fmt::format("it makes {} outputs of {} channels", conv.nb_outputs, channels);
    const Oriented layer = oriented(graph, node);
    if (layer.kernel.y > kMostRows || layer.kernel.x > kMostColumns)
      return fmt::format("its kernel has {} rows and {} columns, at most {} and {} are served",
                         layer.kernel.y, layer.kernel.x, kMostRows, kMostColumns);
    if (layer.stride.x > kMostStride || layer.dilation.x > kMostDilation)
      return fmt::format("its stride of {} and dilation of {} along a row are above {} and {}",
                         layer.stride.x, layer.dilation.x, kMostStride, kMostDilation);
    if (node.inputs.size() > 2 && graph.value(node.inputs[2]).type.shape.rank() > 1)
      return "biases of their own at borders";
    if (const std::string why = cpp::refuses_padding(graph, node); !why.empty()) return why;
    return mve::refuses_integers(graph, node);
  }
  cpp::Contract contract(const graph::Graph& graph, const graph::Node& node) const override {
    const Oriented layer = oriented(graph, node);
    cpp::Contract out = ConvLayer::contract(graph, node);
    out.scratch =
        mve::scratch_bytes(channels_of(graph, node),
                           mve::Row{layer.pixels, layer.stride.x, layer.dilation.x, mve::kMostPieceBytes});
    return out;
  }
  std::vector<cpp::Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    return mve::packed(graph, node, channels_of(graph, node),
                       constants(graph, node, taps_outermost(channels_last(graph, node))));
  }
  template <class Bound>
  DepthwiseMveConfig<Bound> config_of(const cpp::Site& site) const {
    DepthwiseMveConfig<Bound> c;
    static_cast<cpp::ConvConfig<Bound>&>(c) = cpp::conv_config<Bound>(site);
    set_packed_rescale(c, site.node());
    c.piece_bytes = mve::kMostPieceBytes;
    return c;
  }

 private:
  static constexpr int kMostRows = 3, kMostColumns = 4, kMostStride = 2, kMostDilation = 4;

  /// A layer in the orientation of its call.
  struct Oriented {
    Dims kernel, stride, dilation;
    int pixels;  // of a row of the output
  };

  static Oriented oriented(const graph::Graph& graph, const graph::Node& node) {
    const auto& conv = *graph::as<ops::Conv>(node);
    const Shape& out = graph.value(node.outputs[0]).type.shape;
    if (!program::is_turned(graph, node))
      return {conv.kernel, conv.stride, conv.dilation, static_cast<int>(out.w())};
    const auto turned = [](Dims d) { return Dims{d.y, d.x}; };
    return {turned(conv.kernel), turned(conv.stride), turned(conv.dilation), static_cast<int>(out.h())};
  }

  static mve::Channels channels_of(const graph::Graph& graph, const graph::Node& node) {
    const Dims kernel = oriented(graph, node).kernel;
    return {kernel.x, kernel.y, static_cast<int>(graph::as<ops::Conv>(node)->nb_outputs)};
  }
  /// O,1,KH,KW (bytes O,KH,KW) to KH,KW,O.
  static Tensor taps_outermost(const Tensor& weights) {
    const Shape& s = weights.shape();
    Tensor out(s, DataType::I8, Layout::Nhwc);
    for (int64_t o = 0; o < s[0]; ++o)
      for (int64_t t = 0; t < s[2] * s[3]; ++t)
        out.data<int8_t>()[t * s[0] + o] = weights.data<int8_t>()[o * s[2] * s[3] + t];
    return out;
  }
};

}  // namespace

void register_depthwise_mve(program::KernelLibrary& library);
void register_depthwise_mve(program::KernelLibrary& library) {
  library.add(std::make_unique<DepthwiseMve>());
}

}  // namespace n2d2::targets::cortexm

#endif
