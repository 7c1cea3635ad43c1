#include <algorithm>
#include <cmath>

#include "n2d2/quantize/quantize_graph.hpp"

#include "scales/constant_operands.hpp"

namespace n2d2::quantize {

namespace {

/// Beyond what any trained network holds: one such value takes the resolution of all others.
constexpr float kSuspicious = 1e10F;

/// Calls visit(subject, values, place) for every constant that a node reads: "[conv] Conv: expected finite
/// biases".
template <class Visit>
void for_constants(const graph::Graph& graph, const Visit& visit) {
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const graph::Value& value = graph.value(node.inputs[slot]);
      if (!value.is_constant()) continue;
      N2D2_CHECK(value.type.dtype == DataType::F32, "'{}' is quantized already", value.name);
      const std::string_view role = node.op->input_role(slot);
      visit(fmt::format("{}: expected finite {}", subject(node), role.empty() ? "constants" : role),
            value.constant->span<float>(), node);
    }
  }
}

}  // namespace

void check_constants(const graph::Graph& graph) {
  Diagnostics findings;
  for_constants(graph, [&](const std::string& expected, std::span<const float> values,
                           const graph::Node& node) {
    const auto bad = std::find_if(values.begin(), values.end(), [](float x) { return !std::isfinite(x); });
    if (bad != values.end())
      findings.error(node.origin, fmt::format("{}, got {} at index {}", expected, *bad, bad - values.begin()),
                     "lower the learning rate, or check the weight files");
  });
  findings.finish<ModelError>();
}

void warn_of_large_constants(const graph::Graph& graph) {
  Diagnostics findings;
  for_constants(
      graph, [&](const std::string& expected, std::span<const float> values, const graph::Node& node) {
        if (is_sum_with_constant(node)) return;  // bounded by what the sum reaches, as masks are
        const auto largest = std::max_element(values.begin(), values.end(),
                                              [](float a, float b) { return std::abs(a) < std::abs(b); });
        if (largest != values.end() && std::abs(*largest) > kSuspicious)
          findings.warn(node.origin,
                        fmt::format("{} of a usual size, got {} at index {}", expected, *largest,
                                    largest - values.begin()),
                        "check the weight files: beside it, integers lose every other value");
      });
  findings.finish<ModelError>();
}

}  // namespace n2d2::quantize
