#include "n2d2/export/graph_files.hpp"

#include "n2d2/export/identifiers.hpp"
#include "n2d2/graph/text.hpp"

namespace n2d2::exporter {

ExtraFiles graph_files(const graph::Graph& graph) {
  std::string dot = "digraph network {\n  node [shape=box];\n";
  for (const graph::ValueId id : graph.inputs())
    dot += fmt::format("  {} [shape=ellipse];\n", quoted_name(graph.value(id).name));
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    const std::string name = quoted_name(node.name);
    dot += fmt::format("  {} [label=\"{}\\n{} {}\"];\n", name, name.substr(1, name.size() - 2),
                       node.op->type(), graph.value(node.outputs[0]).type.shape.text());
    for (const graph::ValueId input : node.inputs)
      if (!graph.value(input).is_constant())
        dot += fmt::format("  {} -> {};\n", quoted_name(graph.value(input).name), name);
  }
  return {{"statistics/graph/graph.txt", graph::to_text_without_folders(graph)},
          {"statistics/graph/graph.dot", dot + "}\n"}};
}

}  // namespace n2d2::exporter
