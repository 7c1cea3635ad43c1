#include "n2d2/program/tiling.hpp"

#include <algorithm>

#include "n2d2/program/schedule.hpp"

#include "lower/macs.hpp"

namespace n2d2::program {

std::vector<Stream> regions_of_tiles(const Program& program,
                                     const std::function<Tiling(std::string_view)>& tiles_of,
                                     const std::string& subject, Diagnostics& findings) {
  std::vector<Stream> out;
  if (!tiles_of) return out;
  const Streams streams(program);
  const auto count = static_cast<CallId>(program.calls.size());
  const auto tiling_of = [&](CallId call) {
    return program.call(call).is_source() ? Tiling{} : tiles_of(program.name_of(program.call(call)));
  };
  for (CallId first = 0, end = 0; first < count; first = end) {
    const Tiling tiling = tiling_of(first);
    for (end = first + 1; end < count && tiling_of(end).slices == tiling.slices;) ++end;
    if (tiling.slices == 1) continue;
    const std::string& from = program.name_of(program.call(first));
    if (end - first == 1) {
      findings.warn(tiling.where,
                    fmt::format("{}: [{}] Tiles={}: without effect, slices keep maps between layers small",
                                subject, from, tiling.slices),
                    "give the layers right before or behind it the same Tiles");
      continue;
    }
    std::string why_not;
    std::optional<Stream> stream = streams.tile(first, end, tiling.slices, why_not);
    if (stream)
      out.push_back(std::move(*stream));
    else
      findings.error(tiling.where,
                     fmt::format("{}: [{}] to [{}] Tiles={}: {}", subject, from,
                                 program.name_of(program.call(end - 1)), tiling.slices, why_not),
                     "slices are rows, or pixels of maps of one row; name layers that make maps row by row");
  }
  return out;
}

namespace {

/// Returns the multiplications of a node and of the nodes before it that have no cell, because the call
/// computes them, too.
int64_t macs_with_those_before(const Program& program, const graph::Node& node) {
  int64_t macs = macs_of(program.graph, node);
  for (const graph::ValueId input : node.inputs) {
    const graph::NodeId producer = program.graph.value(input).producer;
    const bool has_cell = std::any_of(program.cells.begin(), program.cells.end(),
                                      [&](const Cell& cell) { return cell.node == producer; });
    if (producer && !has_cell) macs += macs_with_those_before(program, program.graph.node(producer));
  }
  return macs;
}

}  // namespace

Multiplications multiplications(const Program& program, const Call& call) {
  if (call.is_source()) return {};
  const int64_t again = call.contract.macs_again;
  return {macs_with_those_before(program, program.node(call)) + again, again};
}

Multiplications multiplications(const Program& program, const Region& region) {
  Multiplications out;
  for (CallId id = region.first; id < region.end(); ++id) {
    const Call& call = program.call(id);
    const auto [macs, again] = multiplications(program, call);
    if (macs == 0) continue;
    const int64_t once = macs - again;
    const int height = program.view(call.out.at(0)).h;
    const Pace& pace = region.paces[static_cast<size_t>(id - region.first)];
    int64_t rows = 0;
    for (int turn = 0; turn < region.turns; ++turn) rows += pace.in(turn, height).count;
    out.all += once * rows / height + again * rows / height;
    out.again += once * (rows - height) / height + again * rows / height;
  }
  return out;
}

Multiplications multiplications(const Program& program) {
  Multiplications out;
  for (const Region& region : program.regions) {
    const Multiplications of_region = multiplications(program, region);
    out.all += of_region.all, out.again += of_region.again;
  }
  for (CallId id = 0; id < static_cast<CallId>(program.calls.size()); ++id)
    if (program.region_of(id) == nullptr) {
      const Multiplications one = multiplications(program, program.call(id));
      out.all += one.all, out.again += one.again;
    }
  return out;
}

}  // namespace n2d2::program
