#include "forward_text.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "n2d2/program/schedule.hpp"

#include "arena_text.hpp"
#include "loop_nest_text.hpp"
#include "memory_text.hpp"
#include "shared_calls.hpp"

namespace n2d2::targets::cpp {

using exporter::TemplateData;
using program::Call;
using program::Cell;
using program::ConfigField;
using program::ConfigFields;
using program::Region;
using program::View;

namespace {

class ForwardSource {
 public:
  ForwardSource(const ProjectText& text, const std::vector<PartText>& parts)
      : text_(text), program_(text.program()), parts_(parts), shared_(text) {
    int index = 1;  // the input comes before them
    for (const Cell& cell : program_.cells) {
      first_index_[&cell] = index;
      index += static_cast<int>(cell.outputs.size());
    }
  }

  std::string source() const {
    TemplateData data;
    set_cells(data);
    data.set("turns",
             (program_.regions.empty() ? "" : text_.fill("turns", {})) + tile_tables() + source_functions());
    set_targets(data);
    data.set("configs", driver_configs())
        .set("shared", shared_.definitions().empty()
                           ? ""
                           : "// Layers of one kind share a function.\nnamespace shared {\n" +
                                 shared_.definitions() + "\n}  // namespace shared\n\n")
        .set("input_address",
             program_.input_in_arena() && !program_.streams_input() ? text_.address(program_.input()) : "0")
        .set("propagate", propagate_head())
        .set("env_output", env_output());
    set_free_bytes(text_, data);
    set_parts(data);
    data.set_list("memories", arenas_data(text_));
    return text_.fill("forward", std::move(data));
  }

 private:
  void set_cells(TemplateData& data) const {
    std::set<std::string> headers{"argmax.hpp", "concat.hpp", "scores.hpp"};
    TemplateData::List configs, cells, functions, kernels;
    std::set<const Cell*> streamed;
    for (const Region& region : program_.regions)
      for (const program::StreamedMap& map : streamed_maps(program_, region))
        if (map.cell) streamed.insert(&program_.cells[*map.cell]);
    for (const Cell& cell : program_.cells) {
      for (const program::CallId id : cell.calls) {
        headers.emplace(program_.call(id).kernel->header());
        for (const Call& step : program_.call(id).steps) headers.emplace(step.kernel->header());
      }
      configs.push_back(TemplateData().set("identifier", cell.identifier));
      if (has_function(cell)) functions.push_back(function_data(cell));
      if (streamed.count(&cell) == 0) {
        std::string done = outputs_text(cell, true);
        done.pop_back();  // the template ends the line
        cells.push_back(TemplateData()
                            .set("outputs", outputs_text(cell, false))
                            .set("calls", cell_call(cell))
                            .set("done", std::move(done)));
        continue;
      }
      const Region* region = cell.calls.empty() ? nullptr : program_.region_of(cell.calls.front());
      if (region != nullptr && first_of_cells(*region) == cell.calls.front())
        cells.push_back(region_data(*region));
    }
    headers.erase("");
    for (const std::string& header : headers) kernels.push_back(TemplateData().set("header", header));
    data.set_list("cells", std::move(cells)).set_list("functions", std::move(functions));
    data.set_list("kernels", std::move(kernels)).set_list("cell_configs", std::move(configs));
  }

  void set_targets(TemplateData& data) const {
    TemplateData::List targets;
    int64_t offset = 0;
    for (const Output& target : program_.outputs) {
      const Shape& shape = program_.graph.value(target.value).type.shape;
      targets.push_back(TemplateData()
                            .set("index", static_cast<int64_t>(targets.size()))
                            .set("scores", scores_case(target.value, targets.size()))
                            .set("source", text_.output_name(target.value))
                            .set("offset", offset));
      offset += shape.h() * shape.w();
    }
    data.set_list("targets", std::move(targets));
  }

  /// Nothing for an output that is the caller's input.
  std::string scores_case(graph::ValueId value, size_t index) const {
    const View& map = program_.map_of(value);
    if (map.outside) return "";
    return fmt::format(
        "    case {0}:\n      {2}::scores(ends::target_{0}(), {1}, OUTPUTS_SCALE[{0}], to);\n"
        "      return true;\n",
        index, text_.address(value), text_.network().options.parameters.namespace_name);
  }

