#include <algorithm>
#include <map>
#include <utility>

#include "n2d2/base/text.hpp"
#include "n2d2/config/ini_document.hpp"

#include "document_data.hpp"
#include "read_lines.hpp"

namespace n2d2::config {

namespace {

/// Whether a header with this name is read as this section.
bool is_writable_name(const std::string& name) {
  try {
    const IniDocument read = parse_ini(fmt::format("[{}]\n", name), "");
    return read.section_names() == std::vector<std::string>{"", name};
  } catch (const ConfigError&) {
    return false;
  }
}

/// What a value becomes in the printed text.
struct Printed {
  std::optional<std::string> text;
  /// Why there is no text.
  std::string reason = {};
};

class Printer {
 public:
  explicit Printer(const DocumentData& data) : data_(data) {
    for (const auto& section : data_.sections()) find_readers(*section);
  }

  std::string run() {
    find_what_varies();
    for (const auto& section : data_.sections())
      if (!is_only_template(*section)) print_section(*section);
    return std::move(out_);
  }

 private:
  /// Sections in whose context the values of a section are read: layers for a section that they name in
  /// ConfigSection.
  void find_readers(const Section& section) {
    for (const Property& property : section.properties()) {
      if (!property.key.starts_with("ConfigSection") || !property.is_plain()) continue;
      const Printed names = expanded(section, property, section.name);
      for (const std::string& name : split(names.text.value_or(""), ','))
        if (!trim(name).empty()) readers_[std::string(trim(name))].push_back(section.name);
    }
  }
  std::vector<std::string> contexts_of(const Section& section) const {
    const auto found = readers_.find(section.name);
    return found == readers_.end() ? std::vector<std::string>{section.name} : found->second;
  }

  /// What is computed when the network is built stays a reference.
  Printed expanded(const Section& section, const Property& property, std::string_view context) const {
    Diagnostics diagnostics;
    try {
      return {data_.expand(section.name, property, context, Undefined::KeepComputed, diagnostics)};
    } catch (const ConfigError& error) {
      return {std::nullopt, error.findings().front().message};
    }
  }
  /// Nothing, and no reason, where the readers of a section see different values.
  Printed value_of(const Section& section, const Property& property) const {
    std::optional<Printed> first;
    for (const std::string& context : contexts_of(section)) {
      Printed value = expanded(section, property, context);
      if (first && value.text != first->text) return {};
      if (!first) first = std::move(value);
    }
    return *first;
  }

  /// Values that are not the same for all who read them stay as they are written, and with them all
  /// variables.
  void find_what_varies() {
    for (const auto& section : data_.sections())
      for (const Property& property : section->properties())
        if (property.is_plain() && !property.verbatim) {
          const Printed value = value_of(*section, property);
          needs_variables_ = needs_variables_ || (!value.text && value.reason.empty());
        }
  }

  /// The header of a template whose keys were its parameters: what came of them follows.
  bool is_only_template(const Section& section) const {
    const std::string& name = section.name;
    if (!section.is_template || readers_.contains(name) || section.find("Input") != nullptr) return false;
    return std::none_of(std::begin(kReadByName), std::end(kReadByName),
                        [&](std::string_view start) { return name.starts_with(start); }) &&
           name.find(".Target") == std::string::npos;
  }

  void print_section(const Section& section) {
    if (!section.name.empty()) {
      if (!out_.empty()) out_ += "\n";
      if (!is_writable_name(section.name)) {
        out_ += "; a section follows whose name no line can hold\n";
        return;
      }
      out_ += fmt::format("[{}]\n", section.name);
    }
    for (const Property& property : section.properties()) {
      if (property.is_plain())
        print_value(section, property);
      else if (property.is_variable() && needs_variables_)
        if (const auto line = line_of(property.key, property.text)) out_ += *line + "\n";
    }
  }

  void print_value(const Section& section, const Property& property) {
    Printed value;
    if (changes_when_read(section, property))
      value.reason = "the value holds characters that no line can hold";
    else
      value = value_of(section, property);
    const bool varies = !value.text && value.reason.empty();
    if (varies) value.text = property.text;
    std::optional<std::string> line;
    if (value.text) line = line_of(property.key, *value.text);
    if (line)
      out_ += *line + "\n";
    else if (property.verbatim)
      out_ += fmt::format("; no line can hold the value of {}\n", property.key);
    else
      out_ += fmt::format(
          "{} ; not expanded: {}\n", line_of(property.key, property.text).value_or("; " + property.key),
          value.reason.empty() ? "the value holds characters that no line can hold" : value.reason);
  }

  /// A value that is taken as it is, and would be another when it was read from a line.
  bool changes_when_read(const Section& section, Property property) const {
    if (!std::exchange(property.verbatim, false)) return false;
    try {
      Diagnostics diagnostics;
      return data_.expand(section.name, property, section.name, Undefined::Error, diagnostics) !=
             property.text;
    } catch (const ConfigError&) {
      return true;
    }
  }

  /// Sections that mean something by their names.
  static constexpr std::string_view kReadByName[] = {"database", "sp", "env", "cenv"};

  const DocumentData& data_;
  std::map<std::string, std::vector<std::string>> readers_;
  bool needs_variables_ = false;
  std::string out_;
};

}  // namespace

/// Plain, else quoted.
std::optional<std::string> line_of(const std::string& key, const std::string& text) {
  for (const std::string& line : {key + "=" + text, key + "=\"" + text + "\""}) {
    Diagnostics diagnostics;
    const auto physical = split_lines(line, "");
    const auto lines = read_lines(physical, diagnostics);
    if (lines.size() != 1 || physical.size() != 1 || diagnostics.has_errors()) continue;
    const auto parts = split_property(lines[0].text);
    if (parts && parts->first == key && parts->second == text) return line;
  }
  return std::nullopt;
}

std::string print(const IniDocument& document) {
  // Expanding references leaves marks; printing must not.
  const Marks before = document.data_->marks;
  std::string out = Printer(*document.data_).run();
  document.data_->marks = before;
  return out;
}

}  // namespace n2d2::config
