#include "commands.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "n2d2/config/ini_document.hpp"

#include "command_line/shell_word.hpp"

namespace n2d2::app {

namespace {

/// Options that the comparison decides, or that are about it alone.
constexpr std::array<std::string_view, 7> kDecided{"pareto", "pareto-part",  "export",           "nbbits",
                                                   "test",   "quant-effort", "export-parameters"};

/// Sections and keys of a file, values expanded.
std::vector<config::SectionValues> sections_of(const std::string& file) {
  std::vector<config::SectionValues> out;
  if (file.empty()) return out;
  const config::IniDocument document = config::read_ini(file);
  for (const std::string& section : document.section_names()) {
    config::SectionValues& values = out.emplace_back();
    values.name = section;
    for (const std::string& key : document.keys(section))
      if (const auto found = document.find(section, key)) values.keys.emplace_back(key, found->text);
  }
  return out;
}

/// The key gets the value in its section, which is made where there is none.
void set(std::vector<config::SectionValues>& sections, const std::string& section, const std::string& key,
         const std::string& value) {
  auto found = std::find_if(sections.begin(), sections.end(),
                            [&](const config::SectionValues& each) { return each.name == section; });
  if (found == sections.end())
    found = sections.insert(section.empty() ? sections.begin() : sections.end(), {section, {}, {}});
  const auto at = std::find_if(found->keys.begin(), found->keys.end(),
                               [&](const auto& pair) { return pair.first == key; });
  if (at != found->keys.end())
    at->second = value;
  else
    found->keys.emplace_back(key, value);
}

std::string text_of(const std::vector<config::SectionValues>& sections, const std::string& file) {
  std::string out;
  for (const config::SectionValues& section : sections) {
    if (!section.name.empty()) out += "[" + section.name + "]\n";
    for (const auto& [key, value] : section.keys) {
      const auto line = config::line_of(key, value);
      if (!line)
        throw ConfigError(
            fmt::format("option -pareto: no line can hold [{}] {} and its value, which a variable has",
                        section.name, key),
            {file, 0}, "write the value into the file");
      out += *line + "\n";
    }
  }
  return out;
}

}  // namespace

std::string parameters_of(const Explored& explored, const Options& o) {
  const int bits = explored.point.integers.activation_bits;
  const bool limits = !explored.memory_budget.empty() && explored.memory_budget != "0";
  if (o.export_parameters.empty() && bits == 0 && !limits) return "";
  std::vector<config::SectionValues> sections = sections_of(o.export_parameters);
  if (limits) set(sections, "", "MemoryBudget", explored.memory_budget);
  if (bits > 0) set(sections, "default", "ActivationNbBits", std::to_string(bits));
  return text_of(sections, o.export_parameters);
}

std::filesystem::path parameters_file(const Point& point, const Options& o) {
  return o.in_output("pareto") / "parameters" / (point.name() + ".ini");
}

Options options_of(const Explored& explored, const Options& o, bool has_parameters) {
  Options out = o;
  out.nb_bits = explored.point.integers.nb_bits;
  out.quant_effort = explored.point.integers.effort;
  out.export_parameters = has_parameters ? parameters_file(explored.point, o).string() : "";
  return out;
}

std::string command_of(const Explored& explored, const Options& o, bool has_parameters) {
  std::vector<std::string> words{"n2d2", o.model};
  for (const TypedOption& option : o.typed)
    if (std::find(kDecided.begin(), kDecided.end(), option.name) == kDecided.end())
      words.insert(words.end(), option.arguments.begin(), option.arguments.end());
  const IntegerSetting& integers = explored.point.integers;
  words.insert(words.end(), {"-export", o.export_type, "-nbbits", std::to_string(integers.nb_bits),
                             "-quant-effort", std::to_string(integers.effort)});
  if (has_parameters)
    words.insert(words.end(), {"-export-parameters", parameters_file(explored.point, o).string()});
  words.emplace_back("-test");
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + shell_word(word);
  return out;
}

}  // namespace n2d2::app
