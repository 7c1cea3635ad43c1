// What does a network compute of which only some parts are quantized?
#pragma once

#include <string>
#include <vector>

#include "n2d2/graph/graph.hpp"

namespace n2d2::quantize {

/// A network input or layer, by what of it integers replace.
struct SwitchedLayer {
  std::string name;  ///< of its value
  graph::ValueId value;
  graph::NodeId node;  ///< none: an input
  bool has_weights = false;
  /// Whether the value is rounded to integers of at most 16 bits.
  bool has_values = false;
  /// Whether 16 bits can be asked for the value: layers with weights and sums change the width.
  bool may_widen = false;
  /// The grid of the value.
  QuantParams quant;
};

/// Inputs first, then in schedule order; those of which nothing is replaced are left out.
std::vector<SwitchedLayer> switched_layers(const graph::Graph& floats, const graph::Graph& integers);

/// Which parts are quantized, by the place of their layer in switched_layers().
struct Switches {
  std::vector<bool> weights, values;

  Switches() = default;
  Switches(size_t layers, bool has_weights, bool has_values)
      : weights(layers, has_weights), values(layers, has_values) {}
};

/// simulated_graph() with the weights, clamps and values of some layers left as they are in `floats`. Values
/// that leave the graph are not rounded.
graph::Graph switched_graph(const graph::Graph& floats, const graph::Graph& integers,
                            const std::vector<SwitchedLayer>& layers, const Switches& on);

/// `floats`, whose values stay what they are, with a copy of each layer that has weights: the copy reads the
/// same, and has the weights and the clamp of `simulated`, which all parts are switched on in. Returns the
/// values that the copies make, one for each layer; none where there is no copy.
std::vector<graph::ValueId> add_quantized_copies(graph::Graph& floats, const graph::Graph& simulated,
                                                 const std::vector<SwitchedLayer>& layers);

}  // namespace n2d2::quantize
