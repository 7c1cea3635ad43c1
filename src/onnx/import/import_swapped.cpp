#include "import_swapped.hpp"

#include <algorithm>

#include "n2d2/passes/turn_maps.hpp"

#include "importer.hpp"

namespace n2d2::onnx {

namespace {

/// The node of the file that a layer was made for, else the layer itself.
std::string subject_of(const Imported& imported, const graph::Node& node) {
  for (const Layer& layer : imported.layers)
    if (layer.node == node.id)
      return fmt::format("node '{}' ({})", layer.node_name.empty() ? layer.output : layer.node_name,
                         layer.operator_type);
  return fmt::format("layer '{}' ({})", node.name, node.op->type());
}

/// Not to exchange always helps.
std::string hint_of(const std::string& hint) {
  if (!hint.empty()) return hint + ", or import without Transpose=1";
  return "without Transpose=1 the graph imports as it is: exchange the axes in the samples or in the model";
}

/// An output of the file may be left out; one that is not must have the elements of the file's, or their
/// transpose.
void check_outputs(const Model& model, const ImportOptions& options, const Imported& plain,
                   const passes::TurnedGraph& swapped, Diagnostics& findings) {
  for (const std::string& output : model.outputs()) {
    const auto value = plain.values.find(output);
    if (value == plain.values.end()) continue;
    const auto order = swapped.orders.find(value->second);
    const bool ignored =
        std::find(options.ignore.begin(), options.ignore.end(), output) != options.ignore.end();
    if (order == swapped.orders.end() || ignored || swapped.guessed.contains(value->second)) continue;
    findings.error(
        {model.file().path, 0},
        fmt::format("output '{}': with height and width exchanged, '{}' regroups the elements of maps into "
                    "an order that is not the file's",
                    output, order->second->cause),
        "end the network before it, with Outputs");
  }
}

}  // namespace

Imported import_swapped(graph::Graph& graph, const Model& model, const std::vector<graph::ValueId>& inputs,
                        const ImportOptions& options) {
  graph::Graph plain;
  std::vector<graph::ValueId> plain_inputs;
  for (const graph::ValueId input : inputs) {
    const graph::Value& given = graph.value(input);
    TensorType type = given.type;
    type.shape = graph::turned(type.shape);
    plain_inputs.push_back(plain.add_input(plain.unique_name(given.name), type));
  }
  ImportOptions in_order = options;
  in_order.keeps_channels_last = false;
  Imported out = import_as_it_is(plain, model, plain_inputs, in_order);

  Diagnostics findings;
  const auto refused = [&](const graph::Node& node, const std::string& reason, const std::string& hint) {
    findings.error({model.file().path, 0}, fmt::format("{}: {}", subject_of(out, node), reason),
                   hint_of(hint));
  };
  const passes::TurnedGraph swapped = passes::add_turned(graph, plain, inputs, refused);
  check_outputs(model, options, out, swapped, findings);
  findings.finish<ModelError>();

  for (auto& [name, value] : out.values) value = swapped.values.at(value);
  for (Layer& layer : out.layers)
    if (layer.node) layer.node = swapped.nodes.at(layer.node);
  return out;
}

}  // namespace n2d2::onnx
