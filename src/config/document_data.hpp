// What does a document hold? Sections with their properties as written, and the marks that reading leaves.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "n2d2/base/error.hpp"
#include "n2d2/config/ini_document.hpp"

#include "substitute_variables.hpp"

namespace n2d2::config {

struct Property {
  std::string key, text;
  SourceLocation where;
  bool computed = false;
  /// What the text says: nothing in it is expanded.
  bool verbatim = false;
  /// The section it was copied from, or "".
  std::string inherited_from = {};

  bool is_variable() const { return key.starts_with('$'); }
  /// What keys() lists and unread() watches.
  bool is_plain() const { return !computed && !is_variable(); }
};

/// Properties keep the order in which their keys were first written.
class Section {
 public:
  Section(std::string name, SourceLocation where, std::string previous)
      : name(std::move(name)), where(std::move(where)), previous(std::move(previous)) {}

  const Property* find(std::string_view key) const;
  /// Replaces the property of that key, or appends one.
  void set(Property property);
  const std::vector<Property>& properties() const { return properties_; }

  std::string name;
  /// What messages call it where it is no "[name]".
  std::string called;
  SourceLocation where;
  /// The section declared before, for ${PREV_SECTION_NAME}.
  std::string previous;
  bool is_template = false;
  bool is_parent = false;

 private:
  std::vector<Property> properties_;
  std::map<std::string, size_t, std::less<>> index_;
};

/// Who read what. A reader is a layer that reads a config section.
struct Marks {
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>>
      read;  // section -> keys, for everyone
  std::map<std::string, std::map<std::string, std::set<std::string, std::less<>>, std::less<>>, std::less<>>
      read_by;                                 // section -> reader -> keys
  std::set<std::string, std::less<>> visited;  // sections that were read themselves
  std::set<std::string, std::less<>> used;     // sections that were read or referenced
  std::set<std::string, std::less<>> warned;   // warnings are given once
};

class DocumentData {
 public:
  DocumentData(std::string path, FileReader files);

  /// Nothing when the section exists already.
  Section* add_section(std::string_view name, SourceLocation where, std::string previous);
  Section* find_section(std::string_view name);
  const Section* find_section(std::string_view name) const;
  /// In file order, the global section first.
  const std::vector<std::unique_ptr<Section>>& sections() const { return sections_; }

  /// Stage 3 in the context of a section.
  std::string expand(std::string_view section, const Property& property, std::string_view context,
                     Undefined undefined, Diagnostics& diagnostics) const;
  /// Expands a property for a reader, as expand() does with Undefined::Error. Logs each warning once.
  std::string expand_and_warn(std::string_view section, const Property& property,
                              std::string_view context) const;
  void warn_once(const SourceLocation& where, const std::string& message, const std::string& hint) const;

  /// The keys of `<layer>.cfg` in the working directory; empty when there is no such file. Read once.
  /// Throws ConfigError when a line is no `key = value`.
  const Section& layer_file(std::string_view layer) const;
  const std::map<std::string, Section, std::less<>>& layer_files() const { return layer_files_; }

  const std::string path;
  const FileReader files;
  mutable Marks marks;
  /// IniDocument::poison.
  std::set<std::string, std::less<>> poisoned;
  /// Section and key of what could be computed -> hint.
  std::map<std::pair<std::string, std::string>, std::string> withheld;

 private:
  std::vector<std::unique_ptr<Section>> sections_;
  std::map<std::string, Section*, std::less<>> index_;
  mutable std::map<std::string, Section, std::less<>> layer_files_;
};

/// Splits "key = value"; nothing without '=' or without a key.
std::optional<std::pair<std::string, std::string>> split_property(std::string_view line);

/// Stage 4: classifies the lines of a text, copies what is inherited, renders templates in place. Everything
/// found wrong goes to `diagnostics`.
std::unique_ptr<DocumentData> build_document(std::string_view text, const std::string& path,
                                             const FileReader& files, Diagnostics& diagnostics);

/// Replaces `${NAME}` by environment variables; a missing one is an error of `subject`.
std::string expand_environment(std::string_view text, std::string_view subject, const SourceLocation& where);

}  // namespace n2d2::config
