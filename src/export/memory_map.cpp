#include "memory_map.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>

#include "n2d2/memory/order.hpp"
#include "n2d2/memory/strategy.hpp"
#include "n2d2/memory/validate.hpp"

namespace n2d2::exporter {

namespace {

using memory::BufferId;
using memory::Bytes;

Bytes round_up(Bytes bytes, Bytes unit) {
  return (bytes + unit - 1) / unit * unit;
}

class MapBuilder {
 public:
  MapBuilder(const graph::Graph& graph, std::span<const PlannedNode> nodes,
             std::span<const ProjectTarget> targets, const ExportParameters& parameters,
             const std::set<graph::ValueId>& copied)
      : graph_(graph), nodes_(nodes), parameters_(parameters), targets_(targets), copied_(copied) {}

  MemoryMap build() {
    add_memories();
    choose_lanes();
    const graph::ValueId input = graph_.inputs().at(0);
    if (parameters_.include_input_in_buffer) add_buffer(input, "env");
    for (const PlannedNode& planned : nodes_) add_node(planned);
    map_.problem.alignment = alignment(element_bytes_);
    memory::derive_lifetimes(map_.problem);
    const auto faults = memory::faults(map_.problem);
    N2D2_CHECK(faults.empty(), "memory problem: {}", faults.front().text);
    return std::move(map_);
  }

 private:
  /// An input of a Concat that its producer writes in place.
  struct Lane {
    graph::ValueId concat;
    Bytes offset = 0;
  };

  memory::Buffer& buffer(BufferId id) { return map_.problem.buffers[static_cast<size_t>(id)]; }
  Bytes element_of(graph::ValueId id) const { return size_bytes(graph_.value(id).type.dtype); }

  /// Bytes of which the pitches and the places of elements of that size are multiples.
  Bytes alignment(Bytes element) const {
    const Bytes unit = parameters_.memory_alignment;
    return parameters_.memory_alignment_unit == AlignmentUnit::Byte ? std::lcm(unit, element)
                                                                    : unit * element;
  }

  void add_memories() {
    map_.problem.memories.clear();
    for (const MemoryParameters& m : parameters_.memories)
      map_.problem.memories.push_back({m.name, m.size, m.alignment});
    if (map_.problem.memories.empty()) map_.problem.memories.push_back({MemoryParameters{}.name, 0, 1});
  }

  std::vector<memory::MemoryId> memories_of(const std::string& cell) const {
    std::vector<memory::MemoryId> out;
    for (const std::string& name : parameters_.memories_of(cell))
      for (size_t m = 0; m < map_.problem.memories.size(); ++m)
        if (map_.problem.memories[m].name == name) out.push_back(static_cast<memory::MemoryId>(m));
    return out;
  }

  void choose_lanes() {
    if (!parameters_.optimize_no_branch_concat) return;
    std::set<graph::ValueId> written;  // by a kernel, or part by part
    for (const PlannedNode& planned : nodes_) {
      const graph::Node& node = graph_.node(planned.node);
      const graph::ValueId output = node.outputs.at(0);
      if (planned.kernel->placement == Placement::Parts) {
        Bytes offset = 0;
        for (const graph::ValueId input : node.inputs) {
          const bool possible =
              written.contains(input) && !lanes_.contains(input) && !copied_.contains(input) &&
              graph_.value(input).type.dtype == graph_.value(output).type.dtype &&
              memories_of(graph_.node(graph_.value(input).producer).name) == memories_of(node.name);
          if (possible) {
            lanes_[input] = {output, offset};
            map_.lanes.push_back(input);
          }
          offset += graph_.value(input).type.shape.c() * element_of(input);
        }
      }
      if (planned.kernel->placement != Placement::Alias) written.insert(output);
    }
  }

  /// A map of the value's extents, `used` bytes a pixel.
  memory::Buffer map_of(graph::ValueId id, const std::string& name, Bytes used, Bytes pixel) {
    const Shape& shape = graph_.value(id).type.shape;
    element_bytes_ = std::max(element_bytes_, element_of(id));
    memory::Buffer out;
    out.name = name;
    for (int i = 2; !names_.insert(out.name).second; ++i) out.name = fmt::format("{}_{}", name, i);
    out.used = used;
    out.pixel = pixel;
    out.width = static_cast<int>(shape.h() == 1 ? 1 : shape.w());
    out.height = static_cast<int>(shape.h() == 1 ? shape.w() : shape.h());
    return out;
  }

  BufferId append(memory::Buffer added) {
    map_.problem.buffers.push_back(std::move(added));
    return static_cast<BufferId>(map_.problem.buffers.size() - 1);
  }

