#include "shared_calls.hpp"

#include <algorithm>

namespace n2d2::targets::cpp {

namespace {

/// Configs of a kind from which on their differences are read at run time. Below, what that takes is more
/// than what it saves.
constexpr size_t kManyConfigs = 4;
/// Where lines of generated text break.
constexpr size_t kLine = 100;

/// "a, b, c" in lines.
std::string wrapped(const std::vector<std::string>& words, const std::string& indent) {
  std::string out = indent, line;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i] + (i + 1 < words.size() ? "," : "");
    if (!line.empty() && line.size() + word.size() > kLine) out += line + "\n" + indent, line.clear();
    line += (line.empty() ? "" : " ") + word;
  }
  return out + line;
}

std::string text_of(const program::ConfigFields& fields, bool with_values) {
  std::string out;
  for (const program::ConfigField& field : fields)
    out += field.type + " " + field.name + (with_values ? "=" + field.text : "") + ";";
  return out;
}

}  // namespace

std::vector<CallArgument> call_arguments(const ProjectText& text, const program::Cell& cell,
                                         const program::Call& call) {
  const program::Program& program = text.program();
  std::vector<CallArgument> in, out;
  const program::Config config = call.kernel->config(program, call);
  const size_t operands = config.of_inputs.size();
  for (size_t i = 0; i < call.in.size(); ++i) {
    const program::View& view = program.view(call.in[i]);
    in.push_back({"const " + element_type(view.type) + "*", text.pointer(view),
                  i < operands ? operand_name(cell, call, i) : ""});
  }
  for (const program::ViewId id : call.out)
    out.push_back({element_type(program.view(id).type) + "*", text.pointer(program.view(id)), ""});
  if (operands > 0) in.swap(out);
  in.insert(in.end(), out.begin(), out.end());
  size_t operand = call.in.size();
  for (const program::ConstantId id : call.constants) {
    const std::string config_of_operand = operand < operands ? operand_name(cell, call, operand) : "";
    ++operand;
    const program::Constant& constant = program.constant(id);
    const std::string array = "cells::" + array_name(cell, constant);
    const int64_t of_slice = constant.data->elements() / constant.slices;
    if (const program::Storage storage = constant.storage; storage.is_narrow()) {
      const std::string kind = fmt::format("<{}, {}>", storage.bits, storage.is_odd ? 1 : 0);
      in.push_back({"const Narrow" + kind + "*", "narrow" + kind + "(" + array + ")", ""});
      continue;
    }
    in.push_back({"const " + element_type(constant.data->dtype()) + "*",
                  constant.slices == 1 ? array : fmt::format("{} + slice * {}", array, of_slice),
                  config_of_operand});
  }
  if (call.scratch) in.push_back({"void*", text.arena_address(*call.scratch), ""});
  return in;
}

/// A call that may share its code.
struct SharedCalls::Member {
  program::CallId call;
  std::string kernel, config;
  program::ConfigFields fields;
  std::vector<CallArgument> arguments;

  /// "const uint8_t* a0, uint8_t* a1".
  std::string parameters() const {
    std::vector<std::string> out;
    for (size_t i = 0; i < arguments.size(); ++i) out.push_back(fmt::format("{} a{}", arguments[i].type, i));
    return join(out, ", ");
  }
  std::string passed() const {
    std::string out;
    for (size_t i = 0; i < arguments.size(); ++i)
      out += arguments[i].operand.empty()
                 ? fmt::format(", a{}", i)
                 : fmt::format(", operand(cells::{}(), a{})", arguments[i].operand, i);
    return out;
  }
  bool has_operands() const {
    return std::any_of(arguments.begin(), arguments.end(), [](const auto& a) { return !a.operand.empty(); });
  }
};

