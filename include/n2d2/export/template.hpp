// How is a generated file made from a template? Mustache, but an undefined name is an error.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace n2d2::exporter {

/// What a template may name: texts, switches for sections, and lists of the same.
struct TemplateData {
  using List = std::vector<TemplateData>;
  std::map<std::string, std::variant<std::string, bool, List>> entries;

  TemplateData& set(const std::string& name, std::string text);
  TemplateData& set(const std::string& name, const char* text) { return set(name, std::string(text)); }
  TemplateData& set(const std::string& name, int64_t number) { return set(name, std::to_string(number)); }
  TemplateData& set_switch(const std::string& name, bool on);
  TemplateData& set_list(const std::string& name, List list);
};

/// The template's text with every {{name}} replaced, nothing escaped. InternalError naming the template when
/// it is malformed or names something that is not there.
std::string render(std::string_view text, const TemplateData& data, const std::string& template_name);

}  // namespace n2d2::exporter
