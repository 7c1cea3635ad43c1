// Networks nobody thought of, regions nobody thought of: does every value outside of parts keep its bytes?
#pragma once

#include "n2d2/base/log.hpp"
#include "n2d2/graph/verify.hpp"
#include "n2d2/passes/pipelines.hpp"
#include "n2d2/program/memory_check.hpp"
#include "n2d2/program/validate.hpp"

#include "drawn.hpp"
#include "passes/random_net.hpp"
#include "quantize/quantize_for.hpp"
#include "with_parts.hpp"

namespace n2d2::delegates {

/// Every layer with a chance of its own, one at least; all of them in every tenth network.
inline std::string random_layers(const graph::Graph& graph, Rng& rng) {
  if (rng.chance(0.1)) return "";
  const double share = rng.uniform(0.1, 0.95);
  std::string out;
  for (const graph::NodeId id : graph.nodes())
    if (rng.chance(share)) out += graph.node(id).name + " ";
  return out.empty() ? graph.node(graph.nodes().front()).name : out;
}

inline program::MemorySettings random_settings(Rng& rng) {
  program::MemorySettings out;
  out.input_in_arena = rng.chance(0.8);
  out.overlap = rng.chance(0.9);
  out.lanes = rng.chance(0.8);
  out.alignment = rng.chance(0.7) ? 1 : static_cast<int64_t>(2 + rng.below(7));
  out.search_nodes = 2'000;
  return out;
}

struct Counts {
  size_t networks = 0, parts = 0, nodes_in_parts = 0, parts_of_several_outputs = 0,
         parts_of_several_inputs = 0;
};

inline void count(const graph::Graph& graph, Counts& counts) {
  for (const graph::NodeId id : graph.nodes())
    if (const auto* part = graph::as<ops::Part>(graph.node(id))) {
      ++counts.parts;
      counts.nodes_in_parts += part->graph.nodes().size();
      counts.parts_of_several_inputs += part->graph.inputs().size() > 1 ? 1 : 0;
      counts.parts_of_several_outputs += part->graph.outputs().size() > 1 ? 1 : 0;
    }
}

/// Quantizes a random network at one of these widths, lets `delegates_of(graph, rng)` take what they take,
/// and compares:
/// every value outside of parts keeps its bytes, and nobody touches what is not theirs.
template <class DelegatesOf>
void prove(uint64_t seed, const std::vector<int>& widths, DelegatesOf delegates_of, Counts& counts) {
  Rng rng(seed, "parts of a network");
  testing::RandomNet random(seed, testing::RandomNet::Kind::Integer);
  graph::Graph& graph = random.net().graph;
  const Tensor floats = testing::random_tensor(graph.value(random.net().data).type.shape, rng);
  const int bits = widths[rng.below(widths.size())];
  passes::run(graph, passes::float_pipeline({}));
  if (bits > 0) testing::quantize_for(graph, floats, bits);
  passes::run(graph, passes::export_pipeline());
  const TensorType& input = graph.value(graph.inputs().at(0)).type;
  const Tensor sample = bits > 0 ? quantize::quantize_input(floats, *input.quant) : floats;
  const program::MemorySettings settings = random_settings(rng);
  const auto expected = values_of(without_parts(graph, settings).program, sample);
  const WithParts parts = with_parts(graph, delegates_of(graph, rng), settings);
  graph::verify(parts.handed.graph);
  expect_same(values_of(parts.planned.program, sample), expected);
  program::check_memory(parts.planned, sample, "test");
  count(parts.handed.graph, counts);
}

/// prove() for seeds 0, 1, ... until one fails: the first of them, and those that are drawn by `name`.
template <class DelegatesOf>
Counts prove_all(std::string_view name, uint64_t cases, const std::vector<int>& widths,
                 DelegatesOf delegates_of) {
  const log::Capture quiet;
  Counts counts;
  for (uint64_t seed = 0; seed < cases && !::testing::Test::HasFailure(); ++seed) {
    if (!is_drawn(name, seed, std::max<uint64_t>(30, cases / 20))) continue;
    ++counts.networks;
    SCOPED_TRACE("seed " + std::to_string(seed));
    try {
      prove(seed, widths, delegates_of, counts);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
  std::printf("%zu parts of %zu nodes, %zu with several inputs, %zu with several outputs\n", counts.parts,
              counts.nodes_in_parts, counts.parts_of_several_inputs, counts.parts_of_several_outputs);
  return counts;
}

}  // namespace n2d2::delegates
