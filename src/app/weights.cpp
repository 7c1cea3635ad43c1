#include "weights.hpp"

#include <algorithm>
#include <filesystem>

#include "n2d2/base/log.hpp"
#include "n2d2/ops/batchnorm.hpp"

namespace n2d2::app {

namespace {

/// The folder that a learning run of this network left, or would have.
std::string learnt_folder(const loader::Network& net, const Options& o) {
  const std::filesystem::path best = o.in_output("weights_validation"), latest = o.in_output("weights");
  // A run with -log-epoch 0 validates nothing and leaves only `weights`.
  const bool validated = net.data->size(data::Partition::Validation) > 0 &&
                         (std::filesystem::exists(best) || !std::filesystem::exists(latest));
  return (validated ? best : latest).string();
}

/// Whether a BatchNorm has variances, and all of them are 0.
bool has_no_variance(const graph::Graph& graph, const graph::Node& node) {
  for (size_t slot = 0; slot < node.inputs.size(); ++slot)
    if (const graph::Value& value = graph.value(node.inputs[slot]);
        node.op->input_role(slot) == "variances" && value.is_constant())
      return std::ranges::all_of(value.constant->span<float>(), [](float v) { return v == 0; });
  return false;
}

}  // namespace

bool brings_weights(const loader::Network& net) {
  const auto& all = net.parameters;
  return std::none_of(all.begin(), all.end(),
                      [](const auto& parameter) { return parameter.filler != nullptr; });
}

std::string weights_folder(const loader::Network& net, const Options& o) {
  if (o.reads_graph()) return "";
  if (o.learns()) return learnt_folder(net, o);
  if (o.weights == "/dev/null" || !o.state.empty()) return "";
  if (!o.weights.empty()) return o.weights;
  const std::string folder = learnt_folder(net, o);
  const bool learnt_here = !o.reads_onnx() && std::filesystem::exists(folder);
  return brings_weights(net) && !learnt_here ? "" : folder;
}

void warn_of_variances(const graph::Graph& graph) {
  const graph::Node* first = nullptr;
  size_t others = 0;
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    if (graph::as<ops::BatchNorm>(node) == nullptr || !has_no_variance(graph, node)) continue;
    others += first == nullptr ? 0 : 1;
    if (first == nullptr) first = &node;
  }
  if (first == nullptr) return;
  const std::string more = others == 0 ? "" : fmt::format(" and {} more", others);
  log::warn(
      "{}",
      Diagnostic{first->origin,
                 fmt::format("{}{}: all stored variances are 0, as before learning; outputs are divided by "
                             "sqrt(Epsilon) and may be far from those of any sample",
                             graph::subject(*first), more),
                 "let the network learn, or name its weights (-w)"}
          .text());
}

}  // namespace n2d2::app
