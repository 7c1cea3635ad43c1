#include "n2d2/export/program_text.hpp"

#include <nlohmann/json.hpp>

#include "n2d2/export/identifiers.hpp"
#include "n2d2/program/constants.hpp"
#include "n2d2/program/kernel.hpp"

namespace n2d2::exporter {

using program::Call;
using program::Constant;
using program::ConstantId;
using program::Memory;
using program::Output;
using program::Place;
using program::Program;
using program::Region;
using program::View;
using program::ViewId;

namespace {

const char* text_of(memory::Scan scan) {
  switch (scan) {
    case memory::Scan::TopDown:
      return "top-down";
    case memory::Scan::BottomUp:
      return "bottom-up";
    case memory::Scan::Any:
      return "any";
  }
  return "";
}

std::string shape_of(const View& view) {
  return fmt::format("{} {}x{}x{}", to_string(view.type), view.h, view.w, view.c);
}

std::string place_of(const Program& program, const View& view) {
  if (view.outside) return "in the caller's input";
  if (!view.place) return "not placed";
  std::string out = fmt::format("{}+{}, row {}, pixel {}",
                                program.memories.at(static_cast<size_t>(view.place->memory)).name,
                                view.place->offset, view.row, view.pixel);
  if (view.ring > 0) out += fmt::format(", ring {} from {}, turn {}", view.ring, view.first, view.turn);
  return out;
}

int rows_of(const Program& program, const Call& call) {
  return call.rows.count < 0 ? program.view(call.out.at(0)).h - call.rows.first : call.rows.count;
}

std::string view_line(const Program& program, const char* kind, ViewId id) {
  const View& view = program.view(id);
  return fmt::format("  {:<4} {} : {} at {}\n", kind, quoted_name(view.name), shape_of(view),
                     place_of(program, view));
}

std::string call_text(const Program& program, const Call& call) {
  std::string out = fmt::format("{}{} = {}, rows {} to {}, {}\n", quoted_name(program.name_of(call)),
                                call.suffix, call.kernel->name(), call.rows.first,
                                call.rows.first + rows_of(program, call) - 1, text_of(call.scan));
  for (const ViewId id : call.in) out += view_line(program, "in", id);
  for (const ViewId id : call.out) out += view_line(program, "out", id);
  for (const ConstantId id : call.constants) {
    const Constant& constant = program.constant(id);
    out += fmt::format("  {} : {} {}, {} bytes\n", constant.role, to_string(constant.data->dtype()),
                       constant.data->shape().text(), program::stored_bytes(constant));
    if (constant.storage.is_narrow())
      out.insert(out.size() - 1, fmt::format(", {} bits each", constant.storage.bits));
    if (constant.slices > 1) out.insert(out.size() - 1, fmt::format(" in {} slices", constant.slices));
  }
  if (call.is_loop_nest()) out += fmt::format("  for each row and each of {} slices:\n", call.slices);
  for (const Call& step : call.steps) out += call_text(program, step);
  return out;
}

std::string region_text(const Program& program, const Region& region) {
  return fmt::format("in {} turns: {} to {}, rings of {} bytes\n", region.turns,
                     quoted_name(program.name_of(program.call(region.first))),
                     quoted_name(program.name_of(program.call(region.end() - 1))), region.rings);
}

using Json = nlohmann::ordered_json;

Json place_json(const std::optional<Place>& place) {
  if (!place) return nullptr;
  return {{"memory", place->memory}, {"offset", place->offset}};
}

Json view_json(const View& view) {
  return {{"name", view.name},
          {"type", std::string(to_string(view.type))},
          {"h", view.h},
          {"w", view.w},
          {"c", view.c},
          {"pixel", view.pixel},
          {"row", view.row},
          {"host", view.host},
          {"inside", view.inside},
          {"outside", view.outside},
          {"place", place_json(view.place)},
          {"ring", view.ring},
          {"first", view.first},
          {"turn", view.turn}};
}

Json constant_json(const Constant& constant) {
  Json out = {{"role", constant.role},
              {"type", std::string(to_string(constant.data->dtype()))},
              {"elements", constant.data->elements()}};
  if (constant.slices > 1) out["slices"] = constant.slices;
  return out;
}

Json call_json(const Program& program, const Call& call) {
  Json out = {{"kernel", std::string(call.kernel->name())},
              {"node", program.name_of(call)},
              {"operator", call.is_source() ? "" : std::string(program.node(call).op->type())},
              {"part", call.suffix},
              {"in", call.in},
              {"out", call.out},
              {"constants", call.constants},
              {"rows", {{"first", call.rows.first}, {"count", rows_of(program, call)}}},
              {"scan", text_of(call.scan)},
              {"scratch", place_json(call.scratch)}};
  if (!call.is_loop_nest()) return out;
  out["slices"] = call.slices;
  for (const Call& step : call.steps) out["steps"].push_back(call_json(program, step));
  return out;
}

Json region_json(const Region& region) {
  Json paces = Json::array();
  for (const program::Pace& pace : region.paces)
    if (pace.tiles.empty()) {
      paces.push_back({{"rows", pace.rows}, {"every", pace.every}, {"lead", pace.lead}});
    } else {
      Json tiles = Json::array();
      for (const program::Rows& rows : pace.tiles)
        tiles.push_back({{"first", rows.first}, {"count", rows.count}});
      paces.push_back({{"tiles", std::move(tiles)}});
    }
  return {{"first_call", region.first},
          {"turns", region.turns},
          {"rings", region.rings},
          {"place", place_json(region.place)},
          {"paces", std::move(paces)}};
}

}  // namespace

std::string program_text(const Program& program) {
  std::string out;
  for (const Memory& memory : program.memories)
    out += fmt::format("memory {} : {} bytes, no plan has less than {}\n", memory.name, memory.peak,
                       memory.lower_bound);
  out += view_line(program, "env", program.maps.at(program.input()));
  for (const Call& call : program.calls) out += call_text(program, call);
  for (const Region& region : program.regions) out += region_text(program, region);
  for (const Output& output : program.outputs)
    out += view_line(program, "net", program.maps.at(output.value));
  return out;
}

std::string program_json(const Program& program) {
  Json out;
  for (const Memory& memory : program.memories)
    out["memories"].push_back(
        {{"name", memory.name}, {"peak", memory.peak}, {"lower_bound", memory.lower_bound}});
  for (const View& view : program.views) out["views"].push_back(view_json(view));
  out["constants"] = Json::array();
  for (const Constant& constant : program.constants) out["constants"].push_back(constant_json(constant));
  for (const Call& call : program.calls) out["calls"].push_back(call_json(program, call));
  out["regions"] = Json::array();
  for (const Region& region : program.regions) out["regions"].push_back(region_json(region));
  out["input"] = program.maps.at(program.input());
  for (const Output& output : program.outputs) out["outputs"].push_back(program.maps.at(output.value));
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace n2d2::exporter
