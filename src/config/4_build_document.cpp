#include <deque>
#include <filesystem>
#include <map>
#include <tuple>

#include "n2d2/base/text.hpp"

#include "document_data.hpp"
#include "expand_templates.hpp"
#include "read_lines.hpp"

namespace n2d2::config {

namespace {

constexpr int kMaxTemplates = 16;
constexpr size_t kMaxLines = 100'000;

/// "[name@path] parent parent" in its parts.
struct Header {
  std::string name;
  std::optional<std::string> template_path;
  std::vector<std::string> parents;
};

std::optional<Header> parse_header(std::string_view line) {
  const size_t close = line.find(']');
  if (!line.starts_with('[') || close == std::string_view::npos) return std::nullopt;
  Header header;
  const auto parts = split(line.substr(1, close - 1), '@');
  if (parts.size() == 2) {
    header.name = parts[0];
    header.template_path = parts[1];
  } else {
    header.name = line.substr(1, close - 1);
  }
  std::string parent;
  for (const char c : std::string(line.substr(close + 1)) + ' ') {
    if (c != ' ' && c != '\t') {
      parent += c;
    } else if (!parent.empty()) {
      header.parents.push_back(std::move(parent));
      parent.clear();
    }
  }
  return header;
}

class Builder {
 public:
  Builder(DocumentData& data, Diagnostics& diagnostics)
      : data_(data), diagnostics_(diagnostics), current_(data.find_section("")) {}

  void read_text(std::string_view text) {
    try {
      check_is_text(text, data_.path);
    } catch (const ConfigError& error) {
      return diagnostics_.add(error);
    }
    read(split_lines(text, data_.path));
    report_missing_parents();
    report_failed();
    report_replaced();
  }

 private:
  /// A header "[name@path]" whose properties are being read.
  struct OpenTemplate {
    Section* section;
    std::string path;
  };
  /// A key that has got another text, and the sections besides the first in which it has.
  struct Replaced {
    SourceLocation where;
    std::string message;
    size_t others = 0;
  };
  struct MissingParent {
    SourceLocation where;
    std::string child, parent;
  };

  void read(const std::vector<Line>& physical) {
    lines_ += physical.size();
    if (lines_ > kMaxLines) {
      diagnostics_.error({data_.path, 0},
                         fmt::format("expected at most {} lines in all, got more", kMaxLines));
      return;
    }
    for (const Line& line : read_lines(physical, diagnostics_)) {
      if (auto header = parse_header(line.text)) {
        render_open_template();
        declare(*header, line.where);
      } else if (line.text.starts_with('[') && line.text.find('=') == std::string::npos) {
        render_open_template();
        declare_unclosed(line);
      } else {
        assign(line);
      }
    }
    render_open_template();
  }

  void declare(const Header& header, const SourceLocation& where) {
    current_ = data_.add_section(header.name, where, previous_);
    if (current_ == nullptr) {
      const SourceLocation& first = data_.find_section(header.name)->where;
      diagnostics_.error(where, header.name.empty()
                                    ? "[]: expected a name; keys before the first section are the global ones"
                                    : fmt::format("[{}]: expected each section once, the first is at {}:{}",
                                                  header.name, first.file, first.line));
      duplicates_.emplace_back(header.name, where, previous_);
      current_ = &duplicates_.back();
      return;
    }
    for (const std::string& parent : header.parents) inherit(parent, where);
    if (!parent_section_.empty()) current_->set({"$PARENT_SECTION_NAME", parent_section_, where});
    if (header.template_path) {
      current_->is_template = true;
      open_template_ = OpenTemplate{current_, *header.template_path};
    } else {
      previous_ = header.name;
    }
  }

  /// The keys that follow belong to the section that was meant.
  void declare_unclosed(const Line& line) {
    const std::string name = line.text.substr(1, line.text.find_first_of(" \t", 1) - 1);
    diagnostics_.error(line.where,
                       fmt::format("expected a ']' behind the name of a section, got '{}'", line.text),
                       fmt::format("'[{}]' begins a section", name));
    if (!name.empty() && data_.find_section(name) == nullptr) declare({name, {}, {}}, line.where);
  }