  /// Operands are part of a shared function.
  TemplateData::List arguments_of(const Cell& cell, const Call& call, bool is_shared) const {
    TemplateData::List all;
    for (const CallArgument& argument : call_arguments(text_, cell, call))
      all.push_back(TemplateData().set(
          "argument", is_shared || argument.operand.empty()
                          ? argument.value
                          : fmt::format("operand(cells::{}(), {})", argument.operand, argument.value)));
    return all;
  }

  std::string calls_text(const Cell& cell) const {
    std::string out;
    for (const program::CallId id : cell.calls) {
      const Call& call = program_.call(id);
      if (call.contract.opaque) {
        out += part_call_text(id);
        continue;
      }
      const SharedCalls::Use* use = shared_.find(id);
      const Region* region = program_.region_of(id);
      const program::Rows rows = rows_of(program_, call);
      const int height = program_.view(call.out.at(0)).h;
      const std::string all = fmt::format("Rows{{{}, {}}}", rows.first, rows.count);
      if (call.is_loop_nest()) {
        if (region == nullptr) out += text_.fill("step", TemplateData().set("step", int64_t{id}));
        out += loops_text(text_, cell, call, region == nullptr ? all : rows_text(*region, id, height));
        continue;
      }
      out += text_.fill(
          region == nullptr ? "forward_call" : "turn_call",
          TemplateData()
              .set("rows", region == nullptr ? all : rows_text(*region, id, height))
              .set("step", int64_t{id})
              .set("kernel", use ? use->function : std::string(call.kernel->name()))
              .set("config", use ? use->config : "cells::" + config_name(cell, call.suffix) + "(), ")
              .set_list("arguments", arguments_of(cell, call, use != nullptr)));
    }
    return out;
  }

  /// Its cells run in turns; the first one's time is that of all. A map is told of right behind the last call
  /// that fills it.
  TemplateData region_data(const Region& region) const {
    std::string outputs, turn = source_text(region), last;
    const std::vector<program::StreamedMap> maps = streamed_maps(program_, region);
    for (const program::StreamedMap& map : maps)
      if (map.cell) {
        const Cell& cell = program_.cells[*map.cell];
        outputs +=
            declaration(program_.view(cell.outputs[map.output]), cell.output_identifiers.at(map.output));
      }
    for (const Cell& cell : program_.cells) {
      if (cell.calls.empty() || !region.has(cell.calls.front())) continue;
      turn += "  " + cell_call(cell);
      last = cell.identifier;
      for (const program::StreamedMap& map : maps)
        if (map.cell && std::find(cell.calls.begin(), cell.calls.end(), map.last) != cell.calls.end())
          turn += made_text(region, map);
    }
    return TemplateData()
        .set("outputs", outputs)
        .set("calls", text_.fill("region", TemplateData()
                                               .set("step", int64_t{region.first})
                                               .set("turns", int64_t{region.turns})
                                               .set("turn", turn)))
        .set("done", fmt::format("  timed(N2D2_NAME(\"{}\"));", last));
  }

  std::string made_text(const Region& region, const program::StreamedMap& map) const {
    const Cell& cell = program_.cells[*map.cell];
    const int height = program_.view(cell.outputs[map.output]).h;
    return text_.fill(
        "turn_made",
        TemplateData()
            .set("index", int64_t{first_index_.at(&cell)} + static_cast<int64_t>(map.output))
            .set("name", cell.output_identifiers.at(map.output))
            .set("rows", region.is_tiled() ? fmt::format("rows_added(rows_of_call_{}, turn)", map.last)
                                           : rows_text(map.pace, height)));
  }

  /// The source is of no cell.
  program::CallId first_of_cells(const Region& region) const {
    return region.first + (program_.call(region.first).is_source() ? 1 : 0);
  }

  /// What a turn asks of the caller first.
  std::string source_text(const Region& region) const {
    if (!program_.call(region.first).is_source()) return "";
    const int height = program_.map_of(program_.input()).h;
    return text_.fill("turn_source", TemplateData().set("rows", rows_text(region.paces.front(), height)));
  }

  std::string rows_text(const Region& region, program::CallId id, int height) const {
    return region.is_tiled() ? fmt::format("rows_of_call_{}[turn]", id)
                             : rows_text(region.paces[static_cast<size_t>(id - region.first)], height);
  }

  static std::string rows_text(const program::Pace& pace, int height) {
    return fmt::format("rows_of_turn(turn, {}, {}, {}, {})", pace.rows, pace.every, pace.lead, height);
  }

