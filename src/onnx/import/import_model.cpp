// What does a file add to a graph, whichever way its maps lie?
#include <algorithm>
#include <set>

#include "n2d2/onnx/importer.hpp"

#include "import_swapped.hpp"

namespace n2d2::onnx {

namespace {

/// Nodes that make outputs of the file are called like these, not like a helper or a layer that took
/// another one in.
void name_outputs(graph::Graph& graph, const Model& model, const Imported& imported,
                  const std::set<graph::NodeId>& others) {
  const std::vector<std::string>& outputs = model.outputs();
  for (const std::string& output : outputs) {
    const auto found = imported.values.find(output);
    if (found == imported.values.end()) continue;
    const graph::Value& value = graph.value(found->second);
    const bool is_free = !graph.find_node(output) && !graph.find_value(output);
    const bool is_output = std::find(outputs.begin(), outputs.end(), value.name) != outputs.end();
    if (!value.producer || others.contains(value.producer) || !is_free || is_output) continue;
    if (graph.node(value.producer).outputs.size() == 1) graph.rename(value.producer, output);
  }
}

}  // namespace

Imported import_model(graph::Graph& graph, const Model& model, const std::vector<graph::ValueId>& inputs,
                      const ImportOptions& options) {
  const auto import = options.transpose ? import_swapped : import_as_it_is;
  const std::vector<graph::NodeId> before = graph.nodes();
  Imported out = import(graph, model, inputs, options);
  name_outputs(graph, model, out, {before.begin(), before.end()});
  return out;
}

}  // namespace n2d2::onnx
