#include "n2d2/config/ini_document.hpp"

#include <filesystem>

#include "n2d2/base/read_file.hpp"
#include "n2d2/base/text.hpp"

#include "document_data.hpp"
#include "read_lines.hpp"

namespace n2d2::config {

namespace {

/// One section seen through a prefix.
class SectionSource final : public KeySource {
 public:
  SectionSource(const DocumentData& data, std::string_view section, std::string prefix,
                std::function<std::optional<KeyText>(std::string_view)> find)
      : data_(data), section_(section), prefix_(std::move(prefix)), find_(std::move(find)) {}

  std::optional<KeyText> find(std::string_view key) const override {
    return find_(prefix_ + std::string(key));
  }
  SourceLocation where() const override {
    const Section* section = data_.find_section(section_);
    return section == nullptr ? SourceLocation{data_.path, 0} : section->where;
  }
  std::string subject() const override {
    const Section* section = data_.find_section(section_);
    return section == nullptr || section->called.empty() ? fmt::format("[{}]", section_) : section->called;
  }

 private:
  const DocumentData& data_;
  std::string section_, prefix_;
  std::function<std::optional<KeyText>(std::string_view)> find_;
};

std::optional<KeyText> find_in_section(const DocumentData& data, std::string_view section,
                                       std::string_view key, std::string_view context) {
  const Section* owner = data.find_section(section);
  if (owner == nullptr) return std::nullopt;
  data.marks.visited.insert(owner->name);
  data.marks.used.insert(owner->name);
  const Property* property = owner->find(key);
  if (property == nullptr) return std::nullopt;
  data.marks.read[owner->name].emplace(key);
  return KeyText{data.expand_and_warn(owner->name, *property, context), property->where};
}

/// The key of the last section that has it; read for this layer in all of them. `<layer>.cfg` comes last.
std::optional<KeyText> find_in_config(const DocumentData& data, const std::string& layer,
                                      const std::vector<std::string>& sections, std::string_view key) {
  const Property* property = nullptr;
  std::string_view owner;
  for (const std::string& name : sections) {
    const Section* section = data.find_section(name);
    const Property* found = section->find(key);
    if (found == nullptr) continue;
    data.marks.read_by[name][layer].emplace(key);
    property = found;
    owner = section->name;
  }
  const Section& file = data.layer_file(layer);
  if (const Property* found = file.find(key)) {
    data.marks.read_by[file.name][layer].emplace(key);
    property = found;
    owner = file.name;
  }
  if (property == nullptr) return std::nullopt;
  return KeyText{data.expand_and_warn(owner, *property, layer), property->where};
}

/// The place of a layer's ConfigSection or ConfigSection(<Model>) key, else of its header.
SourceLocation config_section_place(const DocumentData& data, std::string_view layer) {
  const Section* section = data.find_section(layer);
  if (section == nullptr) return {data.path, 0};
  for (const Property& property : section->properties())
    if (property.key == "ConfigSection" || property.key.starts_with("ConfigSection(")) return property.where;
  return section->where;
}

void check_config_sections(const DocumentData& data, std::string_view layer,
                           const std::vector<std::string>& sections) {
  Diagnostics diagnostics;
  std::vector<std::string> names;
  for (const auto& section : data.sections())
    if (!section->name.empty()) names.push_back(section->name);
  for (const std::string& name : sections)
    if (name.empty() || data.find_section(name) == nullptr)
      diagnostics.error(config_section_place(data, layer),
                        fmt::format("[{}] ConfigSection: section [{}] not found{}", layer, name,
                                    name.empty() ? "" : did_you_mean(name, names)));
  diagnostics.finish<ConfigError>();
}

bool is_marked(const std::map<std::string, std::set<std::string, std::less<>>, std::less<>>& marks,
               std::string_view owner, std::string_view key) {
  const auto it = marks.find(owner);
  return it != marks.end() && it->second.contains(key);
}

constexpr int64_t kLargestFile = int64_t{1} << 26;

std::optional<std::string> read_file(const std::string& path) {
  try {
    return read_regular_file(path, kLargestFile);
  } catch (const FileError&) {
    return std::nullopt;
  }
}

IniDocument read_document(std::string_view text, const std::string& path, const FileReader& files) {
  Diagnostics diagnostics;
  auto data = build_document(text, path, files, diagnostics);
  diagnostics.finish<ConfigError>();
  return IniDocument(std::move(data));
}

}  // namespace

IniDocument::IniDocument(std::unique_ptr<DocumentData> data) : data_(std::move(data)) {}
IniDocument::IniDocument(IniDocument&&) noexcept = default;
IniDocument& IniDocument::operator=(IniDocument&&) noexcept = default;
IniDocument::~IniDocument() = default;

const std::string& IniDocument::path() const {
  return data_->path;
}

std::vector<std::string> IniDocument::section_names() const {
  std::vector<std::string> out;
  for (const auto& section : data_->sections()) out.push_back(section->name);
  return out;
}

bool IniDocument::has_section(std::string_view section) const {
  return data_->find_section(section) != nullptr;
}

SourceLocation IniDocument::section_where(std::string_view section) const {
  const Section* found = data_->find_section(section);
  return found == nullptr ? SourceLocation{data_->path, 0} : found->where;
}

bool IniDocument::has_key(std::string_view section, std::string_view key) const {
  const Section* found = data_->find_section(section);
  return found != nullptr && found->find(key) != nullptr;
}

std::vector<std::string> IniDocument::keys(std::string_view section) const {
  std::vector<std::string> out;
  if (const Section* found = data_->find_section(section))
    for (const Property& property : found->properties())
      if (property.is_plain()) out.push_back(property.key);
  return out;
}

std::optional<KeyText> IniDocument::find(std::string_view section, std::string_view key,
                                         std::string_view context) const {
  return find_in_section(*data_, section, key, context.empty() ? section : context);
}

std::optional<std::vector<std::string>> IniDocument::list(std::string_view section,
                                                          std::string_view key) const {
  const auto found = find(section, key);
  if (!found) return std::nullopt;
  std::vector<std::string> items = split(found->text, ',');
  for (std::string& item : items) {
    const std::string trimmed(trim(item));
    if (trimmed != item)
      data_->warn_once(found->where,
                       fmt::format("{}: '{}' has blanks around it; '{}' is assumed", subject_of(section, key),
                                   item, trimmed),
                       "items of the list are separated by ',' alone");
    item = trimmed;
  }
  return items;
}

void IniDocument::define(std::string_view section, std::string_view key, std::string text) {
  Section* found = data_->find_section(section);
  if (found == nullptr) return;
  found->set({std::string(key), std::move(text), found->where, true});
}

void IniDocument::withhold(std::string_view section, std::string_view key, std::string hint) {
  data_->withheld.insert_or_assign({std::string(section), std::string(key)}, std::move(hint));
}

void IniDocument::poison(std::string_view section) {
  data_->poisoned.emplace(section);
}

std::unique_ptr<KeySource> IniDocument::source(std::string_view section, std::string prefix) const {
  return std::make_unique<SectionSource>(
      *data_, section, std::move(prefix),
      [data = data_.get(), name = std::string(section)](std::string_view key) {
        return find_in_section(*data, name, key, name);
      });
}

std::unique_ptr<KeySource> IniDocument::config_source(std::string_view layer_section,
                                                      const std::vector<std::string>& sections,
                                                      std::string prefix) const {
  check_config_sections(*data_, layer_section, sections);
  const std::string layer(layer_section);
  for (const std::string& name : sections) {
    data_->marks.used.insert(name);
    data_->marks.read_by[name][layer];
  }
  if (const Section& file = data_->layer_file(layer); !file.properties().empty())
    data_->marks.read_by[file.name][layer];
  return std::make_unique<SectionSource>(*data_, layer, std::move(prefix),
                                         [data = data_.get(), layer, sections](std::string_view key) {
                                           return find_in_config(*data, layer, sections, key);
                                         });
}

std::vector<IniDocument::Unread> IniDocument::unread() const {
  std::vector<Unread> out;
  const Marks& marks = data_->marks;
  const auto collect = [&](const Section& section, const std::string& reader, const auto* read_by_reader) {
    for (const Property& property : section.properties()) {
      if (!property.is_plain() || is_marked(marks.read, section.name, property.key)) continue;
      if (read_by_reader != nullptr && read_by_reader->contains(property.key)) continue;
      out.push_back({section.name, property.key, property.where, reader});
    }
  };
  const auto collect_readers = [&](const Section& section) {
    const auto readers = marks.read_by.find(section.name);
    if (readers == marks.read_by.end()) return false;
    for (const auto& [reader, keys] : readers->second) collect(section, reader, &keys);
    return true;
  };
  const std::set<std::string, std::less<>>* everyone = nullptr;
  for (const auto& section : data_->sections())
    if (!collect_readers(*section) && (section->name.empty() || marks.visited.contains(section->name)))
      collect(*section, "", everyone);
  for (const auto& [layer, file] : data_->layer_files()) collect_readers(file);
  return out;
}

std::vector<std::pair<std::string, SourceLocation>> IniDocument::unused_sections() const {
  std::vector<std::pair<std::string, SourceLocation>> out;
  for (const auto& section : data_->sections())
    if (!section->name.empty() && !section->is_template && !section->is_parent &&
        !data_->marks.used.contains(section->name))
      out.emplace_back(section->name, section->where);
  return out;
}

void IniDocument::mark_read(std::string_view section, std::string_view key, std::string_view reader) const {
  if (reader.empty())
    data_->marks.read[std::string(section)].emplace(key);
  else
    data_->marks.read_by[std::string(section)][std::string(reader)].emplace(key);
}

void IniDocument::mark_used(std::string_view section) const {
  data_->marks.used.emplace(section);
}

IniDocument read_ini(const std::string& path) {
  std::string text;
  try {
    text = read_regular_file(path, kLargestFile);
  } catch (const FileError& error) {
    constexpr std::string_view kOther = "expected a regular file, ";
    const std::string absolute = std::filesystem::absolute(path).lexically_normal().string();
    throw ConfigError(error.reason == "no such file" ? "the INI file does not exist"
                      : error.reason.starts_with(kOther)
                          ? "expected an INI file, " + error.reason.substr(kOther.size())
                          : "the INI file " + error.reason,
                      {path, 0}, "looked for '" + absolute + "'");
  }
  return read_document(text, path, read_file);
}

IniDocument parse_ini(std::string_view text, const std::string& file_name, const FileReader& files) {
  const FileReader none = [](const std::string&) { return std::optional<std::string>(); };
  return read_document(text, file_name, files ? files : none);
}

IniDocument document_of(const std::string& path, const std::vector<SectionValues>& sections) {
  auto data = std::make_unique<DocumentData>(path, [](const std::string&) { return std::nullopt; });
  std::string previous;
  for (const SectionValues& values : sections) {
    Section* section = data->add_section(values.name, {path, 0}, previous);
    N2D2_CHECK(section != nullptr, "section [{}] is there twice", values.name);
    section->called = values.called;
    for (const auto& [key, text] : values.keys)
      section->set({.key = key, .text = text, .where = {path, 0}, .verbatim = true});
    previous = values.name;
  }
  return IniDocument(std::move(data));
}

}  // namespace n2d2::config
