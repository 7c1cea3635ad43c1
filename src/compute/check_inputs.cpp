#include "check_inputs.hpp"

namespace n2d2::compute {

void check_inputs(const graph::Graph& graph, const graph::Node& node) {
  for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
    const std::string_view role = node.op->input_role(slot);
    const bool constant = graph.value(node.inputs[slot]).is_constant();
    if (constant && role.empty())
      throw ModelError(
          fmt::format("{}: input {} is a constant, expected an activation", graph::subject(node), slot),
          node.origin);
    if (!constant && !role.empty())
      throw ModelError(
          fmt::format("{}: input {} ({}) is computed, expected a constant", graph::subject(node), slot, role),
          node.origin);
  }
}

}  // namespace n2d2::compute
