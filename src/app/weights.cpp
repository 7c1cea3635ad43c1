#include "weights.hpp"

#include <algorithm>
#include <filesystem>

namespace n2d2::app {

namespace {

/// The folder that a learning run of this network left, or would have.
std::string learnt_folder(const loader::Network& net) {
  // A run with -log-epoch 0 validates nothing and leaves only `weights`.
  const bool validated =
      net.data->size(data::Partition::Validation) > 0 &&
      (std::filesystem::exists("weights_validation") || !std::filesystem::exists("weights"));
  return validated ? "weights_validation" : "weights";
}

}  // namespace

bool brings_weights(const loader::Network& net) {
  const auto& all = net.parameters;
  return std::none_of(all.begin(), all.end(),
                      [](const auto& parameter) { return parameter.filler != nullptr; });
}

std::string weights_folder(const loader::Network& net, const Options& o) {
  if (o.reads_graph()) return "";
  if (o.learns()) return learnt_folder(net);
  if (o.weights == "/dev/null" || !o.state.empty()) return "";
  if (!o.weights.empty()) return o.weights;
  const std::string folder = learnt_folder(net);
  const bool learnt_here = !o.reads_onnx() && std::filesystem::exists(folder);
  return brings_weights(net) && !learnt_here ? "" : folder;
}

}  // namespace n2d2::app