  /// The buffer of a value, made when it is first asked for: a lane needs that of its Concat.
  BufferId add_buffer(graph::ValueId id, const std::string& cell) {
    if (map_.has(id)) return map_.buffer_of[id];
    const Bytes element = element_of(id), used = graph_.value(id).type.shape.c() * element;
    const auto lane = lanes_.find(id);
    memory::Buffer added;
    if (lane == lanes_.end()) {
      added = map_of(id, cell, used, used > element ? round_up(used, alignment(element)) : element);
      added.memories = memories_of(cell);
    } else {
      const graph::ValueId concat = lane->second.concat;
      const BufferId host = add_buffer(concat, graph_.node(graph_.value(concat).producer).name);
      added = map_of(id, cell, used, buffer(host).pixel);
      added.inside = {host, lane->second.offset};
    }
    added.keep = is_target(id);
    return map_.buffer_of[id] = append(std::move(added));
  }

  bool is_target(graph::ValueId id) const {
    return std::any_of(targets_.begin(), targets_.end(),
                       [&](const ProjectTarget& t) { return t.value == id; });
  }

  void add_node(const PlannedNode& planned) {
    const graph::Node& node = graph_.node(planned.node);
    map_.steps_of[planned.node] = {};
    if (planned.kernel->placement == Placement::Alias && add_alias(node)) return;
    const BufferId written = add_buffer(node.outputs.at(0), node.name);
    const Contract contract = planned.kernel->contract(graph_, node);
    if (planned.kernel->placement == Placement::Parts) return add_parts(planned, contract, written);
    memory::Step step = step_of(planned, contract, written);
    for (size_t slot = 0; slot < contract.windows.size(); ++slot)
      add_read(step, node.inputs[slot], contract.windows[slot]);
    add_step(planned.node, std::move(step), memory::kNone);
  }

  /// False where the bytes cannot stay in place.
  bool add_alias(const graph::Node& node) {
    const graph::ValueId source = node.inputs.at(0), output = node.outputs.at(0);
    if (!map_.has(source)) return true;  // outside the arena, packed
    const memory::Buffer& from = buffer(map_.buffer_of[source]);
    const int64_t channels = graph_.value(output).type.shape.c();
    const bool same_pixels = channels == graph_.value(source).type.shape.c();
    const bool dense = from.used == from.pixel || from.width * from.height == 1;
    if (!same_pixels && !dense) return false;
    const Bytes used = channels * element_of(output), pixel = same_pixels ? from.pixel : used;
    memory::Buffer added = map_of(output, node.name, used, pixel);
    added.inside = {map_.buffer_of[source], 0};
    added.keep = is_target(output);
    map_.buffer_of[output] = append(std::move(added));
    return true;
  }

  /// One step for each input that is not in place already.
  void add_parts(const PlannedNode& planned, const Contract& contract, BufferId host) {
    const graph::Node& node = graph_.node(planned.node);
    Bytes offset = 0;
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const graph::ValueId input = node.inputs[slot];
      const Bytes used = graph_.value(input).type.shape.c() * element_of(input);
      const auto lane = lanes_.find(input);
      const bool in_place =
          lane != lanes_.end() && lane->second.concat == node.outputs.at(0) && lane->second.offset == offset;
      if (!in_place) {
        memory::Buffer part =
            map_of(node.outputs.at(0), fmt::format("{}.{}", node.name, slot), used, buffer(host).pixel);
        part.inside = {host, offset};
        memory::Step step = step_of(planned, contract, append(std::move(part)));
        add_read(step, input, contract.windows.at(slot));
        add_step(planned.node, std::move(step), static_cast<int>(slot));
      }
      offset += used;
    }
  }

  memory::Step step_of(const PlannedNode& planned, const Contract& contract, BufferId written) const {
    memory::Step step;
    step.name = graph_.node(planned.node).name;
    step.writes = {written};
    step.scratch = contract.scratch;
    step.rows_per_step = contract.rows_per_step;
    step.raster_order = contract.raster_order;
    step.overlap = parameters_.optimize_buffer_memory && !parameters_.no_wrap(step.name);
    step.any_order = contract.any_order || planned.parallel;
    return step;
  }

  void add_read(memory::Step& step, graph::ValueId input, const memory::Window& window) const {
    if (map_.has(input)) step.reads.push_back({map_.buffer_of.at(input), window});
  }

  void add_step(graph::NodeId node, memory::Step step, int slot) {
    map_.steps_of[node].push_back({static_cast<memory::StepId>(map_.problem.steps.size()), slot});
    map_.problem.steps.push_back(std::move(step));
  }

  const graph::Graph& graph_;
  std::span<const PlannedNode> nodes_;
  const ExportParameters& parameters_;
  std::span<const ProjectTarget> targets_;
  const std::set<graph::ValueId>& copied_;
  MemoryMap map_;
  std::map<graph::ValueId, Lane> lanes_;
  std::set<std::string> names_;
  Bytes element_bytes_ = 1;
};

}  // namespace