  /// A function of its own for the calls of a cell, so that its frame is no part of propagate's; none for a
  /// part and for a cell that others write.
  bool has_function(const Cell& cell) const {
    return !cell.calls.empty() && !program_.call(cell.calls.front()).contract.opaque;
  }

  /// What propagate says of the cell.
  std::string cell_call(const Cell& cell) const {
    if (!has_function(cell)) return calls_text(cell);
    return fmt::format("  {}_forward({});\n", cell.identifier,
                       std::get<std::string>(function_data(cell).entries.at("argument")));
  }

  TemplateData function_data(const Cell& cell) const {
    bool reads_env = false;
    std::set<graph::ValueId> known;
    std::string maps;
    const auto declare = [&](const std::vector<program::ViewId>& views) {
      for (const program::ViewId id : views) {
        const graph::ValueId value = program_.view(id).value;
        if (!known.insert(value).second) continue;
        reads_env = reads_env || value == program_.input() || program_.map_of(value).outside;
        if (value != program_.input())
          maps += declaration(program_.map_of(value), text_.identifier_of(value));
      }
    };
    for (const program::CallId id : cell.calls) declare(program_.call(id).in), declare(program_.call(id).out);
    std::vector<std::string> parameters, arguments;
    const auto pass = [&](const char* parameter, const char* argument) {
      parameters.emplace_back(parameter), arguments.emplace_back(argument);
    };
    if (reads_env) pass("const Input_T* env_output", "env_output");
    if (program_.region_of(cell.calls.front()) != nullptr) pass("int turn", "turn");
    return TemplateData()
        .set("identifier", cell.identifier)
        .set("steps", step_functions(text_, cell))
        .set("parameter", with_arenas("const Arenas& arenas", parameters))
        .set("maps", maps)
        .set("calls", calls_text(cell))
        .set("argument", with_arenas("arenas", arguments));
  }

  /// Puts what reaches the arenas of an instance in front of others.
  static std::string with_arenas(const std::string& arenas, const std::vector<std::string>& others) {
    return others.empty() ? fmt::format("N2D2_IN_INSTANCE({})", arenas)
                          : fmt::format("N2D2_IN_INSTANCE({},) {}", arenas, join(others, ", "));
  }

  std::string declaration(const View& map, const std::string& name) const {
    return fmt::format("  {}{}* const {}_output = {};\n", map.outside ? "const " : "", element_type(map.type),
                       name, text_.address(map.value));
  }

  std::string part_call_text(program::CallId id) const {
    const Call& call = program_.call(id);
    const std::string& name = program_.node(call).name;
    const auto text = std::find_if(parts_.begin(), parts_.end(),
                                   [&](const PartText& part) { return part.part->node == name; });
    N2D2_CHECK(text != parts_.end(), "'{}' is nobody's part", name);
    const auto maps = [&](const std::vector<program::ViewId>& views) {
      std::vector<std::string> out;
      for (const program::ViewId view : views)
        out.push_back(
            fmt::format("{{{}, {}}}", text_.pointer(program_.view(view)), program_.view(view).pixel));
      return join(out, ", ");
    };
    return text_.fill("part_call", TemplateData()
                                       .set("step", int64_t{id})
                                       .set("identifier", text->identifier)
                                       .set("delegate", text->part->delegate)
                                       .set("scratch", text->scratch)
                                       .set("in", maps(call.in))
                                       .set("out", maps(call.out)));
  }

  /// Declares the outputs of a cell, or says that they are there.
  std::string outputs_text(const Cell& cell, bool done) const {
    const bool is_part = !cell.calls.empty() && program_.call(cell.calls.front()).contract.opaque;
    std::string out;
    for (size_t i = 0; i < cell.outputs.size(); ++i) {
      const View& view = program_.view(cell.outputs[i]);
      const std::string& name = cell.output_identifiers.at(i);
      if (done)
        out += fmt::format("  {}<cells::{}_config>({}, N2D2_NAME(\"{}\"), {}_output);\n",
                           is_part || i > 0 ? "made" : "done", name,
                           first_index_.at(&cell) + static_cast<int>(i), name, name);
      else
        out += declaration(view, name);
    }
    return out;
  }

  void set_parts(TemplateData& data) const {
    const std::string& name = text_.network().options.parameters.namespace_name;
    data.set("part_functions", part_functions(parts_, name));
    data.set("parts", parts_.empty() ? "" : text_.fill("parts", parts_data(parts_, text_)));
    data.set("release", parts_.empty() ? "{}" : "{ N2D2_CODE::parts::end(N2D2_IN_INSTANCE(arenas_)); }");
    data.set("begin_parts", parts_.empty() ? ""
                                           : fmt::format("  const int begun = parts::begin({});\n"
                                                         "  if (begun != 0) return begun;\n",
                                                         kArenasArgument));
  }

