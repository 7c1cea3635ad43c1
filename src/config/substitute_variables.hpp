// What does a value say once its variables, references and arithmetic are replaced? Stage 3 of the INI
// reader.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/base/error.hpp"

namespace n2d2::config {

/// A property as written: "[section] key" at a place. A literal text holds no `${...}` to replace.
struct Definition {
  std::string section, key, text;
  SourceLocation where;
  bool literal = false;
};

/// What the expansion of a value may ask of the document, in the context of the section that is being read.
class Names {
 public:
  virtual ~Names() = default;
  /// `${name}`: of the reading section, of the global section, built in, or of the environment.
  virtual std::optional<Definition> variable(std::string_view name) const = 0;
  virtual bool has_section(std::string_view section) const = 0;
  /// `[section]key`, marked as read.
  virtual std::optional<Definition> property(std::string_view section, std::string_view key) const = 0;

  /// For messages: the names of variables in reach, where to define a missing one, the keys of a section.
  virtual std::vector<std::string> variable_names() const = 0;
  virtual std::string hint_for_undefined(std::string_view variable, std::string_view text_section) const = 0;
  virtual std::vector<std::string> property_names(std::string_view section) const = 0;
  /// How a property would be there that is not.
  virtual std::string hint_for_missing(std::string_view, std::string_view key) const {
    return key.starts_with('_') ? "computed properties exist once the section they belong to has been built"
                                : "";
  }
};

/// What becomes of that which cannot be replaced: all of it is an error; an undefined `${NAME}` is kept for a
/// later expansion (template parameters); or a reference to a property `_...` is, which is computed when the
/// network is built (printed documents). What is kept keeps the arithmetic it stands in.
enum class Undefined { Error, Keep, KeepComputed };

/// Replaces, in this order: `${VAR}` by its text, again and again;
/// `[section]key` by the expanded value of that property; `$(...)` by its result. Warnings about reference
/// names go to `diagnostics`. Throws ConfigError at the line that holds the text that cannot be expanded.
std::string substitute(const Definition& definition, const Names& names, Undefined undefined,
                       Diagnostics& diagnostics);

/// "[conv1] Stride", the subject of messages about a key.
std::string subject_of(std::string_view section, std::string_view key);

}  // namespace n2d2::config