Place MemoryMap::place(graph::ValueId value) const {
  if (!has(value)) return {true, 0, 0};
  const memory::View& view = plan.views.at(static_cast<size_t>(buffer_of.at(value)));
  const memory::Space& space = plan.spaces.at(static_cast<size_t>(view.space));
  return {false, space.memory, space.offset + view.offset};
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

MemoryMap memory_problem(const graph::Graph& graph, std::span<const PlannedNode> nodes,
                         std::span<const ProjectTarget> targets, const ExportParameters& parameters,
                         const std::set<graph::ValueId>& copied) {
  return MapBuilder(graph, nodes, targets, parameters, copied).build();
}

void expect_room(const MemoryMap& map) {
  Diagnostics findings;
  for (size_t m = 0; m < map.problem.memories.size(); ++m) {
    const memory::Memory& memory = map.problem.memories[m];
    if (memory.capacity == 0 || map.plan.peaks[m] <= memory.capacity) continue;
    findings.error(
        {},
        fmt::format("export CPP: memory '{}' has {} bytes; what must lie there needs {}, and no plan "
                    "less than {}",
                    memory.name, memory.capacity, map.plan.peaks[m], map.lower_bounds[m]),
        fmt::format("Size={} in [memory.{}], or another memory behind it in MemorySection", map.plan.peaks[m],
                    memory.name));
  }
  findings.finish<ExportError>();
}

void expect_valid(const MemoryMap& map) {
  Diagnostics findings;
  for (const memory::Violation& violation : memory::validate(map.problem, map.plan))
    findings.error({}, "export CPP: memory plan rejected: " + violation.text);
  findings.finish<ExportError>();
}

namespace {

/// Nodes by the last of their steps; one without a step comes as soon as all it reads is there.
std::vector<PlannedNode> by_steps(const graph::Graph& graph, std::span<const PlannedNode> nodes,
                                  const MemoryMap& map, std::span<const memory::StepId> order) {
  std::vector<int> time(order.size());
  for (size_t t = 0; t < order.size(); ++t) time[static_cast<size_t>(order[t])] = static_cast<int>(t);
  std::map<graph::ValueId, int> made;  // when a value is there
  std::vector<std::pair<int, PlannedNode>> timed;
  for (const PlannedNode& planned : nodes) {  // a topological order
    const graph::Node& node = graph.node(planned.node);
    int last = -1;
    for (const PlannedStep& step : map.steps_of.at(planned.node))
      last = std::max(last, time[static_cast<size_t>(step.step)]);
    for (const graph::ValueId input : node.inputs)
      if (const auto it = made.find(input); it != made.end()) last = std::max(last, it->second);
    made[node.outputs.at(0)] = last;
    timed.emplace_back(last, planned);
  }
  std::stable_sort(timed.begin(), timed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<PlannedNode> out;
  for (const auto& [last, planned] : timed) out.push_back(planned);
  return out;
}

}  // namespace

std::vector<PlannedNode> in_order_of_memory(const graph::Graph& graph, std::vector<PlannedNode> nodes,
                                            std::span<const ProjectTarget> targets,
                                            const ExportParameters& parameters) {
  const MemoryMap map = memory_problem(graph, nodes, targets, parameters);
  auto other = by_steps(graph, nodes, map, memory::best_order(map.problem));
  const auto bound = [&](std::span<const PlannedNode> order) {
    return memory::lower_bound(memory_problem(graph, order, targets, parameters).problem);
  };
  return bound(other) < memory::lower_bound(map.problem) ? other : std::move(nodes);
}

namespace {

/// The problem with those lanes only that do not raise the bound.
MemoryMap with_useful_lanes(const graph::Graph& graph, std::span<const PlannedNode> nodes,
                            std::span<const ProjectTarget> targets, const ExportParameters& parameters) {
  MemoryMap best = memory_problem(graph, nodes, targets, parameters);
  if (!parameters.safe_margin) return best;
  std::set<graph::ValueId> copied;
  Bytes bound = memory::lower_bound(best.problem);
  for (const graph::ValueId lane : std::vector(best.lanes)) {
    copied.insert(lane);
    MemoryMap other = memory_problem(graph, nodes, targets, parameters, copied);
    const Bytes other_bound = memory::lower_bound(other.problem);
    if (other_bound < bound) {
      bound = other_bound;
      best = std::move(other);
    } else {
      copied.erase(lane);
    }
  }
  return best;
}

}  // namespace

MemoryMap plan_memory(const graph::Graph& graph, std::span<const PlannedNode> nodes,
                      std::span<const ProjectTarget> targets, const ExportParameters& parameters) {
  MemoryMap map = with_useful_lanes(graph, nodes, targets, parameters);
  memory::SolveOptions options;
  options.strategy = parameters.memory_manager_strategy;
  options.search_nodes = parameters.memory_search_nodes;
  options.safe_margin = parameters.safe_margin;
  const auto start = std::chrono::steady_clock::now();
  map.plan = memory::solve(map.problem, options);
  map.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  map.lower_bounds = memory::lower_bounds(map.problem, map.plan);
  expect_room(map);
  expect_valid(map);
  return map;
}

}  // namespace n2d2::exporter
