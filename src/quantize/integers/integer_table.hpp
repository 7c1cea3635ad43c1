// What does a layer look up instead of computing it?
#pragma once

#include "n2d2/graph/graph.hpp"

#include "rescale_factors.hpp"

namespace n2d2::quantize {

/// Makes the table of a node whose form has one its input 1, and takes away all other inputs but the first.
/// Entries that are outputs stay within `bounds`.
void set_table(graph::Graph& graph, graph::NodeId id, const graph::IntegerForm& form, const QuantParams& in,
               const QuantParams& out, const Bounds& bounds);

/// Makes the parameters of a node whose form has some its inputs behind the first. `means`: of the channels
/// of input 0.
void set_parameters(graph::Graph& graph, graph::NodeId id, const graph::IntegerForm& form,
                    const QuantParams& in, const QuantParams& out, std::vector<double> means);

/// "", or what is wrong with the table of a quantized node: that integers() could not compute with it.
std::string fault_of_table(const graph::Graph& graph, const graph::Node& node,
                           const graph::IntegerForm& form);
/// Says the same of parameters: "", or what is wrong with them.
std::string fault_of_parameters(const graph::Graph& graph, const graph::Node& node,
                                const graph::IntegerForm& form);

}  // namespace n2d2::quantize
