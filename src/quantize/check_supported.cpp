#include "check_supported.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/elemwise.hpp"

namespace n2d2::quantize {

namespace {

using graph::QuantRule;

void check_relu(const graph::Node& node, Diagnostics& diagnostics) {
  const auto* relu = graph::as<ops::Relu>(node);
  if (relu && !relu->clamp())
    diagnostics.error(
        node.origin,
        fmt::format("{}: LeakSlope {} has no integer kernel", subject(node), print_real(relu->leak_slope)),
        "use ActivationFunction=Rectifier with LeakSlope=0");
}

void check_sum(const graph::Graph& graph, const graph::Node& node, Diagnostics& diagnostics) {
  const auto* sum = graph::as<ops::ElemWise>(node);
  if (!sum) return;
  const int64_t channels = graph.value(node.outputs.at(0)).type.shape.c();
  bool shifted = false, varies = false;
  for (size_t i = 0; i < node.inputs.size(); ++i)
    for (int64_t c = 0; c < channels; ++c) {
      shifted = shifted || sum->shift(i, c) != 0;
      varies = varies || sum->weight(i, c) != sum->weight(i, 0);
    }
  if (shifted)
    diagnostics.error(node.origin,
                      fmt::format("{}: Shifts other than 0 have no integer kernel", subject(node)));
  if (varies)
    diagnostics.error(
        node.origin,
        fmt::format("{}: Weights that differ between channels have no integer kernel", subject(node)),
        "use CoeffMode=PerInput, or a Scaling layer in front");
}

void check_rule(const graph::Node& node, Diagnostics& diagnostics) {
  const QuantRule rule = node.op->quant_rule();
  if (rule == QuantRule::StaysFloat)
    diagnostics.error(
        node.origin, fmt::format("{} inside the network has no integer kernel", subject(node)),
        "a Softmax that ends the network is dropped by itself, the class order does not change");
  if (rule == QuantRule::Disappears)
    diagnostics.error(
        node.origin,
        fmt::format("{} has no integer kernel and was not removed before quantization", subject(node)),
        "the float pipeline of an export removes it");
  if ((rule == QuantRule::KeepsScale || rule == QuantRule::SharesScale) && node.clamp)
    diagnostics.error(node.origin,
                      fmt::format("{}: a layer that only moves integers cannot clamp them", subject(node)),
                      "put the activation on the layer before");
}

void check_constants(const graph::Graph& graph, const graph::Node& node) {
  for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
    const graph::Value& value = graph.value(node.inputs[slot]);
    if (!value.is_constant()) continue;
    N2D2_CHECK(value.type.dtype == DataType::F32, "'{}' is quantized already", value.name);
    const auto data = value.constant->span<float>();
    const auto bad = std::find_if(data.begin(), data.end(), [](float x) { return !std::isfinite(x); });
    if (bad != data.end())
      throw ModelError(fmt::format("{}: expected finite {}, got {} at index {}", subject(node),
                                   node.op->input_role(slot), *bad, bad - data.begin()),
                       node.origin, "lower the learning rate, or check the weight files");
  }
}

}  // namespace

void check_supported(const graph::Graph& graph) {
  Diagnostics diagnostics;
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    check_rule(node, diagnostics);
    check_relu(node, diagnostics);
    check_sum(graph, node, diagnostics);
  }
  diagnostics.finish<ExportError>();
  for (const graph::NodeId id : graph.schedule()) check_constants(graph, graph.node(id));
}

}  // namespace n2d2::quantize
