#include "region_text.hpp"

namespace n2d2::targets::cpp {

using exporter::TemplateData;
using program::Region;

namespace {

/// The rows of each turn of calls in tiles; those that make equal ones have a table each.
std::string tile_tables(const ProjectText& text) {
  TemplateData::List tables;
  for (const Region& region : text.program().regions)
    for (program::CallId id = region.first; region.is_tiled() && id < region.end(); ++id) {
      std::vector<std::string> turns;
      for (const program::Rows& rows : region.paces[static_cast<size_t>(id - region.first)].tiles)
        turns.push_back(fmt::format("{{{}, {}}}", rows.first, rows.count));
      tables.push_back(TemplateData()
                           .set("call", int64_t{id})
                           .set("turns", int64_t{region.turns})
                           .set("rows", fmt::format("{{{}}}", join(turns, ", "))));
    }
  return tables.empty() ? "" : text.fill("tiles", TemplateData().set_list("tables", std::move(tables)));
}

std::string source_functions(const ProjectText& text) {
  if (!text.program().streams_input()) return "";
  N2D2_CHECK(text.program().region_of(0) != nullptr, "the source is in no region");
  return text.fill("source", {});
}

std::string rows_of_pace(const program::Pace& pace, int height) {
  return fmt::format("rows_of_turn(turn, {}, {}, {}, {})", pace.rows, pace.every, pace.lead, height);
}

}  // namespace

std::string region_functions(const ProjectText& text) {
  return (text.program().regions.empty() ? "" : text.fill("turns", {})) + tile_tables(text) +
         source_functions(text);
}

std::string rows_of_turn(const Region& region, program::CallId id, int height) {
  return region.is_tiled() ? fmt::format("rows_of_call_{}[turn]", id)
                           : rows_of_pace(region.paces[static_cast<size_t>(id - region.first)], height);
}

std::string rows_added(const Region& region, const program::StreamedMap& map, int height) {
  return region.is_tiled() ? fmt::format("rows_added(rows_of_call_{}, turn)", map.last)
                           : rows_of_pace(map.pace, height);
}

std::string source_rows(const ProjectText& text, const Region& region) {
  const program::Program& program = text.program();
  if (!program.call(region.first).is_source()) return "";
  const int height = program.map_of(program.input()).h;
  return text.fill("turn_source", TemplateData().set("rows", rows_of_pace(region.paces.front(), height)));
}

}  // namespace n2d2::targets::cpp
