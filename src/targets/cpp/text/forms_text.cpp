#include "forms_text.hpp"

#include <set>

#include "shared_calls.hpp"

namespace n2d2::targets::cpp {

using exporter::TemplateData;

namespace {

/// What the test driver calls the time of a cell's calls: of layers that run in turns, the last one's.
std::string timed_as(const program::Program& program, const program::Cell& cell) {
  const program::Region* region = program.region_of(cell.calls.front());
  std::string out = cell.identifier;
  if (region == nullptr) return out;
  for (const program::Cell& other : program.cells)
    if (!other.calls.empty() && region->has(other.calls.front())) out = other.identifier;
  return out;
}

/// "conv2d_form(cells::conv1_config(), static_cast<const uint8_t*>(0), ...)", or "0" of a kernel with one
/// form.
std::string form_expression(const ProjectText& text, const program::Cell& cell, const program::Call& call) {
  if (call.kernel->forms().empty()) return "0";
  std::string out = fmt::format("{}_form(cells::{}()", call.kernel->name(), config_name(cell, call.suffix));
  for (const CallArgument& argument : call_arguments(text, cell, call))
    out += fmt::format(", static_cast<{}>(0)", argument.type);
  return out + ")";
}

}  // namespace

std::string forms_source(const ProjectText& text) {
  const program::Program& program = text.program();
  std::set<std::string> headers;
  TemplateData::List kernels, configs, calls;
  for (const program::Cell& cell : program.cells) {
    if (cell.calls.empty()) continue;
    bool has_forms = false;
    for (const program::CallId id : cell.calls) {
      const program::Call& call = program.call(id);
      if (!call.kernel->forms().empty()) has_forms = true, headers.emplace(call.kernel->header());
      calls.push_back(TemplateData()
                          .set("cell", timed_as(program, cell))
                          .set("kernel", std::string(call.kernel->name()))
                          .set("form", form_expression(text, cell, call)));
    }
    if (has_forms) configs.push_back(TemplateData().set("identifier", cell.identifier));
  }
  for (const std::string& header : headers) kernels.push_back(TemplateData().set("header", header));
  TemplateData data;
  data.set_list("kernels", std::move(kernels)).set_list("cell_configs", std::move(configs));
  data.set_list("calls", std::move(calls));
  return text.fill("forms", std::move(data));
}

}  // namespace n2d2::targets::cpp
