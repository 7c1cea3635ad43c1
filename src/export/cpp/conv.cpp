#include "n2d2/ops/conv.hpp"

#include "../../../export/CPP/kernels/plane.hpp"
#include "binding.hpp"

namespace n2d2::exporter::cpp {

namespace {

std::string accepts_conv(const graph::Graph& graph, const graph::Node& node) {
  return check_types(graph, node, 1);
}

std::string accepts_depthwise(const graph::Graph& graph, const graph::Node& node) {
  const auto& conv = *graph::as<ops::Conv>(node);
  if (!conv.is_depthwise(graph.value(node.inputs[0]).type.shape.c()))
    return "not one input channel per group";
  return check_types(graph, node, 1);
}

Contract contract(const graph::Graph& graph, const graph::Node& node) {
  const auto& conv = *graph::as<ops::Conv>(node);
  return contract_of(
      1, rows_window(graph.value(node.inputs[0]).type.shape, graph.value(node.outputs[0]).type.shape,
                     conv.kernel, conv.stride, conv.dilation, conv.padding));
}

/// Large weights are streamed once a row, but once in all when the order is free.
Contract contract_conv(const graph::Graph& graph, const graph::Node& node) {
  Contract out = contract(graph, node);
  const Shape& map = graph.value(node.outputs[0]).type.shape;
  out.any_order =
      map.h() * map.w() > 1 && graph.value(node.inputs[1]).constant->bytes() > N2D2_Export::kPanelBytes;
  return out;
}

/// O,1,KH,KW (bytes O,KH,KW) to KH,KW,O, as conv_depthwise.hpp reads them.
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

template <class Bound>
ConvConfig<Bound> config_of(const NodeView& view, int64_t factor_count) {
  const auto& conv = *graph::as<ops::Conv>(view.node);
  ConvConfig<Bound> c;
  set_planes(c, view);
  set_rescale<Bound>(c, view, factor_count);
  c.kernel_w = conv.kernel.x, c.kernel_h = conv.kernel.y;
  c.stride_x = conv.stride.x, c.stride_y = conv.stride.y;
  c.dilation_x = conv.dilation.x, c.dilation_y = conv.dilation.y;
  c.pad_x = conv.padding.left, c.pad_y = conv.padding.top;
  c.groups = conv.groups;
  c.parallel = view.parallel ? 1 : 0;
  return c;
}

host::Arrays arrays(const HostArgs& args, const std::vector<ExportParameter>& p) {
  return {args.inputs[0], args.output, p[0].data.raw(), p[1].data.raw(), p[2].data.raw()};
}

ExportNode make(const NodeView& view, bool depthwise) {
  const auto& conv = *graph::as<ops::Conv>(view.node);
  const Tensor weights = to_layout(*view.input(1).constant, Layout::Nhwc);
  int64_t factor_count = 0;
  ExportNode node;
  node.parameters.push_back({"weights", depthwise ? taps_outermost(weights) : weights, false});
  node.parameters.push_back(biases_of(view, 2, conv.nb_outputs));
  node.parameters.push_back(factors_of(view, 1.0F, factor_count));
  const auto p = share(node);
  const std::vector<Argument> arguments{input_argument(0), output_argument(), parameter_argument(0),
                                        parameter_argument(1), parameter_argument(2)};
  const std::string kernel = depthwise ? "conv2d_depthwise" : "conv2d";
  const std::string header = depthwise ? "conv_depthwise.hpp" : "conv.hpp";
  if (is_float(view)) {
    const auto c = config_of<float>(view, factor_count);
    const auto run = depthwise ? host::kernels().conv2d_depthwise_float : host::kernels().conv2d_float;
    node.calls.push_back(make_call(kernel, header, c, arguments,
                                   [c, p, run](const HostArgs& args) { run(c, arrays(args, *p)); }));
  } else {
    const auto c = config_of<int>(view, factor_count);
    const auto run = depthwise ? host::kernels().conv2d_depthwise : host::kernels().conv2d;
    const host::Types types = types_of(view);
    node.calls.push_back(make_call(kernel, header, c, arguments, [c, p, run, types](const HostArgs& args) {
      run(c, types, arrays(args, *p));
    }));
  }
  return node;
}

}  // namespace

void register_conv(ExportLib& registry);
void register_conv(ExportLib& registry) {
  registry.add("Conv",
               {"conv2d", accepts_conv, 0, contract_conv, [](const NodeView& v) { return make(v, false); }});
  registry.add("Conv", {"conv2d_depthwise", accepts_depthwise, 1, contract,
                        [](const NodeView& v) { return make(v, true); }});
}

}  // namespace n2d2::exporter::cpp
