#include "forward_calls.hpp"

#include <algorithm>

#include "loop_nest_text.hpp"
#include "region_text.hpp"

namespace n2d2::targets::cpp {

using exporter::TemplateData;
using program::Call;
using program::Cell;
using program::Region;
using program::View;

namespace {

/// Puts what reaches the arenas of an instance in front of others.
std::string with_arenas(const std::string& arenas, const std::vector<std::string>& others) {
  return others.empty() ? fmt::format("N2D2_IN_INSTANCE({})", arenas)
                        : fmt::format("N2D2_IN_INSTANCE({},) {}", arenas, join(others, ", "));
}

}  // namespace

ForwardCalls::ForwardCalls(const ProjectText& text, const std::vector<PartText>& parts)
    : text_(text), program_(text.program()), parts_(parts), shared_(text) {
  int index = 1;  // the input comes before them
  for (const Cell& cell : program_.cells) {
    first_index_[&cell] = index;
    index += static_cast<int>(cell.outputs.size());
  }
}

std::string ForwardCalls::shared_functions() const {
  if (shared_.definitions().empty()) return "";
  return "// Layers of one kind share a function.\nnamespace shared {\n" + shared_.definitions() +
         "\n}  // namespace shared\n\n";
}

std::set<const Cell*> ForwardCalls::streamed_cells() const {
  std::set<const Cell*> out;
  for (const Region& region : program_.regions)
    for (const program::StreamedMap& map : streamed_maps(program_, region))
      if (map.cell) out.insert(&program_.cells[*map.cell]);
  return out;
}

void ForwardCalls::set_cells(TemplateData& data) const {
  std::set<std::string> headers{"argmax.hpp", "concat.hpp", "scores.hpp"};
  TemplateData::List configs, cells, functions, kernels;
  const std::set<const Cell*> streamed = streamed_cells();
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

/// Operands are part of a shared function.
exporter::TemplateData::List ForwardCalls::arguments_of(const Cell& cell, const Call& call,
                                                        bool is_shared) const {
  TemplateData::List all;
  for (const CallArgument& argument : call_arguments(text_, cell, call))
    all.push_back(TemplateData().set(
        "argument", is_shared || argument.operand.empty()
                        ? argument.value
                        : fmt::format("operand(cells::{}(), {})", argument.operand, argument.value)));
  return all;
}

std::string ForwardCalls::calls_text(const Cell& cell) const {
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
      out += loops_text(text_, cell, call, region == nullptr ? all : rows_of_turn(*region, id, height));
      continue;
    }
    out +=
        text_.fill(region == nullptr ? "forward_call" : "turn_call",
                   TemplateData()
                       .set("rows", region == nullptr ? all : rows_of_turn(*region, id, height))
                       .set("step", int64_t{id})
                       .set("kernel", use ? use->function : std::string(call.kernel->name()))
                       .set("config", use ? use->config : "cells::" + config_name(cell, call.suffix) + "(), ")
                       .set_list("arguments", arguments_of(cell, call, use != nullptr)));
  }
  return out;
}

/// Its cells run in turns; the first one's time is that of all. A map is told of right behind the last call
/// that fills it.
exporter::TemplateData ForwardCalls::region_data(const Region& region) const {
  std::string outputs, turn = source_rows(text_, region), last;
  const std::vector<program::StreamedMap> maps = streamed_maps(program_, region);
  for (const program::StreamedMap& map : maps)
    if (map.cell) {
      const Cell& cell = program_.cells[*map.cell];
      outputs += declaration(program_.view(cell.outputs[map.output]), cell.output_identifiers.at(map.output));
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

std::string ForwardCalls::made_text(const Region& region, const program::StreamedMap& map) const {
  const Cell& cell = program_.cells[*map.cell];
  const int height = program_.view(cell.outputs[map.output]).h;
  return text_.fill("turn_made",
                    TemplateData()
                        .set("index", int64_t{first_index_.at(&cell)} + static_cast<int64_t>(map.output))
                        .set("name", cell.output_identifiers.at(map.output))
                        .set("rows", rows_added(region, map, height)));
}

/// A function of its own for the calls of a cell, so that its frame is no part of propagate's; none for a
/// part and for a cell that others write.
bool ForwardCalls::has_function(const Cell& cell) const {
  return !cell.calls.empty() && !program_.call(cell.calls.front()).contract.opaque;
}

/// What propagate says of the cell.
std::string ForwardCalls::cell_call(const Cell& cell) const {
  if (!has_function(cell)) return calls_text(cell);
  return fmt::format("  {}_forward({});\n", cell.identifier,
                     std::get<std::string>(function_data(cell).entries.at("argument")));
}

exporter::TemplateData ForwardCalls::function_data(const Cell& cell) const {
  bool reads_env = false;
  std::set<graph::ValueId> known;
  std::string maps;
  const auto declare = [&](const std::vector<program::ViewId>& views) {
    for (const program::ViewId id : views) {
      const graph::ValueId value = program_.view(id).value;
      if (!known.insert(value).second) continue;
      reads_env = reads_env || value == program_.input() || program_.map_of(value).outside;
      if (value != program_.input()) maps += declaration(program_.map_of(value), text_.identifier_of(value));
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

std::string ForwardCalls::declaration(const View& map, const std::string& name) const {
  return fmt::format("  {}{}* const {}_output = {};\n", map.outside ? "const " : "", element_type(map.type),
                     name, text_.address(map.value));
}

std::string ForwardCalls::part_call_text(program::CallId id) const {
  const Call& call = program_.call(id);
  const std::string& name = program_.node(call).name;
  const auto text = std::find_if(parts_.begin(), parts_.end(),
                                 [&](const PartText& part) { return part.part->node == name; });
  N2D2_CHECK(text != parts_.end(), "'{}' is nobody's part", name);
  const auto maps = [&](const std::vector<program::ViewId>& views) {
    std::vector<std::string> out;
    for (const program::ViewId view : views)
      out.push_back(fmt::format("{{{}, {}}}", text_.pointer(program_.view(view)), program_.view(view).pixel));
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
std::string ForwardCalls::outputs_text(const Cell& cell, bool done) const {
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

/// The source is of no cell.
program::CallId ForwardCalls::first_of_cells(const Region& region) const {
  return region.first + (program_.call(region.first).is_source() ? 1 : 0);
}

}  // namespace n2d2::targets::cpp
