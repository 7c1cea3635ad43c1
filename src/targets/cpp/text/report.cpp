#include "report.hpp"

#include <vector>

#include "n2d2/memory/plan_csv.hpp"
#include "n2d2/memory/strategy.hpp"
#include "n2d2/program/schedule.hpp"

namespace n2d2::targets::cpp {

namespace {

constexpr double kKib = 1024;

std::string peak_cell(const PlannedNetwork& network) {
  const memory::StepId step = peak_step(network);
  return step == memory::kNone ? "nothing" : network.planned.problem.steps[static_cast<size_t>(step)].name;
}

plot::Box box_of(const PlannedNetwork& network, size_t index, memory::Bytes start, memory::Bytes size) {
  const memory::Buffer& buffer = network.planned.problem.buffers[index];
  plot::Box box;
  box.label = buffer.name;
  box.color = static_cast<int>(index);
  box.group = memory::root_of(network.planned.problem, static_cast<memory::BufferId>(index));
  box.x0 = buffer.life.first, box.x1 = buffer.life.end;
  box.y0 = static_cast<double>(start) / kKib;
  box.y1 = static_cast<double>(start + size) / kKib;
  if (buffer.used < buffer.pixel) {
    box.stripes = buffer.width * buffer.height;
    box.stripe_fill = static_cast<double>(buffer.used) / static_cast<double>(buffer.pixel);
  }
  return box;
}

/// Buffers that steps write, and what is there from outside: neither the frame around lanes nor other names.
std::vector<bool> drawn_buffers(const memory::Problem& problem) {
  std::vector<bool> drawn(problem.buffers.size(), false), holds(problem.buffers.size(), false);
  for (const memory::Step& step : problem.steps) {
    for (const memory::BufferId written : step.writes) {
      drawn[static_cast<size_t>(written)] = true;
      holds[static_cast<size_t>(memory::root_of(problem, written))] = true;
    }
  }
  for (size_t b = 0; b < drawn.size(); ++b)
    if (!problem.buffers[b].inside && !holds[b]) drawn[b] = true;
  return drawn;
}

/// Rows of the maps of a region; of tiles, as long as they are there in a turn, whose calls share the width
/// of the step.
void add_rings(const program::Program& program, const program::Unit& unit, double step, double base_kib,
               int color, plot::Timeline& timeline) {
  const auto place_in_turn = [&](program::CallId call) {
    return step + static_cast<double>(call - unit.first) / static_cast<double>(unit.end - unit.first);
  };
  for (program::ViewId v = 0; v < static_cast<program::ViewId>(program.views.size()); ++v) {
    const program::View& view = program.view(v);
    const bool is_ring = view.region == unit.region - program.regions.data() && view.host == program::kNone;
    if (!is_ring || !view.place) continue;
    program::CallId first = unit.end, last = unit.first;
    for (program::CallId call = unit.first; call < unit.end; ++call)
      for (const auto* views : {&program.call(call).in, &program.call(call).out})
        for (const program::ViewId used : *views)
          if (program.root_of(used) == v) first = std::min(first, call), last = std::max(last, call);
    const int rows = view.ring > 0 ? view.ring : view.h;
    plot::Box box;
    box.label = fmt::format("{}: {} of {} rows", view.name, rows, view.h);
    box.color = color + v, box.group = color;
    const bool is_tiled = unit.region->is_tiled();
    box.x0 = is_tiled ? place_in_turn(first) : step, box.x1 = is_tiled ? place_in_turn(last + 1) : step + 1;
    box.y0 = base_kib + static_cast<double>(view.place->offset) / kKib;
    box.y1 = box.y0 + static_cast<double>(rows * view.row) / kKib;
    timeline.boxes.push_back(std::move(box));
  }
}

/// What steps need for themselves: the rows of maps that stream, and scratch of kernels.
void add_scratch(const PlannedNetwork& network, const std::vector<memory::Bytes>& base,
                 plot::Timeline& timeline) {
  const program::Planned& map = network.planned;
  const std::vector<program::Unit> units = program::units_of(map.program);
  for (size_t step = 0; step < map.plan.scratch_of_step.size(); ++step) {
    const memory::SpaceId id = map.plan.scratch_of_step[step];
    if (id == memory::kNone) continue;
    const memory::Space& space = map.plan.spaces[static_cast<size_t>(id)];
    const memory::Bytes from = base[static_cast<size_t>(space.memory)] + space.offset;
    if (units[step].region != nullptr) {
      add_rings(map.program, units[step], static_cast<double>(step),
                static_cast<double>(base[static_cast<size_t>(space.memory)]) / kKib,
                static_cast<int>(map.problem.buffers.size()), timeline);
      if (map.problem.steps[step].scratch == units[step].region->rings) continue;
    }
    plot::Box box;
    box.label = map.problem.steps[step].name + ": scratch";
    box.color = box.group = static_cast<int>(map.problem.buffers.size() + step);
    box.x0 = static_cast<double>(step), box.x1 = static_cast<double>(step + 1);
    const memory::Bytes rings = units[step].region != nullptr ? units[step].region->rings : 0;
    box.y0 = static_cast<double>(from + rings) / kKib, box.y1 = static_cast<double>(from + space.size) / kKib;
    timeline.boxes.push_back(std::move(box));
  }
}

}  // namespace

memory::StepId peak_step(const PlannedNetwork& network) {
  return memory::step_of_lower_bound(network.planned.problem);
}

plot::Timeline memory_timeline(const PlannedNetwork& network) {
  const program::Planned& map = network.planned;
  const std::vector<program::Memory>& memories = map.program.memories;
  const auto kib = [](memory::Bytes bytes) { return static_cast<double>(bytes) / kKib; };
  plot::Timeline timeline;
  timeline.x_title = "step";
  timeline.y_title = "address [KiB]";
  for (const memory::Step& step : map.problem.steps) timeline.x_names.push_back(step.name);
  // Memories lie one above the other, each with its peak and its bound.
  std::vector<memory::Bytes> base;
  memory::Bytes total = 0;
  for (size_t m = 0; m < map.plan.peaks.size(); ++m) {
    base.push_back(total);
    const std::string of =
        map.plan.peaks.size() > 1 ? fmt::format(" of {}", map.problem.memories[m].name) : "";
    timeline.levels.push_back({kib(total + memories[m].lower_bound),
                               fmt::format("Least{}: {:.2f} KiB", of, kib(memories[m].lower_bound))});
    total += map.plan.peaks[m];
    timeline.levels.push_back({kib(total), fmt::format("Peak{}: {:.2f} KiB", of, kib(map.plan.peaks[m]))});
  }
  timeline.title =
      fmt::format("Memory over time: {} bytes, set by {}", with_thousands(total), peak_cell(network));
  if (const memory::StepId step = peak_step(network); step != memory::kNone) timeline.marked = step;
  const auto drawn = drawn_buffers(map.problem);
  for (size_t i = 0; i < map.problem.buffers.size(); ++i) {
    if (!drawn[i]) continue;
    const memory::Pieces pieces = memory::pieces(map.plan, static_cast<memory::BufferId>(i));
    const memory::Space& space = map.plan.spaces[static_cast<size_t>(map.plan.views[i].space)];
    const memory::Bytes from = base[static_cast<size_t>(space.memory)];
    if (pieces.size > 0) timeline.boxes.push_back(box_of(network, i, from + pieces.start, pieces.size));
    if (pieces.wrap_size == 0) continue;
    timeline.boxes.push_back(box_of(network, i, from + pieces.wrap_start, pieces.wrap_size));
    if (pieces.size > 0)
      timeline.arrows.push_back({static_cast<double>(map.problem.buffers[i].life.first),
                                 kib(from + pieces.start + pieces.size), kib(from + pieces.wrap_start),
                                 static_cast<int>(i)});
  }
  add_scratch(network, base, timeline);
  return timeline;
}

void write_memory_report(const PlannedNetwork& network, exporter::FileTree& tree) {
  const program::Planned& map = network.planned;
  const std::string base = "statistics/memory/memory_mapping.";
  tree.write(base + "log", memory::memory_map_log(map.problem, map.plan));
  tree.write(base + "csv", memory::memory_map_csv(map.problem, map.plan));
  tree.write(base + "json", memory::memory_map_json(map.problem, map.plan));
  tree.write("statistics/memory/memory_plan.csv",
             memory::problem_to_csv(map.problem) + memory::plan_to_csv(map.problem, map.plan));
  const plot::Canvas canvas = plot::draw(memory_timeline(network));
  canvas.write_svg(tree.reserve(base + "svg"));
  canvas.write_png(tree.reserve(base + "png"));
}

}  // namespace n2d2::targets::cpp
