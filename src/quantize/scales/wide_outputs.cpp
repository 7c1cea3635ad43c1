#include "n2d2/quantize/wide_outputs.hpp"

#include <algorithm>

namespace n2d2::quantize {

namespace {

using graph::ScaleOf;

std::string name_of(const graph::Value& value) {
  return "'" + value.name + "'";
}

/// Why nobody may change the bits of the value; "": somebody may. `leaves`: it is the output itself.
std::string stands_still(const graph::Graph& graph, const graph::Value& value, bool leaves) {
  if (!value.producer) return fmt::format("{} is the input of the network", name_of(value));
  if (value.type.quant) return fmt::format("the scale of {} comes with the model", name_of(value));
  const bool is_read = leaves ? !value.uses.empty() : !graph.has_single_use(value.id);
  if (is_read && leaves)
    return fmt::format("{} reads {}, too", subject(graph.node(value.uses.front().node)), name_of(value));
  return is_read ? fmt::format("{} has several readers", name_of(value)) : "";
}

}  // namespace

WideChain wide_chain(const graph::Graph& graph, graph::ValueId output) {
  WideChain chain;
  for (graph::ValueId id = output;;) {
    chain.why_not = stands_still(graph, graph.value(id), id == output);
    if (!chain.why_not.empty()) break;
    const graph::Node& node = graph.node(graph.value(id).producer);
    const graph::IntegerForm form = graph::integer_form(graph, node);
    chain.nodes.push_back(node.id);
    if (form.table || form.feeds_back || form.adds == graph::Addends::Product) {
      chain.why_not = fmt::format("{} has no sums", subject(node));
      break;
    }
    if (form.scale == ScaleOf::Own && node.outputs.size() == 1) {
      std::reverse(chain.nodes.begin(), chain.nodes.end());
      return chain;
    }
    if (form.scale != ScaleOf::OfInput || form.chooses || form.adds_zeros) {
      chain.why_not = fmt::format("{} adds nothing up", subject(node));
      break;
    }
    id = node.inputs.at(0);
  }
  chain.nodes.clear();
  return chain;
}

std::set<graph::ValueId> values_of_sums(const graph::Graph& graph, std::span<const int> output_bits) {
  constexpr int kBitsOfSums = 32;
  std::set<graph::ValueId> out;
  for (size_t i = 0; i < output_bits.size(); ++i)
    if (output_bits[i] >= kBitsOfSums)
      for (const graph::NodeId id : wide_chain(graph, graph.outputs().at(i)).nodes)
        out.insert(graph.node(id).outputs.at(0));
  return out;
}

}  // namespace n2d2::quantize