  void inherit(const std::string& name, const SourceLocation& where) {
    Section* parent = name == current_->name ? nullptr : data_.find_section(name);
    if (parent == nullptr) {
      missing_parents_.push_back({where, current_->name, name});
      return;
    }
    parent->is_parent = true;
    for (Property property : parent->properties()) {
      if (current_->find(property.key) != nullptr) continue;
      property.inherited_from = parent->name;
      current_->set(std::move(property));
    }
  }

  void assign(const Line& line) {
    auto parts = split_property(line.text);
    if (!parts) {
      const bool no_key = line.text.starts_with('=');
      diagnostics_.error(line.where, no_key ? fmt::format("[{}] expected a name before '=', got '{}'",
                                                          current_->name, line.text)
                                            : fmt::format("{}: missing value, expected '{}=...'",
                                                          subject_of(current_->name, line.text), line.text));
      return;
    }
    auto& [key, text] = *parts;
    if (const Property* old = current_->find(key);
        old != nullptr && key != "$PARENT_SECTION_NAME" && old->text != text)
      note_replaced(line.where, key, text, *old);
    current_->set({std::move(key), std::move(text), line.where});
  }

  /// Records that a line replaces the text of another one. Replacements are counted as one fact when several
  /// sections replace the same inherited line by the same text, and when one line of a template replaces the
  /// same text in each section that the template is rendered for.
  void note_replaced(const SourceLocation& where, const std::string& key, const std::string& text,
                     const Property& old) {
    const auto id = [&](const SourceLocation& place) {
      return std::tuple(place.file, place.line, key, text, old.text);
    };
    auto known = by_place_.find(id(where));
    if (known == by_place_.end()) known = by_place_.find(id(old.where));
    if (known != by_place_.end()) {
      ++replaced_[known->second].others;
      return;
    }
    const std::string origin =
        old.inherited_from.empty() ? "" : fmt::format(" inherited from [{}]", old.inherited_from);
    replaced_.push_back(
        {where, fmt::format("{}: '{}' replaces '{}'{} ({}:{})", subject_of(current_->name, key), text,
                            old.text, origin, old.where.file, old.where.line)});
    by_place_.emplace(id(where), replaced_.size() - 1);
    by_place_.emplace(id(old.where), replaced_.size() - 1);
  }

  /// What several templates fail of alike, a variable of the environment above all, is one fact.
  void note_failed(Diagnostic error, const std::string& subject) {
    const bool names_template = error.message.starts_with(subject);
    const auto [known, fresh] = by_words_.try_emplace(
        names_template ? error.message.substr(subject.size()) : error.text(), failed_.size());
    if (fresh)
      failed_.emplace_back(std::move(error), 0);
    else
      ++failed_[known->second].second;
  }

  void report_failed() {
    for (const auto& [error, others] : failed_) {
      const std::string more =
          others == 0 ? "" : fmt::format(" (and in {} other place{})", others, others == 1 ? "" : "s");
      diagnostics_.error(error.where, error.message + more, error.hint);
    }
  }

  void report_replaced() {
    for (const Replaced& replaced : replaced_) {
      const char* plural = replaced.others == 1 ? "" : "s";
      const std::string more =
          replaced.others == 0 ? "" : fmt::format(", and in {} more section{}", replaced.others, plural);
      diagnostics_.warn(replaced.where, replaced.message + more);
    }
  }

