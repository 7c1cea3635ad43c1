#include "n2d2/quantize/check_supported.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/elemwise.hpp"
#include "n2d2/ops/nonlinearity.hpp"

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

/// Integer sums have operands of one size, none of them constant.
void check_operands(const graph::Graph& graph, const graph::Node& node, const ops::ElemWise& sum,
                    Diagnostics& diagnostics) {
  if (sum.constants_from > 0)
    return diagnostics.error(node.origin,
                             fmt::format("{}: a constant operand has no integer kernel", subject(node)),
                             "a constant of one value, or one a channel, becomes a bias or a Scaling");
  const Shape& out = graph.value(node.outputs.at(0)).type.shape;
  for (size_t i = 0; i < node.inputs.size(); ++i)
    if (const Shape& in = graph.value(node.inputs[i]).type.shape; !(in == out))
      return diagnostics.error(
          node.origin,
          fmt::format("{}: input {} has shape {}, the output {}: repeated elements have no integer kernel",
                      subject(node), i, in.text(), out.text()),
          "give all operands one size");
}

void check_sum(const graph::Graph& graph, const graph::Node& node, Diagnostics& diagnostics) {
  const auto* sum = graph::as<ops::ElemWise>(node);
  if (!sum || sum->operation != ops::ElemWiseOperation::Sum) return;
  check_operands(graph, node, *sum, diagnostics);
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

/// A layer that only runs in float.
void refuse_float(const graph::Node& node, Diagnostics& diagnostics) {
  const std::string_view type = node.op->type();
  if (const auto* function = graph::as<ops::Nonlinearity>(node))
    return diagnostics.error(
        node.origin, fmt::format("{}: {} has no integer kernel", subject(node), function->function_name()),
        "use Rectifier or Saturation; where it ends the network and keeps the order of its values, leave it "
        "out");
  if (const auto* op = graph::as<ops::ElemWise>(node))
    return diagnostics.error(
        node.origin,
        fmt::format("{}: Operation={} has no integer kernel", subject(node), op->operation_name()),
        "only Operation=Sum has one");
  if (type == "Border")
    return diagnostics.error(node.origin, fmt::format("{} has no integer kernel", subject(node)),
                             "pads of zeros have one");
  if (type == "Softmax" || type == "LogSoftmax")
    return diagnostics.error(
        node.origin, fmt::format("{} inside the network has no integer kernel", subject(node)),
        fmt::format("a {} that ends the network is dropped by itself, the class order does not change",
                    type));
  diagnostics.error(node.origin, fmt::format("{} has no integer kernel", subject(node)),
                    type == "PRelu"
                        ? "use a Rectifier with LeakSlope=0"
                        : "'-export ONNX -nbbits -32' has it; a program needs the network to end before");
}

void check_rule(const graph::Node& node, Diagnostics& diagnostics) {
  const QuantRule rule = node.op->quant_rule();
  if (rule == QuantRule::StaysFloat) refuse_float(node, diagnostics);
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

bool find_unsupported(const graph::Graph& graph, const graph::Node& node, Diagnostics& findings) {
  const size_t before = findings.errors().size();
  check_rule(node, findings);
  check_relu(node, findings);
  check_sum(graph, node, findings);
  return findings.errors().size() > before;
}

void check_supported(const graph::Graph& graph) {
  Diagnostics findings;
  for (const graph::NodeId id : graph.schedule()) find_unsupported(graph, graph.node(id), findings);
  findings.finish<ExportError>();
  for (const graph::NodeId id : graph.schedule()) check_constants(graph, graph.node(id));
}

}  // namespace n2d2::quantize