  /// The copy of the caller's input into its place, and the arg-max of each target.
  std::string driver_configs() const {
    const View& input = program_.map_of(program_.input());
    View packed = input;
    packed.pixel = packed.used(), packed.row = packed.w * packed.pixel, packed.ring = 0, packed.turn = 0;
    ConfigFields env = plane_fields("in_", program::plane_of(packed));
    for (const ConfigField& field : out_plane_fields(input)) env.push_back(field);
    env.push_back({"bottom_up", "int", "0"});
    env.push_back({"ordered", "int", "1"});
    env.push_back({"out_offset", "int", "0"});
    std::string out = text_.config("env", env);
    for (size_t t = 0; t < program_.outputs.size(); ++t) {
      const graph::ValueId value = program_.outputs[t].value;
      const TensorType& type = program_.graph.value(value).type;
      ConfigFields fields = plane_fields("in_", program::plane_of(program_.map_of(value)));
      if (type.dtype == DataType::F32)
        fields.push_back({"threshold", "float", "0.0f"});
      else
        fields.push_back({"threshold", "int", std::to_string(single_class_threshold(type))});
      out += text_.config(fmt::format("target_{}", t), fields);
    }
    return out;
  }

  /// The rows of each turn of calls in tiles; those that make equal ones have a table each.
  std::string tile_tables() const {
    TemplateData::List tables;
    for (const Region& region : program_.regions)
      for (program::CallId id = region.first; region.is_tiled() && id < region.end(); ++id) {
        std::vector<std::string> turns;
        for (const program::Rows& rows : region.paces[static_cast<size_t>(id - region.first)].tiles)
          turns.push_back(fmt::format("{{{}, {}}}", rows.first, rows.count));
        tables.push_back(TemplateData()
                             .set("call", int64_t{id})
                             .set("turns", int64_t{region.turns})
                             .set("rows", fmt::format("{{{}}}", join(turns, ", "))));
      }
    return tables.empty() ? "" : text_.fill("tiles", TemplateData().set_list("tables", std::move(tables)));
  }

  std::string source_functions() const {
    if (!program_.streams_input()) return "";
    N2D2_CHECK(program_.region_of(0) != nullptr, "the source is in no region");
    return text_.fill("source", {});
  }

  /// Name, parameters and opening of the function that runs the calls; behind that of the whole map where
  /// rows are read.
  std::string propagate_head() const {
    if (!program_.streams_input()) return "propagate(const Input_T* inputs, Target_T* outputs) const {";
    return "propagate(const Input_T* inputs, Target_T* outputs) const {\n"
           "  return propagate_rows(N2D2_CODE::rows_of_map, &inputs, outputs);\n}\n\n"
           "int N2D2_NETWORK::propagate_rows(RowsFn read, void* user, Target_T* outputs) const {";
  }

  std::string env_output() const {
    if (program_.streams_input())
      return fmt::format("  Input_T* const env_output = {};", text_.address(program_.input()));
    const std::string is_there = "  done<ends::env>(0, N2D2_NAME(\"env\"), env_output);";
    return program_.input_in_arena() ? "  Input_T* const env_output = input();\n"
                                       "  if (inputs != env_output) concat_part(ends::env(), Rows{0, "
                                       "ends::env::out_h}, inputs, env_output);\n" +
                                           is_there
                                     : "  const Input_T* const env_output = inputs;\n" + is_there;
  }

  const ProjectText& text_;
  const program::Program& program_;
  const std::vector<PartText>& parts_;
  SharedCalls shared_;
  std::map<const Cell*, int> first_index_;  // of the outputs of each cell, in the order of execution
};

}  // namespace

std::string forward_source(const ProjectText& text, const std::vector<PartText>& parts) {
  return ForwardSource(text, parts).source();
}

std::string instance_source(const ProjectText& text) {
  TemplateData data;
  TemplateData::List targets;
  for (const Output& target : text.program().outputs)
    targets.push_back(TemplateData()
                          .set("index", static_cast<int64_t>(targets.size()))
                          .set("packed", packed_output(text, target.value)));
  set_arenas(text, data);
  return text.fill("instance", data.set_list("targets", std::move(targets)));
}

}  // namespace n2d2::targets::cpp
