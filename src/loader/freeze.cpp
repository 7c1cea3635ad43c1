#include "n2d2/loader/freeze.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/base/log.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/ops/quantize_activation.hpp"
#include "n2d2/tensor/integer_types.hpp"
#include "n2d2/tensor/signed_bits.hpp"

namespace n2d2::loader {

namespace {

constexpr int kBitsOfWords = 16;

/// Share of the weights that are other numbers as multiples of the largest one of their output over 127.
double share_changed(std::span<const float> weights, size_t outputs) {
  constexpr double kFullScale = 127, kSame = 1e-6;
  const size_t row = weights.size() / outputs;
  size_t changed = 0;
  for (size_t o = 0; o < outputs; ++o) {
    const auto of_output = weights.subspan(o * row, row);
    double largest = 0;
    for (const float w : of_output) largest = std::max(largest, std::abs(static_cast<double>(w)));
    for (const float w : of_output) {
      const double steps = static_cast<double>(w) * kFullScale / largest;
      changed += largest > 0 && std::abs(std::round(steps) - steps) > kSame * kFullScale ? 1 : 0;
    }
  }
  return static_cast<double>(changed) / static_cast<double>(std::max<size_t>(1, weights.size()));
}

/// The layer that reads a constant.
const graph::Node& reader_of(const graph::Graph& graph, graph::ValueId constant) {
  return graph.node(graph.value(constant).uses.at(0).node);
}

void freeze_weights(const Parameter& parameter, std::span<const float> masters, graph::Graph& graph) {
  Tensor& weights = graph.mutable_constant(parameter.constant);
  const std::unique_ptr<training::WeightQuantizer> quantizer = parameter.quantizer->clone();
  quantizer->start(masters);
  const std::optional<training::IntegerWeights> integers = quantizer->integers(masters);
  if (!integers) return quantizer->forward(masters, weights.span());
  training::dequantize(*integers, weights.span());
  const int bits = signed_bits(integers->lowest, integers->highest);
  if (bits > kBitsOfByte) {
    const graph::Node& layer = reader_of(graph, parameter.constant);
    Diagnostics findings;
    findings.warn(
        layer.origin,
        fmt::format("{}: integers from {} to {} need {} bits; {:.1f} % of the weights change when they "
                    "are rounded to 8 bits",
                    subject(layer), integers->lowest, integers->highest, bits,
                    100 * share_changed(weights.span(), static_cast<size_t>(weights.shape()[0]))),
        "QWeight.QuantMode=Symmetric learns integers of 8 bits");
    return findings.finish<ModelError>();
  }
  TensorType type = graph.value(parameter.constant).type;
  type.quant = QuantParams{bits, true, integers->steps.size() == 1 ? -1 : 0, integers->steps};
  graph.set_type(parameter.constant, std::move(type));
}

/// Rounding to a grid that is fixed, in the place of one that is learnt.
void freeze_activation(graph::Graph& graph, graph::NodeId id) {
  const graph::Node& node = graph.node(id);
  const auto& learnt = *graph::as<ops::QuantizeActivation>(node);
  const float number = graph.value(node.inputs.at(1)).constant->span<float>()[0];
  if (number == 0)
    throw ModelError(fmt::format("{}: its grid has not been learnt yet", subject(node)), node.origin,
                     "'-learn', or -w with a folder of weights that have it");
  const ops::QuantizeActivation::Grid grid = learnt.grid(number);
  auto fixed = std::make_unique<ops::FakeQuantize>();
  fixed->scale = {static_cast<double>(grid.step)};
  fixed->is_signed = grid.lowest < 0;
  fixed->bits = std::abs(grid.lowest) + grid.highest < (1 << kBitsOfByte) ? kBitsOfByte : kBitsOfWords;
  fixed->bounds = {static_cast<int>(grid.lowest), static_cast<int>(grid.highest)};
  graph.replace(id, std::move(fixed), {node.inputs.at(0)});
}

}  // namespace

void freeze(const Network& network, const graph::Graph& masters, graph::Graph& graph) {
  for (const Parameter& parameter : network.parameters)
    if (parameter.quantizer)
      freeze_weights(parameter, masters.value(parameter.constant).constant->span<float>(), graph);
  for (const graph::NodeId id : graph.schedule())
    if (graph::as<ops::QuantizeActivation>(graph.node(id))) freeze_activation(graph, id);
}

}  // namespace n2d2::loader
