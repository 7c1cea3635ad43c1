#include "n2d2/program/schedule.hpp"

#include <algorithm>

namespace n2d2::program {

int Pace::done(int turn, int height) const {
  if (!tiles.empty()) {
    const Rows& tile = tiles.at(static_cast<size_t>(turn));
    return tile.first + tile.count;
  }
  const int64_t made = int64_t{turn} * rows + lead;
  return static_cast<int>(
      std::clamp<int64_t>(made / every, 0, height));  // below 0: towards 0 is as good as down
}

Rows Pace::in(int turn, int height) const {
  return tiles.empty() ? added(turn, height) : tiles.at(static_cast<size_t>(turn));
}

Rows Pace::added(int turn, int height) const {
  const int before = turn == 0 ? 0 : done(turn - 1, height);
  return {before, done(turn, height) - before};
}

const Constant& Program::constant(std::span<const ConstantId> ids, std::string_view role) const {
  for (const ConstantId id : ids)
    if (constant(id).role.starts_with(role)) return constant(id);
  throw InternalError(fmt::format("a call has no {}", role), __FILE__, __LINE__);
}

const Region* Program::region_of(CallId call) const {
  const auto at = std::find_if(regions.begin(), regions.end(), [&](const Region& r) { return r.has(call); });
  return at == regions.end() ? nullptr : &*at;
}

Rows rows_of(const Program& program, const Call& call) {
  if (call.rows.count >= 0) return call.rows;
  return {call.rows.first, program.view(call.out.at(0)).h - call.rows.first};
}

std::vector<Unit> units_of(const Program& program) {
  std::vector<Unit> out;
  const auto calls = static_cast<CallId>(program.calls.size());
  auto region = program.regions.begin();
  for (CallId call = 0; call < calls; call = out.back().end) {
    const bool here = region != program.regions.end() && region->first == call;
    out.push_back(here ? Unit{call, region->end(), &*region} : Unit{call, call + 1, nullptr});
    if (here) ++region;
  }
  return out;
}

void visit_schedule(const Program& program, const Unit& unit, const ScheduleVisitor& visitor) {
  if (unit.region == nullptr) {
    if (visitor.run) visitor.run(unit.first, rows_of(program, program.call(unit.first)));
    return;
  }
  for (int turn = 0; turn < unit.region->turns; ++turn) {
    for (CallId call = unit.first; call < unit.end; ++call) {
      const Pace& pace = unit.region->paces[static_cast<size_t>(call - unit.first)];
      const Rows rows = pace.in(turn, program.view(program.call(call).out.at(0)).h);
      if (rows.count > 0 && visitor.run) visitor.run(call, rows);
      if (visitor.ran) visitor.ran(*unit.region, call, turn);
    }
  }
}

int64_t runs_of(const Program& program) {
  int64_t runs = 0;
  for (const Unit& unit : units_of(program))
    visit_schedule(program, unit,
                   {[&](CallId id, Rows) { runs += program.call(id).is_source() ? 0 : 1; }, {}});
  return runs;
}

std::vector<StreamedMap> streamed_maps(const Program& program, const Region& region) {
  std::vector<StreamedMap> out;
  if (program.call(region.first).is_source())
    out.push_back({std::nullopt, 0, region.first, region.paces.front()});
  for (size_t c = 0; c < program.cells.size(); ++c) {
    const Cell& cell = program.cells[c];
    for (size_t o = 0; o < cell.outputs.size(); ++o) {
      // All calls that fill a map have one rate, or one tile.
      const Pace* slowest = nullptr;
      CallId last = kNone;
      for (CallId call = region.first; call < region.end(); ++call)
        for (const ViewId made : program.call(call).out) {
          if (!program.lies_in(made, cell.outputs[o])) continue;
          const Pace& pace = region.paces[static_cast<size_t>(call - region.first)];
          if (slowest == nullptr || pace.lead < slowest->lead) slowest = &pace;
          last = call;
        }
      if (slowest != nullptr) out.push_back({c, o, last, *slowest});
    }
  }
  return out;
}

}  // namespace n2d2::program
