#include "memory_map.hpp"

#include <algorithm>

#include "n2d2/memory/strategy.hpp"
#include "n2d2/memory/validate.hpp"

namespace n2d2::exporter {

namespace {

using memory::Bytes;

class MapBuilder {
 public:
  MapBuilder(const graph::Graph& graph, const ExportParameters& parameters,
             std::span<const ProjectTarget> targets)
      : graph_(graph), parameters_(parameters), targets_(targets) {}

  MemoryMap build(std::span<const PlannedNode> nodes) {
    const graph::ValueId input = graph_.inputs().at(0);
    map_.cell_of[input] = "env";
    if (parameters_.include_input_in_buffer) add_buffer(input, "env");
    for (const PlannedNode& planned : nodes) add_node(planned);
    map_.problem.alignment = std::max(element_bytes_, element_bytes_ * parameters_.memory_alignment);
    memory::derive_lifetimes(map_.problem);
    const auto faults = memory::faults(map_.problem);
    N2D2_CHECK(faults.empty(), "memory problem: {}", faults.front().text);
    return std::move(map_);
  }

 private:
  void add_buffer(graph::ValueId id, const std::string& cell) {
    const graph::Value& value = graph_.value(id);
    const Shape& shape = value.type.shape;
    const Bytes element = size_bytes(value.type.dtype);
    element_bytes_ = std::max(element_bytes_, element);
    const int64_t unit = parameters_.memory_alignment;
    memory::Buffer buffer;
    buffer.name = cell;
    buffer.used = shape.c() * element;
    buffer.pixel = shape.c() > 1 ? (shape.c() + unit - 1) / unit * unit * element : element;
    buffer.width = static_cast<int>(shape.h() == 1 ? 1 : shape.w());
    buffer.height = static_cast<int>(shape.h() == 1 ? shape.w() : shape.h());
    map_.buffer_of[id] = static_cast<memory::BufferId>(map_.problem.buffers.size());
    map_.cell_of[id] = cell;
    map_.problem.buffers.push_back(std::move(buffer));
    if (is_target(id)) map_.problem.buffers.back().keep = true;
  }

  bool is_target(graph::ValueId id) const {
    return std::any_of(targets_.begin(), targets_.end(),
                       [&](const ProjectTarget& t) { return t.value == id; });
  }

  void add_node(const PlannedNode& planned) {
    const graph::Node& node = graph_.node(planned.node);
    const graph::ValueId output = node.outputs.at(0);
    if (planned.kernel == nullptr) {
      const graph::ValueId source = node.inputs.at(0);
      if (map_.has(source)) map_.buffer_of[output] = map_.buffer_of[source];
      map_.cell_of[output] = node.name;
      if (is_target(output) && map_.has(source)) map_.problem.buffers[map_.buffer_of[source]].keep = true;
      return;
    }
    add_buffer(output, node.name);
    memory::Step step;
    step.name = node.name;
    step.written = map_.buffer_of[output];
    for (size_t slot = 0; slot < node.inputs.size(); ++slot)
      if (map_.has(node.inputs[slot]))
        step.reads.push_back({map_.buffer_of[node.inputs[slot]], planned.kernel->window(graph_, node, slot)});
    map_.problem.steps.push_back(std::move(step));
  }

  const graph::Graph& graph_;
  const ExportParameters& parameters_;
  std::span<const ProjectTarget> targets_;
  MemoryMap map_;
  Bytes element_bytes_ = 1;
};

}  // namespace

bool is_alias(const graph::Node& node) {
  return node.op->type() == "Reshape";
}

Bytes MemoryMap::offset(graph::ValueId value) const {
  const memory::View& view = plan.views.at(static_cast<size_t>(buffer_of.at(value)));
  return plan.spaces.at(static_cast<size_t>(view.space)).offset + view.offset;
}

Plane MemoryMap::plane(const graph::Graph& graph, graph::ValueId value) const {
  const TensorType& type = graph.value(value).type;
  Plane plane = Plane::packed(type.shape);
  if (!has(value)) return plane;
  const memory::View& view = plan.views.at(static_cast<size_t>(buffer_of.at(value)));
  const Bytes element = size_bytes(type.dtype);
  const bool one_row = plane.height == 1;
  plane.pixel = view.pixel / element;
  plane.row = one_row ? plane.pixel * plane.width : view.row / element;
  if (view.wrap > 0) {
    plane.split = static_cast<int>(view.wrap / view.row);
    plane.jump = -(view.offset + view.wrap) / element;
  }
  return plane;
}

MemoryMap plan_memory(const graph::Graph& graph, std::span<const PlannedNode> nodes,
                      std::span<const ProjectTarget> targets, const ExportParameters& parameters) {
  MemoryMap map = MapBuilder(graph, parameters, targets).build(nodes);
  memory::SolveOptions options;
  options.strategy = parameters.memory_manager_strategy;
  map.plan = memory::solve(map.problem, options);
  map.lower_bound = memory::lower_bound(map.problem);
  Diagnostics findings;
  for (const memory::Violation& violation : memory::validate(map.problem, map.plan))
    findings.error({}, "export CPP: memory plan rejected: " + violation.text);
  findings.finish<ExportError>();
  return map;
}

}  // namespace n2d2::exporter
