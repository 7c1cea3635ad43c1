#include "report.hpp"

#include <algorithm>

#include "n2d2/graph/text.hpp"
#include "n2d2/memory/plan_csv.hpp"
#include "n2d2/plot/timeline.hpp"

namespace n2d2::exporter {

namespace {

constexpr double kKib = 1024;

/// The step at which most bytes are live: the layer that sets the peak.
std::string peak_cell(const memory::Problem& problem) {
  memory::Bytes most = -1;
  std::string name;
  for (size_t t = 0; t < problem.steps.size(); ++t) {
    memory::Bytes live = problem.steps[t].scratch;
    for (const memory::Buffer& buffer : problem.buffers)
      if (!buffer.inside && buffer.life.first <= static_cast<int>(t) && static_cast<int>(t) < buffer.life.end)
        live += buffer.size();
    if (live > most) {
      most = live;
      name = problem.steps[t].name;
    }
  }
  return name;
}

plot::Box box_of(const PlannedNetwork& network, size_t index, memory::Bytes start, memory::Bytes size) {
  const memory::Buffer& buffer = network.memory.problem.buffers[index];
  plot::Box box;
  box.label = buffer.name;
  box.color = static_cast<int>(index);
  box.x0 = buffer.life.first, box.x1 = buffer.life.end;
  box.y0 = static_cast<double>(start) / kKib;
  box.y1 = static_cast<double>(start + size) / kKib;
  if (buffer.used < buffer.pixel) {
    box.stripes = buffer.width * buffer.height;
    box.stripe_fill = static_cast<double>(buffer.used) / static_cast<double>(buffer.pixel);
  }
  return box;
}

plot::Timeline picture_of(const PlannedNetwork& network) {
  const MemoryMap& map = network.memory;
  plot::Timeline timeline;
  timeline.title =
      fmt::format("Memory map: {} bytes, set by {}", with_thousands(map.plan.peaks[0]), peak_cell(map.problem));
  timeline.x_title = "step";
  timeline.y_title = "address [KiB]";
  for (const memory::Step& step : map.problem.steps) timeline.x_names.push_back(step.name);
  for (size_t i = 0; i < map.problem.buffers.size(); ++i) {
    const memory::Pieces pieces = memory::pieces(map.plan, static_cast<memory::BufferId>(i));
    if (pieces.size > 0) timeline.boxes.push_back(box_of(network, i, pieces.start, pieces.size));
    if (pieces.wrap_size > 0)
      timeline.boxes.push_back(box_of(network, i, pieces.wrap_start, pieces.wrap_size));
  }
  const auto kib = [](memory::Bytes bytes) { return static_cast<double>(bytes) / kKib; };
  timeline.levels.push_back(
      {kib(map.plan.peaks[0]), fmt::format("Peak usage = {:.2f} KiB", kib(map.plan.peaks[0])), 3, false});
  timeline.levels.push_back(
      {kib(map.lower_bound), fmt::format("Lower bound = {:.2f} KiB", kib(map.lower_bound)), 2, true});
  return timeline;
}

}  // namespace

void write_memory_report(const PlannedNetwork& network, FileTree& tree) {
  const MemoryMap& map = network.memory;
  const std::string base = "statistics/memory/memory_mapping.";
  tree.write(base + "log", memory::memory_map_log(map.problem, map.plan));
  tree.write(base + "csv", memory::memory_map_csv(map.problem, map.plan));
  tree.write(base + "json", memory::memory_map_json(map.problem, map.plan));
  tree.write("statistics/memory/memory_problem.csv", memory::problem_to_csv(map.problem));
  const plot::Canvas canvas = plot::draw(picture_of(network));
  canvas.write_svg(tree.reserve(base + "svg"));
  canvas.write_png(tree.reserve(base + "png"));
}

void write_graph_report(const PlannedNetwork& network, FileTree& tree) {
  const graph::Graph& graph = network.graph;
  tree.write("statistics/graph/graph.txt", graph::to_text(graph));
  std::string dot = "digraph network {\n  node [shape=box];\n";
  for (const graph::ValueId id : graph.inputs())
    dot += fmt::format("  \"{}\" [shape=ellipse];\n", graph.value(id).name);
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    dot += fmt::format("  \"{}\" [label=\"{}\\n{} {}\"];\n", node.name, node.name, node.op->type(),
                       graph.value(node.outputs[0]).type.shape.text());
    for (const graph::ValueId input : node.inputs)
      if (!graph.value(input).is_constant())
        dot += fmt::format("  \"{}\" -> \"{}\";\n", graph.value(input).name, node.name);
  }
  tree.write("statistics/graph/graph.dot", dot + "}\n");
}

}  // namespace n2d2::exporter
