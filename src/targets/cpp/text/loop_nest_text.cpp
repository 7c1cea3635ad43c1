#include "loop_nest_text.hpp"

#include "shared_calls.hpp"

namespace n2d2::targets::cpp {

using exporter::TemplateData;
using program::Call;
using program::Cell;
using program::View;
using program::Window;

namespace {

/// "conv1_forward_step0"
std::string function_name(const Cell& cell, const Call& step) {
  return cell.identifier + "_forward" + step.suffix;
}

std::string step_function(const ProjectText& text, const Cell& cell, const Call& step) {
  std::string parameters, arguments;
  const std::vector<CallArgument> all = call_arguments(text, cell, step);
  const size_t maps = step.in.size() + step.out.size();
  bool reads_slices = false;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i < maps) parameters += fmt::format(", {} map{}", all[i].type, i);
    arguments += i < maps ? fmt::format(", map{}", i) : ", " + all[i].value;
  }
  for (const program::ConstantId id : step.constants)
    reads_slices = reads_slices || text.program().constant(id).slices > 1;
  return text.fill("loop_nest_step", TemplateData()
                                         .set("function", function_name(cell, step))
                                         .set("slice", reads_slices ? "int slice" : "int")
                                         .set("parameters", parameters)
                                         .set("kernel", std::string(step.kernel->name()))
                                         .set("config", "cells::" + config_name(cell, step.suffix))
                                         .set("arguments", arguments));
}

/// The rows of a step for those of the next one.
std::string rows_before(const View& map, const Window& window, size_t next) {
  if (window.kind == Window::Kind::Whole) return fmt::format("Rows{{0, {}}}", map.h);
  if (window.kind != Window::Kind::Rows) return fmt::format("rows{}", next);
  return fmt::format("rows_read(rows{}, {}, {}, {}, {})", next, window.stride, window.pad, window.extent,
                     map.h);
}

}  // namespace

std::string step_functions(const ProjectText& text, const Cell& cell) {
  std::string out;
  for (const program::CallId id : cell.calls)
    for (const Call& step : text.program().call(id).steps) out += step_function(text, cell, step);
  return out;
}

std::string loops_text(const ProjectText& text, const Cell& cell, const Call& call, const std::string& rows) {
  const program::Program& program = text.program();
  const size_t last = call.steps.size() - 1;
  const View& sums = program.view(call.steps[last].in.at(0));
  TemplateData::List before, steps;
  for (size_t step = last; step-- > 0;)
    before.push_back(TemplateData()
                         .set("index", static_cast<int64_t>(step))
                         .set("rows", rows_before(program.view(call.steps[step].out.at(0)),
                                                  call.steps[step + 1].contract.windows.at(0), step + 1)));
  const auto step_call = [&](size_t step, const std::string& slice) {
    return fmt::format("{}(rows{}, {}, {}, {})", function_name(cell, call.steps[step]), step, slice,
                       text.pointer(program.view(call.steps[step].in.at(0))),
                       text.pointer(program.view(call.steps[step].out.at(0))));
  };
  for (size_t step = 0; step < last; ++step)
    steps.push_back(
        TemplateData().set("index", static_cast<int64_t>(step)).set("call", step_call(step, "slice")));
  TemplateData data;
  data.set("rows", rows)
      .set("up", call.scan == memory::Scan::BottomUp ? "1" : "0")
      .set("last", static_cast<int64_t>(last))
      .set("sums", text.pointer(sums))
      .set("count", int64_t{sums.w} * sums.c)
      .set("slices", int64_t{call.slices})
      .set("end", step_call(last, "0"));
  data.set_list("before", std::move(before)).set_list("steps", std::move(steps));
  return text.fill("loop_nest", std::move(data));
}

}  // namespace n2d2::targets::cpp
