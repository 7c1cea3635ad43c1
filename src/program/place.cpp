#include <numeric>

#include "n2d2/memory/strategy.hpp"
#include "n2d2/program/loop_nest.hpp"
#include "n2d2/program/plan.hpp"
#include "n2d2/program/schedule.hpp"
#include "n2d2/program/stream.hpp"

namespace n2d2::program {

namespace {

bool has_buffer(const View& view) {
  return !view.outside && !view.in_scratch && view.region == kNone;
}

/// Returns the buffer of each view; kNone for the network input outside the arenas, for the rings of a region
/// and for the maps between the steps of a loop nest.
std::vector<memory::BufferId> buffers_of(const Program& program) {
  std::vector<memory::BufferId> out;
  memory::BufferId next = 0;
  for (const View& view : program.views) out.push_back(has_buffer(view) ? next++ : memory::kNone);
  return out;
}

/// Bytes nobody writes, kept: they live from the start to the end.
memory::Buffer state_buffer(const std::string& call, Bytes bytes) {
  memory::Buffer buffer;
  buffer.name = call + ".state";
  buffer.used = buffer.pixel = bytes;
  buffer.keep = true;
  return buffer;
}

/// What is written to a map in a frame counts as the whole frame.
memory::Step step_of(const Program& program, const Call& call, const std::vector<memory::BufferId>& buffers) {
  memory::Step step;
  step.name = program.name_of(call);
  for (const ViewId out : call.out)
    step.writes.push_back(
        buffers[static_cast<size_t>(program.is_in_frame(out) ? program.view(out).host : out)]);
  for (size_t i = 0; i < call.in.size(); ++i) {
    const memory::BufferId read = buffers[static_cast<size_t>(call.in[i])];
    if (read != memory::kNone) step.reads.push_back({read, call.contract.windows.at(i)});
  }
  step.scratch = call.contract.scratch;
  step.rows_per_step = call.contract.rows_per_step;
  step.raster_order = call.contract.raster_order;
  step.overlap = call.overlap;
  step.any_order = call.contract.any_order || call.parallel;
  return step;
}

/// A region as one step; its rings are scratch.
memory::Step step_of(const Program& program, const Region& region,
                     const std::vector<memory::BufferId>& buffers) {
  const Call& last = program.call(region.end() - 1);
  const RegionReads reads = region_reads(program, region);
  memory::Step step;
  step.name = program.name_of(last);
  step.writes.push_back(buffers[static_cast<size_t>(reads.result)]);
  for (const auto& [view, window] : reads.reads)
    if (const memory::BufferId read = buffers[static_cast<size_t>(view)]; read != memory::kNone)
      step.reads.push_back({read, window});
  step.rows_per_step = reads.rows_per_step;
  step.scratch = region_scratch(program, region).end;
  step.scratch_memories = region.memories;
  for (CallId c = region.first; c < region.end(); ++c)
    for (const ViewId out : program.call(c).out)
      step.overlap = step.overlap && (program.view(out).region != kNone || program.call(c).overlap);
  return step;
}

/// Ring and turn of a view that goes on at the start of its space from the byte `wrap` on.
void place_view(View& view, const memory::View& at, const memory::Space& space) {
  view.place = Place{space.memory, space.offset + at.offset};
  view.pixel = at.pixel, view.row = at.row;
  view.ring = 0, view.first = 0, view.turn = 0;
  if (at.wrap == 0) return;
  view.ring = view.h;
  view.first = view.h - static_cast<int>(at.wrap / at.row);
  view.turn = at.offset + at.wrap;
}

/// The maps between the steps of a loop nest, whose scratch has a place.
void place_steps(Program& program, const Call& call) {
  for (const Call& step : call.steps)
    for (const ViewId id : step.out)
      if (View& view = program.views[static_cast<size_t>(id)]; view.in_scratch)
        view.place = Place{call.scratch->memory, call.scratch->offset + scratch_shift(call) + view.inside};
}

/// The rings, and the scratch of the calls behind them.
void place_region(Program& program, std::ptrdiff_t id, const Place& place) {
  Region& region = program.regions.at(static_cast<size_t>(id));
  region.place = place;
  for (View& view : program.views) {
    if (view.region != static_cast<RegionId>(id)) continue;
    Bytes inside = view.inside;
    for (ViewId host = view.host; host != kNone; host = program.view(host).host)
      inside += program.view(host).inside;
    const Bytes element = view.element();
    view.place = Place{place.memory, (place.offset + inside + element - 1) / element * element};
  }
  for (CallId c = region.first; c < region.end(); ++c) {
    Call& call = program.calls[static_cast<size_t>(c)];
    call.scan = memory::Scan::Any;  // what a turn writes, nobody reads in it before all of it is there
    call.parallel = false;          // the rows of a turn are few
    call.state.reset(), call.scratch.reset();
    if (call.contract.scratch > 0)
      call.scratch = Place{place.memory, place.offset + region_scratch(program, region).calls};
    place_steps(program, call);
  }
}

/// Every map is whole, every call runs by itself.
void drop_regions(Program& program) {
  program.regions.clear();
  for (View& view : program.views) {
    if (view.region == kNone) continue;
    if (view.host == kNone) view.inside = 0;
    view.region = kNone, view.ring = 0, view.turn = 0;
  }
}

/// Moves each map that lies in a frame to the next multiple of its elements, and what lies inside it along.
void place_frames(Program& program, memory::Plan& plan) {
  const auto buffers = buffers_of(program);
  std::vector<Bytes> moved(program.views.size(), 0);
  for (size_t v = 0; v < program.views.size(); ++v) {
    View& view = program.views[v];
    if (!has_buffer(view) || view.host == kNone) continue;
    memory::View& at = plan.views.at(static_cast<size_t>(buffers[v]));
    const auto host = static_cast<size_t>(view.host);
    moved[v] = moved[host];
    if (program.is_in_frame(static_cast<ViewId>(v))) {
      const memory::View& frame = plan.views.at(static_cast<size_t>(buffers[host]));
      const Bytes start = plan.spaces.at(static_cast<size_t>(frame.space)).offset + frame.offset;
      view.inside = (view.element() - start % view.element()) % view.element();
      moved[v] = frame.offset + view.inside - at.offset;
    }
    at.offset += moved[v];
  }
}

}  // namespace

memory::Problem memory_problem(const Program& program) {
  memory::Problem problem;
  problem.memories.clear();
  for (const Memory& m : program.memories) problem.memories.push_back({m.name, m.capacity, m.alignment});
  const auto buffers = buffers_of(program);
  for (const View& view : program.views) {
    if (!has_buffer(view)) continue;
    memory::Buffer buffer;
    buffer.name = view.name;
    buffer.used = view.used(), buffer.pixel = view.pixel;
    buffer.width = view.w, buffer.height = view.h;
    if (view.host != kNone) buffer.inside = {buffers[static_cast<size_t>(view.host)], view.inside};
    buffer.keep = view.keep;
    buffer.memories = view.memories;
    problem.buffers.push_back(std::move(buffer));
  }
  for (const Unit& unit : units_of(program)) {
    const Call& call = program.call(unit.first);
    problem.steps.push_back(unit.region ? step_of(program, *unit.region, buffers)
                                        : step_of(program, call, buffers));
    if (call.contract.state == 0) continue;
    problem.steps.back().reads.push_back(
        {static_cast<memory::BufferId>(problem.buffers.size()), {memory::Window::Kind::Whole, 1, 0, 1}});
    problem.buffers.push_back(state_buffer(problem.steps.back().name + call.suffix, call.contract.state));
  }
  problem.alignment = program.alignment;
  memory::derive_lifetimes(problem);
  const auto faults = memory::faults(problem);
  N2D2_CHECK(faults.empty(), "memory problem: {}", faults.front().text);
  return problem;
}

Planned placed(Program program, memory::Plan plan) {
  place_frames(program, plan);
  Planned out{std::move(program), {}, std::move(plan), 0};
  out.problem = memory_problem(out.program);
  size_t buffer = 0;
  for (View& view : out.program.views) {
    if (!has_buffer(view)) continue;
    const memory::View& at = out.plan.views.at(buffer++);
    place_view(view, at, out.plan.spaces.at(static_cast<size_t>(at.space)));
  }
  const std::vector<Unit> units = units_of(out.program);
  for (size_t u = 0; u < units.size(); ++u) {
    if (units[u].region != nullptr) {
      Place place{0, 0};  // nothing lies there where the calls of a region write parts of its result only
      if (out.problem.steps.at(u).scratch > 0) {
        const memory::Space& space = out.plan.spaces.at(static_cast<size_t>(out.plan.scratch_of_step.at(u)));
        place = {space.memory, space.offset};
      }
      place_region(out.program, units[u].region - out.program.regions.data(), place);
      continue;
    }
    Call& call = out.program.calls[static_cast<size_t>(units[u].first)];
    call.scan = out.plan.scan_of_step.at(u);
    call.scratch.reset();
    call.state.reset();
    if (call.contract.state > 0) {
      const memory::View& at = out.plan.views.at(buffer++);
      const memory::Space& space = out.plan.spaces.at(static_cast<size_t>(at.space));
      call.state = Place{space.memory, space.offset + at.offset};
    }
    if (call.contract.scratch == 0) continue;
    const memory::Space& space = out.plan.spaces.at(static_cast<size_t>(out.plan.scratch_of_step.at(u)));
    call.scratch = Place{space.memory, space.offset};
    place_steps(out.program, call);
  }
  const auto bounds = memory::lower_bounds(out.problem, out.plan);
  for (size_t m = 0; m < out.program.memories.size(); ++m) {
    out.program.memories[m].peak = out.plan.peaks.at(m);
    out.program.memories[m].lower_bound = bounds.at(m);
  }
  return out;
}

Planned without_reuse(const Planned& planned) {
  Program program = planned.program;
  drop_regions(program);
  const memory::Problem problem = memory_problem(program);
  memory::Plan plan;
  plan.peaks.assign(problem.memories.size(), 0);
  const memory::Lifetime always{0, memory::duration(problem)};
  const auto add_space = [&](memory::MemoryId id, Bytes size, Bytes element = 1) {
    const Bytes unit = std::lcm(memory::alignment_of(problem, id), element);
    Bytes& peak = plan.peaks[static_cast<size_t>(id)];
    plan.spaces.push_back({id, (peak + unit - 1) / unit * unit, size, always});
    peak = plan.spaces.back().offset + size;
    return static_cast<memory::SpaceId>(plan.spaces.size() - 1);
  };
  std::vector<Bytes> elements;
  for (const View& view : program.views)
    if (has_buffer(view)) elements.push_back(view.element());
  elements.resize(problem.buffers.size(), 1);  // of states
  std::vector<memory::SpaceId> space_of(problem.buffers.size(), memory::kNone);
  for (size_t b = 0; b < problem.buffers.size(); ++b) {
    const memory::Buffer& buffer = problem.buffers[b];
    if (!buffer.inside)
      space_of[b] =
          add_space(buffer.memories.empty() ? 0 : buffer.memories.front(), buffer.size(), elements[b]);
  }
  for (size_t b = 0; b < problem.buffers.size(); ++b) {
    const memory::Buffer& buffer = problem.buffers[b];
    const auto root = static_cast<size_t>(memory::root_of(problem, static_cast<memory::BufferId>(b)));
    Bytes offset = 0;
    for (const memory::Buffer* at = &buffer; at->inside;
         at = &problem.buffers[static_cast<size_t>(at->inside->buffer)])
      offset += at->inside->offset;
    plan.views.push_back(
        {space_of[root], offset, buffer.pixel, buffer.row(), 0, buffer.width, buffer.height});
  }
  for (const memory::Step& step : problem.steps) {
    plan.scan_of_step.push_back(memory::Scan::TopDown);
    plan.scratch_of_step.push_back(step.scratch > 0 ? add_space(0, step.scratch) : memory::kNone);
  }
  for (Memory& memory : program.memories) memory.capacity = 0;
  return placed(std::move(program), std::move(plan));
}

}  // namespace n2d2::program
