#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "n2d2/base/log.hpp"
#include "n2d2/ops/batchnorm.hpp"
#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/deconv.hpp"
#include "n2d2/passes/pipelines.hpp"
#include "n2d2/tensor/integer_types.hpp"

#include "rewrite.hpp"

namespace n2d2::passes {

namespace {

constexpr double kSmallestVariance = 1e-12;

/// y = factor x + offset for each channel.
struct Affine {
  std::vector<double> factor, offset;
};

std::span<const float> parameter(const graph::Graph& graph, const graph::Node& node, std::string_view role) {
  for (size_t slot = 0; slot < node.inputs.size(); ++slot)
    if (node.op->input_role(slot) == role) {
      const graph::Value& value = graph.value(node.inputs[slot]);
      N2D2_CHECK(value.is_constant(), "input {} of '{}' is not a constant", role, node.name);
      return value.constant->span<float>();
    }
  throw InternalError(fmt::format("'{}' has no {}", node.name, role), __FILE__, __LINE__);
}

/// v_o, the variance of each output: variances near zero become the mean of the others, with a warning.
std::vector<double> usable_variances(const graph::Node& node, std::span<const float> variances) {
  std::vector<double> out(variances.begin(), variances.end());
  double sum = 0;
  int64_t usable = 0;
  for (const double v : out)
    if (v > kSmallestVariance) {
      sum += v;
      ++usable;
    }
  if (usable == 0 || usable == static_cast<int64_t>(out.size())) return out;
  std::vector<std::string> replaced;
  for (size_t o = 0; o < out.size(); ++o)
    if (!(out[o] > kSmallestVariance)) {
      replaced.push_back(std::to_string(o));
      out[o] = sum / static_cast<double>(usable);
    }
  log::warn(
      "{}",
      Diagnostic{node.origin,
                 fmt::format("{}: the variance of channel {} is almost zero; the mean of the other variances "
                             "({:.4g}) is used instead, which changes these channels",
                             subject(node), join(replaced, ", "), sum / static_cast<double>(usable)),
                 {}}
          .text());
  return out;
}

Affine affine_of(const graph::Graph& graph, const graph::Node& node) {
  const auto& norm = *graph::as<ops::BatchNorm>(node);
  const auto scales = parameter(graph, node, "scales"), biases = parameter(graph, node, "biases");
  const auto means = parameter(graph, node, "means");
  const std::vector<double> variances = usable_variances(node, parameter(graph, node, "variances"));
  Affine affine;
  for (size_t o = 0; o < variances.size(); ++o) {
    const double spread = variances[o] + norm.epsilon;
    if (!(spread > 0))
      throw ModelError(
          fmt::format("{}: expected variance + Epsilon > 0, channel {} has {:.6g}", subject(node), o, spread),
          node.origin, "train the network, or load its weights, before it is exported");
    const double factor = scales[o] / std::sqrt(spread);
    affine.factor.push_back(factor);
    affine.offset.push_back(biases[o] - means[o] * factor);
  }
  return affine;
}

/// Scales that came with weights, times the factors: the integers stay. Those of a negative factor change
/// their sign; -2^(bits-1) has no other of its width: below a byte weights become a bit wider, else the scale
/// of the output is negative. Weights of factor 0 are 0 in any scale.
QuantParams scaled(QuantParams quant, const std::vector<double>& factor, std::span<const float> weights) {
  const size_t row = weights.size() / factor.size();
  const std::vector<float> steps = std::move(quant.scale);
  const auto lowest = static_cast<double>(quant.lowest());
  bool is_wider = false;
  quant.scale.clear();
  for (size_t o = 0; o < factor.size(); ++o) {
    const auto step = static_cast<double>(steps[steps.size() == 1 ? 0 : o]);
    const bool flips = factor[o] < 0 && quant.bits < kBitsOfByte;
    const auto of_output = weights.subspan(o * row, row);
    const bool has_lowest = std::any_of(of_output.begin(), of_output.end(), [&](float w) {
      return std::round(static_cast<double>(w) / step) <= lowest;
    });
    is_wider = is_wider || (flips && has_lowest);
    const double f = factor[o] < 0 && has_lowest && !flips ? factor[o] : std::abs(factor[o]);
    quant.scale.push_back(static_cast<float>((f == 0 ? 1 : f) * step));
  }
  quant.bits += is_wider ? 1 : 0;
  quant.axis = 0;
  quant.threshold.clear();  // the scales are what is given
  return quant;
}

/// W_o <- f_o W_o and b_o <- f_o b_o + offset_o, in double.
void fold(graph::Graph& graph, graph::NodeId id, const Affine& affine) {
  const graph::ValueId weights_id = own_constant(graph, id, 1);
  const std::optional<QuantParams> given = graph.value(weights_id).type.quant;
  Tensor& weights = graph.mutable_constant(weights_id);
  const size_t outputs = affine.factor.size();
  const size_t row = static_cast<size_t>(weights.elements()) / outputs;
  const std::span<float> w = weights.span<float>();
  std::optional<QuantParams> quant;
  if (given) quant = scaled(*given, affine.factor, w);
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(w[i] * affine.factor[i / row]);
  if (quant) {
    TensorType type = graph.value(weights_id).type;
    type.quant = quant;
    graph.set_type(weights_id, std::move(type));
  }
  if (graph.node(id).inputs.size() < 3) {
    const graph::ValueId zeros = graph.add_constant(graph.unique_name(graph.node(id).name + "_biases"),
                                                    Tensor(Shape{static_cast<int64_t>(outputs)}));
    std::vector<graph::ValueId> inputs = graph.node(id).inputs;
    inputs.push_back(zeros);
    graph.replace(id, graph.op(id).clone(), std::move(inputs));
  }
  const std::span<float> b = graph.mutable_constant(own_constant(graph, id, 2)).span<float>();
  for (size_t o = 0; o < outputs; ++o) b[o] = static_cast<float>(b[o] * affine.factor[o] + affine.offset[o]);
}

/// A depthwise 1x1 Conv of weights 1 without bias on the edge into the BatchNorm.
graph::NodeId insert_identity(graph::Graph& graph, const graph::Node& norm) {
  const auto channels = static_cast<int>(graph.value(norm.inputs.at(0)).type.shape.c());
  const std::string name = graph.unique_name(own_layer_of(norm.name));
  Tensor ones(Shape{channels, 1, 1, 1});
  ones.fill(1);
  const graph::ValueId weights = graph.add_constant(graph.unique_name(name + "_weights"), std::move(ones));
  auto conv = std::make_unique<ops::Conv>();
  conv->kernel = {1, 1};
  conv->nb_outputs = channels;
  conv->groups = channels;
  const SourceLocation origin = norm.origin;
  const graph::NodeId norm_id = norm.id;
  const graph::NodeId id = graph.add(std::move(conv), name, {norm.inputs.at(0), weights}, origin);
  std::vector<graph::ValueId> inputs = graph.node(norm_id).inputs;
  inputs[0] = graph.node(id).outputs.at(0);
  graph.replace(norm_id, graph.op(norm_id).clone(), std::move(inputs));
  return id;
}

/// Whether weights are a row for each output, which its factor multiplies.
bool has_rows_of_weights(const graph::Graph& graph, const graph::Node& node) {
  return has_weights(graph, node) || graph::as<ops::Deconv>(node);
}

/// Folds y = scale (x - mean) / sqrt(variance + Epsilon) + bias into the Conv, Deconv or Fc that makes x, if
/// nothing else reads it and it has no clamp; otherwise into an identity depthwise Conv "<bn>_conv" inserted
/// in between. A clamp of the BatchNorm becomes the layer's. Source: Ioffe & Szegedy 2015, Algorithm 2.
class FuseBatchnorm final : public Pass {
 public:
  std::string_view name() const override { return "fuse_batchnorm"; }
  std::string_view summary() const override { return "folds BatchNorm into the weights of the layer before"; }
  int run(graph::Graph& graph, const PassContext&) const override {
    int rewrites = 0;
    for (const graph::NodeId id : graph.schedule()) {
      if (!graph::as<ops::BatchNorm>(graph.node(id))) continue;
      const Affine affine = affine_of(graph, graph.node(id));
      const graph::ValueId input = graph.node(id).inputs.at(0);
      graph::NodeId layer = graph.value(input).producer;
      const bool fits = layer && has_rows_of_weights(graph, graph.node(layer)) && !graph.node(layer).clamp &&
                        graph.has_single_use(input);
      if (!fits) layer = insert_identity(graph, graph.node(id));
      fold(graph, layer, affine);
      graph.set_clamp(layer, graph.node(id).clamp);
      graph.bypass(id);
      ++rewrites;
    }
    return rewrites;
  }
};

}  // namespace

std::string own_layer_of(std::string_view batchnorm) {
  return fmt::format("{}_conv", batchnorm);
}

void register_fuse_batchnorm(PassRegistry& registry);
void register_fuse_batchnorm(PassRegistry& registry) {
  register_pass<FuseBatchnorm>(registry);
}

}  // namespace n2d2::passes