  /// The end of "[name@path]" and its properties: the rendered text is read in its place.
  void render_open_template() {
    if (!open_template_) return;
    const OpenTemplate open = *std::exchange(open_template_, std::nullopt);
    const std::string subject = fmt::format("[{}@{}]", open.section->name, open.path);
    const SourceLocation& where = open.section->where;
    Diagnostics found;
    std::vector<Line> lines;
    try {
      if (depth_ >= kMaxTemplates)
        throw ConfigError(fmt::format("{}: templates nested more than {} deep", subject, kMaxTemplates),
                          where);
      const std::string path = template_path(open.path, subject, where);
      const auto text = data_.files(path);
      if (!text)
        throw ConfigError(fmt::format("{}: cannot read the template '{}'", subject, path), where,
                          "template paths are relative to the folder of the main file");
      check_is_text(*text, path);
      Parameters values = parameters(open, found);
      if (!found.has_errors()) lines = render_template(*text, path, std::move(values), data_.files, found);
    } catch (const ConfigError& error) {
      found.add(error);
    }
    for (const Diagnostic& warning : found.warnings())
      diagnostics_.warn(warning.where, warning.message, warning.hint);
    if (found.has_errors()) {
      incomplete_ = true;
      for (Diagnostic error : found.errors()) {
        if (error.hint.empty() && error.where != where)
          error.hint = fmt::format("rendered for {} at {}:{}", subject, where.file, where.line);
        note_failed(std::move(error), subject);
      }
      return;
    }
    ++depth_;
    const std::string outer = std::exchange(parent_section_, open.section->name);
    current_ = open.section;
    read(lines);
    parent_section_ = outer;
    --depth_;
  }

  std::string template_path(std::string_view written, std::string_view subject,
                            const SourceLocation& where) const {
    const std::filesystem::path path = expand_environment(written, subject, where);
    return (std::filesystem::path(data_.path).parent_path() / path).string();
  }

  Parameters parameters(const OpenTemplate& open, Diagnostics& found) {
    Parameters out;
    for (const Property& property : open.section->properties()) {
      if (property.is_variable()) continue;
      try {
        out[property.key] =
            data_.expand(open.section->name, property, open.section->name, Undefined::Keep, found);
      } catch (const ConfigError& error) {
        found.add(error);
      }
    }
    for (const auto& [key, text] : {std::pair<std::string, std::string>{"SECTION_NAME", open.section->name},
                                    std::pair<std::string, std::string>{"SECTION_FILE_NAME", open.path}}) {
      if (out.contains(key))
        found.warn(open.section->find(key)->where,
                   fmt::format("{}: the template gets '{}', the program sets this parameter",
                               subject_of(open.section->name, key), text));
      out[key] = text;
    }
    return out;
  }

  void report_missing_parents() {
    for (const MissingParent& missing : missing_parents_) {
      const Section* later = data_.find_section(missing.parent);
      if (later == nullptr && incomplete_) continue;  // a template that failed may have declared it
      std::vector<std::string> names;
      for (const auto& section : data_.sections()) names.push_back(section->name);
      diagnostics_.error(
          missing.where,
          fmt::format("[{}]: expected an earlier section to inherit from, '{}' does not exist{}",
                      missing.child, missing.parent,
                      later != nullptr ? " yet" : did_you_mean(missing.parent, names)),
          later != nullptr
              ? fmt::format("it is declared at {}:{}; move it up", later->where.file, later->where.line)
              : "");
    }
  }

  DocumentData& data_;
  Diagnostics& diagnostics_;
  Section* current_;
  std::optional<OpenTemplate> open_template_;
  std::vector<MissingParent> missing_parents_;
  std::deque<Section> duplicates_;  // sections that cannot be added collect their keys here
  std::vector<Replaced> replaced_;
  std::vector<std::pair<Diagnostic, size_t>> failed_;  // and how many more there are
  std::map<std::string, size_t> by_words_;
  std::map<std::tuple<std::string, int, std::string, std::string, std::string>, size_t> by_place_;
  std::string previous_;
  std::string parent_section_;
  size_t lines_ = 0;
  int depth_ = 0;
  bool incomplete_ = false;
};

}  // namespace

std::unique_ptr<DocumentData> build_document(std::string_view text, const std::string& path,
                                             const FileReader& files, Diagnostics& diagnostics) {
  auto data = std::make_unique<DocumentData>(path, files);
  Builder(*data, diagnostics).read_text(text);
  return data;
}

}  // namespace n2d2::config