SharedCalls::SharedCalls(const ProjectText& text) {
  if (text.network().options.parameters.optimize != Optimize::Size) return;
  const program::Program& program = text.program();
  // By kind, then by config, each in the order of its first call.
  std::vector<std::vector<Members>> kinds;
  std::map<std::string, size_t> kind_of, config_of;
  for (const program::Cell& cell : program.cells)
    for (const program::CallId id : cell.calls) {
      const program::Call& call = program.call(id);
      if (call.contract.opaque || call.is_loop_nest()) continue;
      const program::Config config = call.kernel->config(program, call);
      Member member{id, std::string(call.kernel->name()), config_name(cell, call.suffix), config.fields,
                    call_arguments(text, cell, call)};
      std::string kind = member.kernel + "(" + member.parameters() + ")" + text_of(config.fields, false);
      for (const program::ConfigFields& fields : config.of_inputs) kind += "|" + text_of(fields, false);
      const size_t at = kind_of.emplace(kind, kinds.size()).first->second;
      if (at == kinds.size()) kinds.emplace_back();
      std::string values = kind + text_of(config.fields, true);
      for (const program::ConfigFields& fields : config.of_inputs) values += "|" + text_of(fields, true);
      const size_t place = config_of.emplace(values, kinds[at].size()).first->second;
      if (place == kinds[at].size()) kinds[at].emplace_back();
      kinds[at][place].push_back(std::move(member));
    }
  for (const std::vector<Members>& configs : kinds) share_kind(configs);
}

void SharedCalls::share_kind(const std::vector<Members>& configs) {
  const Member& first = configs.front().front();
  if (configs.size() >= kManyConfigs && !first.has_operands())
    return share_sizes(configs, fmt::format("{}_of_{}", first.kernel, first.config));
  for (const Members& calls : configs)
    if (calls.size() > 1)
      share_config(calls, fmt::format("{}_of_{}", calls.front().kernel, calls.front().config));
}

void SharedCalls::share_sizes(const std::vector<Members>& configs, const std::string& name) {
  const Member& first = configs.front().front();
  std::string fields, values;
  std::vector<std::string> members;
  for (size_t i = 0; i < first.fields.size(); ++i) {
    const program::ConfigField& field = first.fields[i];
    const bool is_common = std::all_of(configs.begin(), configs.end(), [&](const Members& calls) {
      return calls.front().fields[i].text == field.text;
    });
    fields += is_common ? fmt::format("  static constexpr {} {} = {};\n", field.type, field.name, field.text)
                        : fmt::format("  {} {};\n", field.type, field.name);
    if (!is_common) members.push_back(field.name);
  }
  for (const Members& calls : configs) {
    const std::string& config = calls.front().config;
    std::vector<std::string> entries;
    for (const std::string& member : members) entries.push_back("cells::" + config + "::" + member);
    values += fmt::format("const {}_sizes {}_values = {{\n{}}};\n", name, config, wrapped(entries, "  "));
    for (const Member& call : calls)
      uses_[call.call] = {"shared::" + name + "_rows", "shared::" + config + "_values, "};
  }
  definitions_ += fmt::format(
      "\nstruct {0}_sizes {{\n{1}}};\n{2}[[gnu::noinline]] static void {0}_rows(const {0}_sizes& c, Rows "
      "rows, {3}) "
      "{{\n"
      "  {4}(c, rows{5});\n}}\n",
      name, fields, values, first.parameters(), first.kernel, first.passed());
}

void SharedCalls::share_config(const Members& calls, const std::string& name) {
  const Member& first = calls.front();
  for (const Member& call : calls) uses_[call.call] = {"shared::" + name + "_rows", ""};
  definitions_ += fmt::format(
      "\n[[gnu::noinline]] static void {}_rows(Rows rows, {}) {{\n  {}(cells::{}(), rows{});\n}}\n", name,
      first.parameters(), first.kernel, first.config, first.passed());
}

const SharedCalls::Use* SharedCalls::find(program::CallId call) const {
  const auto found = uses_.find(call);
  return found == uses_.end() ? nullptr : &found->second;
}

}  // namespace n2d2::targets::cpp
