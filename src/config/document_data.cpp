#include "document_data.hpp"

#include <cstdlib>

#include "n2d2/base/log.hpp"
#include "n2d2/base/text.hpp"

#include "read_lines.hpp"

namespace n2d2::config {

namespace {

/// The document as the expansion of one value sees it.
class ContextNames final : public Names {
 public:
  ContextNames(const DocumentData& data, std::string_view context) : data_(data), context_(context) {}

  std::optional<Definition> variable(std::string_view name) const override {
    const std::string key = "$" + std::string(name);
    for (const std::string_view owner : {context_, std::string_view()}) {
      const Section* section = data_.find_section(owner);
      if (const Property* property = section == nullptr ? nullptr : section->find(key))
        return Definition{section->name, key, property->text, property->where};
    }
    if (name == "SECTION_NAME") return Definition{"built in", key, std::string(context_), {}, true};
    if (name == "PREV_SECTION_NAME")
      if (const Section* section = data_.find_section(context_))
        return Definition{"built in", key, section->previous, {}, true};
    if (const char* text = std::getenv(std::string(name).c_str()))
      return Definition{"environment", key, text, {}, true};
    return std::nullopt;
  }
  bool has_section(std::string_view section) const override {
    return data_.find_section(section) != nullptr || data_.poisoned.contains(section);
  }
  std::optional<Definition> property(std::string_view section, std::string_view key) const override {
    const Section* owner = data_.find_section(section);
    const Property* property = owner == nullptr ? nullptr : owner->find(key);
    if (property == nullptr && (owner == nullptr || key.starts_with('_')) && data_.poisoned.contains(section))
      throw ConfigError(std::vector<Diagnostic>{});
    if (property == nullptr) return std::nullopt;
    data_.marks.used.emplace(section);
    data_.marks.read[owner->name].emplace(key);
    return Definition{owner->name, property->key, property->text, property->where,
                      property->computed || property->verbatim};
  }
  std::vector<std::string> variable_names() const override {
    std::vector<std::string> out{"SECTION_NAME", "PREV_SECTION_NAME"};
    for (const std::string_view owner : {context_, std::string_view()})
      if (const Section* section = data_.find_section(owner))
        for (const Property& property : section->properties())
          if (property.is_variable()) out.push_back(property.key.substr(1));
    return out;
  }
  std::string hint_for_undefined(std::string_view variable, std::string_view text_section) const override {
    const Section* section = data_.find_section(text_section);
    if (text_section != context_ && section != nullptr &&
        section->find("$" + std::string(variable)) != nullptr)
      return fmt::format(
          "[{}] defines ${}, but the value is read for [{}]; define it before the first section",
          text_section, variable, context_);
    return fmt::format("define '${}=...' in [{}] or before the first section, or set it in the environment",
                       variable, context_);
  }
  std::vector<std::string> property_names(std::string_view section) const override {
    std::vector<std::string> out;
    if (const Section* owner = data_.find_section(section))
      for (const Property& property : owner->properties()) out.push_back(property.key);
    return out;
  }
  std::string hint_for_missing(std::string_view section, std::string_view key) const override {
    const auto withheld = data_.withheld.find({std::string(section), std::string(key)});
    return withheld == data_.withheld.end() ? Names::hint_for_missing(section, key) : withheld->second;
  }

 private:
  const DocumentData& data_;
  std::string_view context_;
};

}  // namespace

const Property* Section::find(std::string_view key) const {
  const auto it = index_.find(key);
  return it == index_.end() ? nullptr : &properties_[it->second];
}

void Section::set(Property property) {
  const auto [it, fresh] = index_.try_emplace(property.key, properties_.size());
  if (fresh)
    properties_.push_back(std::move(property));
  else
    properties_[it->second] = std::move(property);
}

DocumentData::DocumentData(std::string path, FileReader files)
    : path(std::move(path)), files(std::move(files)) {
  add_section("", {this->path, 0}, "");
}

Section* DocumentData::add_section(std::string_view name, SourceLocation where, std::string previous) {
  const auto [it, fresh] = index_.try_emplace(std::string(name), nullptr);
  if (!fresh) return nullptr;
  sections_.push_back(std::make_unique<Section>(it->first, std::move(where), std::move(previous)));
  return it->second = sections_.back().get();
}

Section* DocumentData::find_section(std::string_view name) {
  const auto it = index_.find(name);
  return it == index_.end() ? nullptr : it->second;
}

const Section* DocumentData::find_section(std::string_view name) const {
  const auto it = index_.find(name);
  return it == index_.end() ? nullptr : it->second;
}

std::string DocumentData::expand(std::string_view section, const Property& property, std::string_view context,
                                 Undefined undefined, Diagnostics& diagnostics) const {
  if (property.computed || property.verbatim) return property.text;
  const Definition definition{std::string(section), property.key, property.text, property.where};
  return substitute(definition, ContextNames(*this, context), undefined, diagnostics);
}

std::string DocumentData::expand_and_warn(std::string_view section, const Property& property,
                                          std::string_view context) const {
  Diagnostics diagnostics;
  std::string text = expand(section, property, context, Undefined::Error, diagnostics);
  for (const Diagnostic& warning : diagnostics.warnings())
    warn_once(warning.where, warning.message, warning.hint);
  return text;
}

void DocumentData::warn_once(const SourceLocation& where, const std::string& message,
                             const std::string& hint) const {
  if (!marks.warned.insert(Diagnostic{where, message, hint}.text()).second) return;
  Diagnostics diagnostics;
  diagnostics.warn(where, message, hint);
  diagnostics.finish<ConfigError>();
}

const Section& DocumentData::layer_file(std::string_view layer) const {
  if (const auto known = layer_files_.find(layer); known != layer_files_.end()) return known->second;
  const std::string name = file_name(layer) + ".cfg";
  Section keys(name, {name, 0}, "");
  if (const auto text = files(name)) {
    check_is_text(*text, name);
    Diagnostics diagnostics;
    const auto physical = split_lines(*text, name);
    for (const Line& line : read_lines(physical, diagnostics)) {
      auto property = split_property(line.text);
      if (property)
        keys.set({std::move(property->first), std::move(property->second), line.where});
      else
        diagnostics.error(line.where, fmt::format("[{}] expected 'key = value', got '{}'", layer, line.text));
    }
    diagnostics.finish<ConfigError>();
    log::notice("{}: its keys replace those of the config sections of [{}]", name, layer);
  }
  return layer_files_.emplace(std::string(layer), std::move(keys)).first->second;
}

std::optional<std::pair<std::string, std::string>> split_property(std::string_view line) {
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view key = trim(line.substr(0, equals));
  if (key.empty()) return std::nullopt;
  return std::pair{std::string(key), std::string(unquoted(trim(line.substr(equals + 1))))};
}

std::string expand_environment(std::string_view text, std::string_view subject, const SourceLocation& where) {
  std::string out;
  while (true) {
    const size_t open = text.find("${");
    const size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) return out += text;
    const std::string name(text.substr(open + 2, close - open - 2));
    const char* value = std::getenv(name.c_str());
    if (value == nullptr)
      throw ConfigError(
          fmt::format("{}: undefined environment variable '{}' in the path", subject, name), where,
          fmt::format("'export {}=<folder>' sets it; a template path knows no $ variables of the INI", name));
    out += text.substr(0, open);
    out += value;
    text.remove_prefix(close + 1);
  }
}

}  // namespace n2d2::config
