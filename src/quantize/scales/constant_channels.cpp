#include "constant_channels.hpp"

#include <cmath>
#include <vector>

#include "n2d2/passes/own_constant.hpp"
#include "n2d2/passes/weight_indices.hpp"

namespace n2d2::quantize {

namespace {

constexpr double kShareOfBias = 0x1p-20;

/// Computes, for each output, how far its weights can move it: the sum of |weight| times the peak of the
/// input channel.
std::vector<double> movements(const graph::Graph& graph, const graph::Node& node, const Statistics& in) {
  const auto weights = graph.value(node.inputs.at(1)).constant->span<float>();
  const auto channels = static_cast<int64_t>(in.channel_peaks.size());
  const passes::WeightIndices indices(graph, node, channels);
  std::vector<double> moved(static_cast<size_t>(indices.outputs()), 0);
  for (int64_t o = 0; o < indices.outputs(); ++o)
    indices.for_output(o, [&](int64_t c, size_t first) {
      double sum = 0;
      for (size_t i = first; i < first + static_cast<size_t>(indices.taps()); ++i)
        sum += std::abs(double{weights[i]});
      moved[static_cast<size_t>(o)] += sum * in.channel_peaks[static_cast<size_t>(c)];
    });
  return moved;
}

int settle(graph::Graph& graph, graph::NodeId id, const Statistics& in) {
  const graph::Node& node = graph.node(id);
  const std::vector<double> moved = movements(graph, node, in);
  std::vector<size_t> settled;
  const auto biases = graph.value(node.inputs.at(2)).constant->span<float>();
  for (size_t o = 0; o < moved.size(); ++o)
    if (moved[o] > 0 && moved[o] <= kShareOfBias * std::abs(double{biases[o]})) settled.push_back(o);
  if (settled.empty()) return 0;
  const auto weights = graph.mutable_constant(passes::own_constant(graph, id, 1)).span<float>();
  const size_t row = weights.size() / moved.size();
  for (const size_t o : settled) std::ranges::fill(weights.subspan(o * row, row), 0.0F);
  return static_cast<int>(settled.size());
}

}  // namespace

int settle_constant_channels(graph::Graph& graph, const Ranges& ranges) {
  int settled = 0;
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    const auto in = ranges.values.find(node.inputs.at(0));
    if (!passes::has_weights(graph, node) || node.inputs.size() < 3 || in == ranges.values.end()) continue;
    if (in->second.channel_peaks.empty()) continue;
    if (!graph.value(node.inputs[1]).type.quant) settled += settle(graph, id, in->second);
  }
  return settled;
}

}  // namespace n2d2::quantize
