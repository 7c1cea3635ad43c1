#include "n2d2/program/stream.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "n2d2/program/schedule.hpp"

#include "members.hpp"
#include "paces.hpp"
#include "tiles.hpp"
#include "turns.hpp"

namespace n2d2::program {

namespace {

/// Calls that write to a map or read it, and whether it can be a ring.
struct MapUse {
  CallId first = kNone, last = kNone, last_written = kNone;
  bool kept = false, can_be_ring = true;
  std::vector<memory::MemoryId> memories;  // where all of its views may lie that name any
  void touch(CallId call) {
    first = first == kNone ? call : std::min(first, call);
    last = std::max(last, call);
  }
  bool writes_after(CallId end) const { return last_written >= end; }
};

}  // namespace

/// What there is to know of a program's maps and cells before any choice.
struct Streams::Maps {
  explicit Maps(const Program& program) : cuts(program.calls.size() + 1, true) {
    for (ViewId v = 0; v < static_cast<ViewId>(program.views.size()); ++v) {
      const View &view = program.view(v), &whole = program.view(program.root_of(v));
      MapUse& use = of_root[program.root_of(v)];
      const bool is_there = v == program.maps.at(program.input()) && !program.streams_input();
      use.kept = use.kept || view.keep || view.outside || is_there;
      if (use.memories.empty()) use.memories = view.memories;
      use.can_be_ring = use.can_be_ring && has_rows_of(view, whole) && view.w == whole.w &&
                        view.pixel == whole.pixel && (view.memories.empty() || view.memories == use.memories);
    }
    for (CallId c = 0; c < static_cast<CallId>(program.calls.size()); ++c) {
      for (const ViewId in : program.call(c).in) of_root[program.root_of(in)].touch(c);
      for (const ViewId out : program.call(c).out) {
        MapUse& use = of_root[program.root_of(out)];
        use.touch(c);
        use.last_written = c;
      }
    }
    for (const Cell& cell : program.cells)
      for (size_t i = 1; i < cell.calls.size(); ++i) cuts[static_cast<size_t>(cell.calls[i])] = false;
  }

  static bool has_rows_of(const View& view, const View& whole) {
    return view.h == whole.h && view.row == whole.row && view.type == whole.type;
  }

  /// Returns the memories in which rings beside each other may be allocated: those that the maps of the rings
  /// name. All maps that name memories name the same ones. Empty where none does.
  std::vector<memory::MemoryId> memories_of(const std::vector<Ring>& rings) const {
    for (const Ring& ring : rings)
      if (const auto& memories = of_root.at(ring.root).memories; !memories.empty()) return memories;
    return {};
  }

