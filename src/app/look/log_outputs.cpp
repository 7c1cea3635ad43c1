#include "log_outputs.hpp"

#include <map>
#include <vector>

#include "n2d2/base/log.hpp"
#include "n2d2/compute/executor.hpp"
#include "n2d2/compute/integer.hpp"
#include "n2d2/quantize/check_integers.hpp"
#include "n2d2/quantize/quantize_graph.hpp"
#include "n2d2/tensor/npy.hpp"

#include "files.hpp"

namespace n2d2::app {

namespace {

using Values = std::map<graph::ValueId, Tensor>;

Tensor sample(const loader::Network& net, int64_t n) {
  const int64_t size = net.data->size(data::Partition::Test);
  if (n > size)
    throw ConfigError(fmt::format("option -log-outputs: there are {} Test samples, got '{}'", size, n));
  const int64_t position = n - 1;
  Tensor out;
  std::vector<int> labels;
  net.data->read(data::Partition::Test, std::span(&position, 1), 0, out, labels);
  return out;
}

Values integers(const graph::Graph& graph, const Tensor& input) {
  const graph::Value& first = graph.value(graph.inputs().at(0));
  return compute::IntegerExecutor(graph).run(quantize::quantize_input(input, *first.type.quant));
}

Values floats(const loader::Network& net, const Tensor& input) {
  const graph::Graph& graph = net.graph;
  compute::Executor executor(
      graph, {.backend = compute::Backend::OneDnn, .seed = net.seed, .keep = compute::Keep::All});
  executor.forward(input);
  Values values;
  for (const graph::ValueId id : graph.values())
    if (!graph.value(id).is_constant()) values.emplace(id, executor.read(id));
  return values;
}

}  // namespace

void log_outputs(const loader::Network& net, int64_t n, std::string_view folder) {
  const Tensor input = sample(net, n);
  const Values values =
      quantize::quantized_bits(net.graph) > 0 ? integers(net.graph, input) : floats(net, input);
  std::vector<std::string> names;
  for (const auto& [id, tensor] : values) names.push_back(net.graph.value(id).name);
  const std::vector<std::string> files = file_names(names);
  const std::filesystem::path place = fmt::format("{}_{}", folder, n);
  size_t next = 0;
  for (const auto& [id, tensor] : values) write_text(place / (files[next++] + ".npy"), npy(tensor));
  log::info("Outputs of Test sample {}: {} values in '{}'", n, values.size(), place.string());
}

}  // namespace n2d2::app