  std::map<ViewId, MapUse> of_root;
  std::vector<bool> cuts;  ///< by call: a region may begin with it, or end before it
};

namespace {

/// "[conv1]"
std::string layer_text(const Program& program, CallId call) {
  return "[" + program.name_of(program.call(call)) + "]";
}

/// What is against a call in any region; "": nothing.
std::string fault_of_call(const Program& program, const Call& call) {
  if (call.contract.opaque) return "is of a delegate, which knows no rows";
  if (call.contract.state != 0) return "keeps memory between runs";
  if (call.rows != Rows{} || call.out.size() != 1) return "is no single call that makes one map";
  const bool is_in_place = std::find(call.in.begin(), call.in.end(), call.out[0]) != call.in.end();
  const View& out = program.view(call.out[0]);
  if (is_in_place || out.outside) return "makes no map of its own";
  if (out.h > 1 && call.contract.rows_per_step >= out.h) return "makes all rows of its map together";
  return "";
}

/// Puts the rings beside each other; returns where they end.
Bytes line_up(std::vector<Ring>& rings, const Program& program) {
  Bytes end = 0;
  for (Ring& ring : rings) {
    ring.start = memory::round_up(end, ring_unit(program));
    end = ring.start + ring_bytes(program, ring);
  }
  return end;
}

/// Rings of the maps that a region makes beside its result, without a start.
std::vector<Ring> rings_of(const Program& program, const Members& members, const Region& region,
                           ViewId result) {
  const Turns turns(program, members, region);
  std::vector<Ring> out;
  for (const auto& [root, makers] : members.made())
    if (root != result) out.push_back({root, std::min(turns.ring(root), program.view(root).h)});
  return out;
}

/// Calls that read a map together with another one; not those that write the result, which all of them write
/// at one time.
std::set<CallId> sharers(const Members& members, ViewId result) {
  std::map<ViewId, std::set<CallId>> readers;
  for (const auto* all : {&members.inner(), &members.outer()})
    for (const Dependence& d : *all) readers[d.view].insert(d.reader);
  std::set<CallId> out;
  for (const auto& [view, of] : readers)
    if (of.size() > 1) out.insert(of.begin(), of.end());
  for (const CallId call : members.makers_of(result)) out.erase(call);
  return out;
}

/// By how much a sharer's lead is tried; the last is as early as can be.
constexpr int kEarlier[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 1 << 20};

/// Builds the stream that runs the calls with these paces: its turns, and its rings beside each other.
Stream measured(const Program& program, const Members& members, ViewId result, const Paces& paces) {
  Stream out;
  out.region.first = members.first();
  out.region.paces = paces.all();
  out.region.turns = paces.turns();
  out.rings = rings_of(program, members, out.region, result);
  out.region.rings = line_up(out.rings, program);
  return out;
}

/// Builds the stream for paces that differ from those of `other` only in the turn in which `moved` begins and
/// in a shift of all calls by the same number of turns. Measures only the rings again that `moved` reads or
/// writes.
Stream measured_again(const Program& program, const Members& members, Stream other, const Paces& paces,
                      CallId moved) {
  other.region.paces = paces.all();
  other.region.turns = paces.turns();
  const Call& call = program.call(moved);
  const auto touches = [&](ViewId root) {
    const auto lies_there = [&](ViewId id) { return program.root_of(id) == root; };
    return std::any_of(call.in.begin(), call.in.end(), lies_there) ||
           std::any_of(call.out.begin(), call.out.end(), lies_there);
  };
  const Turns turns(program, members, other.region);
  for (Ring& ring : other.rings)
    if (touches(ring.root)) ring.rows = std::min(turns.ring(ring.root), program.view(ring.root).h);
  other.region.rings = line_up(other.rings, program);
  return other;
}

/// None: strides of branches do not fit to each other.
std::optional<Stream> with_least_rings(const Program& program, const Members& members, ViewId result,
                                       int step) {
  std::optional<Stream> best;
  const std::set<CallId> branches = sharers(members, result);
  for (int phases = 1; phases <= (branches.empty() ? 1 : 2); ++phases) {
    Paces paces(members, result, step, phases);
    if (!paces.find_rates()) return std::nullopt;
    std::map<CallId, int> early;
    paces.find_leads(early);
    Stream base = measured(program, members, result, paces);
    const auto is_better = [&](const Stream& other) {
      return !best || other.region.rings < best->region.rings;
    };
    if (is_better(base)) best = base;
    for (const CallId call : branches) {
      std::optional<int> kept;
      for (const int by : kEarlier) {
        early[call] = by;
        paces.find_leads(early);
        Stream other = measured_again(program, members, base, paces, call);
        if (is_better(other)) best = std::move(other), kept = by;
      }
      early.erase(call);
      if (kept) early[call] = *kept, base = *best;
    }
  }
  return best;
}

/// Whether the source makes the network input in the region, and the ring of the input holds all of its rows.
bool keeps_whole_input(const Program& program, const Stream& stream) {
  return program.call(stream.region.first).is_source() &&
         std::any_of(stream.rings.begin(), stream.rings.end(), [&](const Ring& ring) {
           return ring.root == program.maps.at(program.input()) && ring.rows == program.view(ring.root).h;
         });
}

RegionReads reads_of(const Program& program, const Members& members, const Region& region, ViewId result) {
  const Turns turns(program, members, region);
  const std::vector<CallId>& makers = members.makers_of(result);
  const Pace& pace = region.paces[static_cast<size_t>(makers.front() - region.first)];
  RegionReads out;
  out.result = result;
  out.rows_per_step = std::max(1, region.is_tiled() ? pace.tiles.front().count : pace.rows / pace.every);
  std::set<ViewId> seen;
  for (const Dependence& d : members.outer())
    if (seen.insert(d.view).second)
      out.reads.emplace_back(d.view, turns.window(d.view, makers, out.rows_per_step));
  return out;
}

int64_t runs_of(const Members& members, const Region& region) {
  int64_t runs = 0;
  for (CallId c = members.first(); c < members.end(); ++c)
    for (int turn = 0; turn < region.turns; ++turn)
      runs +=
          region.paces[static_cast<size_t>(c - region.first)].in(turn, members.height(c)).count > 0 ? 1 : 0;
  return runs;
}

}  // namespace

Streams::Streams(const Program& program) : program_(program), maps_(std::make_unique<const Maps>(program)) {}
Streams::~Streams() = default;

CallId Streams::limit(CallId first) const {
  CallId end = first;
  while (end < static_cast<CallId>(program_.calls.size()) &&
         fault_of_call(program_, program_.call(end)).empty())
    ++end;
  return end;
}

/// What is against a region of these calls, whatever they read of each other.
std::string Streams::fault_of(CallId first, CallId end) const {
  const auto is_cut = [&](CallId call) { return bool{maps_->cuts.at(static_cast<size_t>(call))}; };
  for (CallId call = first; call < end; ++call)
    if (const std::string fault = fault_of_call(program_, program_.call(call)); !fault.empty())
      return layer_text(program_, call) + " " + fault;
  if (end - first < 2) return "a layer alone has no maps to keep small";
  return is_cut(first) && is_cut(end) ? "" : "a layer is cut";
}

/// The one map that is needed behind the calls; all others can be rings.
std::optional<ViewId> Streams::result_of(const Members& members, std::string& why_not) const {
  const auto refuse = [&](std::string why) {
    why_not = std::move(why);
    return std::nullopt;
  };
  /// Returns the name of the layer that makes a map, or the last part of it.
  const auto name = [&](ViewId root) { return layer_text(program_, members.makers_of(root).back()); };
  ViewId result = kNone, limited = kNone;
  for (const auto& [root, makers] : members.made()) {
    const MapUse& use = maps_->of_root.at(root);
    const bool is_inner = !use.kept && use.first >= members.first() && use.last < members.end();
    if (is_inner && use.can_be_ring) {
      if (use.memories.empty()) continue;
      if (limited == kNone) limited = root;
      if (maps_->of_root.at(limited).memories != use.memories)
        return refuse(fmt::format("MemorySection gives the outputs of {} and {} different memories",
                                  name(limited), name(root)));
      continue;
    }
    for (const CallId maker : makers)
      if (!Maps::has_rows_of(program_.view(program_.call(maker).out[0]), program_.view(root)) &&
          !program_.is_in_frame(program_.call(maker).out[0]))
        return refuse(fmt::format("the output of {} is not made row by row", name(root)));
    if (is_inner) return refuse(fmt::format("the output of {} lies inside another one", name(root)));
    if (result != kNone)
      return refuse(
          fmt::format("the outputs of {} and {} are both needed behind it", name(result), name(root)));
    if (use.first < members.first() || use.writes_after(members.end()))
      return refuse(fmt::format("other layers write to the output of {}, too", name(root)));
    result = root;
  }
  for (const Dependence& d : members.inner())
    if (d.window.kind == Window::Kind::Whole || program_.view(d.view).h != members.height(d.maker))
      return refuse(fmt::format("{} reads the whole output of {}", layer_text(program_, d.reader),
                                layer_text(program_, d.maker)));
  if (result == kNone) return refuse("no map is needed behind it");
  return result;
}

std::optional<Stream> Streams::find(CallId first, CallId end, int step) const {
  if (!fault_of(first, end).empty()) return std::nullopt;
  const Members members(program_, first, end);
  std::string why_not;
  const std::optional<ViewId> result = result_of(members, why_not);
  if (!result) return std::nullopt;
  std::optional<Stream> found = with_least_rings(program_, members, *result, step);
  if (!found || keeps_whole_input(program_, *found)) return std::nullopt;
  found->region.memories = maps_->memories_of(found->rings);
  found->reads = reads_of(program_, members, found->region, *result);
  found->runs = runs_of(members, found->region);
  return found;
}

std::optional<Stream> Streams::tile(CallId first, CallId end, int slices, std::string& why_not) const {
  why_not = fault_of(first, end);
  if (!why_not.empty()) return std::nullopt;
  const Members members(program_, first, end);
  const std::optional<ViewId> result = result_of(members, why_not);
  if (!result) return std::nullopt;
  if (const int rows = program_.view(*result).h; rows < slices)
    why_not = fmt::format("the output of {} has {} rows", layer_text(program_, end - 1), rows);
  const ViewId input = program_.maps.at(program_.input());
  for (const Dependence& d : members.outer())
    if (program_.streams_input() && program_.root_of(d.view) == input)
      why_not = layer_text(program_, d.reader) + " reads the input, whose rows come once (StreamInput)";
  if (program_.call(first).is_source()) why_not = "the rows of the input come once (StreamInput)";
  if (!why_not.empty()) return std::nullopt;
  for (CallId c = first; c < end; ++c) {
    if (program_.call(c).contract.accumulates)
      why_not = layer_text(program_, c) + " adds up the rows of all slices";
    const ViewId root = program_.root_of(program_.call(c).out[0]);
    if (root != *result && members.inner_of(root).empty())
      why_not = fmt::format("no slice reads the output of {}", layer_text(program_, c));
  }
  if (!why_not.empty()) return std::nullopt;
  const auto tiles = tiles_of(program_, members, *result, slices);
  Stream out;
  out.region.first = first;
  out.region.turns = slices;
  for (CallId c = first; c < end; ++c)
    out.region.paces.push_back({1, 1, 0, tiles.at(program_.root_of(program_.call(c).out[0]))});
  out.rings = rings_of(program_, members, out.region, *result);
  out.region.rings = pack_rings(out.rings, program_, members);
  out.region.memories = maps_->memories_of(out.rings);
  out.reads = reads_of(program_, members, out.region, *result);
  out.runs = runs_of(members, out.region);
  return out;
}

Bytes ring_unit(const Program& program) {
  Bytes unit = program.alignment;
  for (const Memory& memory : program.memories) unit = std::lcm(unit, memory.alignment);
  return unit;
}

Bytes ring_bytes(const Program& program, const Ring& ring) {
  const View& map = program.view(ring.root);
  return ring.rows * map.row + map.element() - std::gcd(map.element(), ring_unit(program));
}

void add_region(Program& program, const Stream& stream) {
  const auto id = static_cast<RegionId>(
      std::count_if(program.regions.begin(), program.regions.end(),
                    [&](const Region& region) { return region.first < stream.region.first; }));
  for (View& view : program.views)
    if (view.region >= id) ++view.region;
  program.regions.insert(program.regions.begin() + id, stream.region);
  for (const Ring& ring : stream.rings)
    for (ViewId v = 0; v < static_cast<ViewId>(program.views.size()); ++v) {
      if (program.root_of(v) != ring.root) continue;
      View& view = program.views[static_cast<size_t>(v)];
      view.region = id;
      if (v == ring.root) view.inside = ring.start;
      if (ring.rows == view.h) continue;
      view.ring = ring.rows, view.first = 0, view.turn = ring.rows * view.row;
    }
}

RegionReads region_reads(const Program& program, const Region& region) {
  const Members members(program, region.first, region.end());
  ViewId result = kNone;
  for (const auto& [root, makers] : members.made())
    if (program.view(root).region == kNone) result = root;
  N2D2_CHECK(result != kNone, "a region without a result");
  return reads_of(program, members, region, result);
}

RegionScratch region_scratch(const Program& program, const Region& region) {
  constexpr Bytes kUnit = 16;  // of the widest accumulators of any call
  Bytes most = 0;
  for (CallId c = region.first; c < region.end(); ++c)
    most = std::max(most, program.call(c).contract.scratch);
  if (most == 0) return {region.rings, region.rings};
  const Bytes start = memory::round_up(region.rings, std::lcm(kUnit, program.alignment));
  return {start, start + most};
}

}  // namespace n2d2::program
