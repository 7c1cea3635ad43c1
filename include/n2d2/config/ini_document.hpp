// What does this INI say, and on which line? One document with templates expanded and every value knowing its
// place; values are expanded (variables, references, arithmetic) when they are read, in the reader's context.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "n2d2/base/error.hpp"
#include "n2d2/base/fields.hpp"

namespace n2d2::config {

class DocumentData;

/// The bytes of a file, or nothing when it cannot be read. Templates, their includes and `<layer>.cfg` files
/// are asked for through it, so that a document can be read without a disk.
using FileReader = std::function<std::optional<std::string>(const std::string& path)>;

/// An INI file after inheritance and template expansion. Section "" holds the global
/// keys. Reading leaves marks, by which unread() and unused_sections() tell what nobody asked for; the marks
/// are the only thing a const document changes. Not for use by several threads at once.
class IniDocument {
 public:
  explicit IniDocument(std::unique_ptr<DocumentData> data);
  IniDocument(IniDocument&&) noexcept;
  IniDocument& operator=(IniDocument&&) noexcept;
  ~IniDocument();

  /// The path it was read from, as given.
  const std::string& path() const;
  /// In file order after template expansion, "" first. The header of a template is a section as well.
  std::vector<std::string> section_names() const;
  bool has_section(std::string_view section) const;
  /// The line of the header; line 0 of the file for "" and for a section that is not there.
  SourceLocation section_where(std::string_view section) const;
  /// Leaves no mark.
  bool has_key(std::string_view section, std::string_view key) const;
  /// Inherited, then own keys, in file order, without `$` variables and computed properties. Leaves no mark.
  std::vector<std::string> keys(std::string_view section) const;

  /// The expanded text of a key and the line it was written on; nothing when it is not there. Variables and
  /// ${SECTION_NAME} are those of the reading section `context` (default: the section itself), then of the
  /// global section, then the environment. Marks the key as read by everyone.
  /// Throws ConfigError with the place: undefined variable, missing referenced property, reference cycle,
  /// wrong arithmetic.
  std::optional<KeyText> find(std::string_view section, std::string_view key,
                              std::string_view context = {}) const;
  /// A comma list such as `Input=a,b`: items are trimmed, with a warning when that changes one; empty items
  /// are kept (the caller knows what an item is). Throws as find().
  std::optional<std::vector<std::string>> list(std::string_view section, std::string_view key) const;

  /// Adds a property that the program computed (`_EpochSize`, `_NbOutputs`, ...), for references. It is never
  /// unread. Nothing happens when there is no such section: no reference can name it.
  void define(std::string_view section, std::string_view key, std::string text);

  /// A property that the program would compute if the file asked for it: `hint` tells those who refer to it
  /// how.
  void withhold(std::string_view section, std::string_view key, std::string hint);

  /// The properties of the section are unknown, and the reason is reported: whoever asks for a property of
  /// it by a reference gets a ConfigError without findings, unless the section has the property. A section
  /// that is not there may be poisoned, too.
  void poison(std::string_view section);

  /// The keys of one section that start with `prefix`, seen without it: with prefix "ActivationFunction.",
  /// find("LeakSlope") reads "ActivationFunction.LeakSlope". find() of a source throws ConfigError as above.
  /// Sources stay valid while the document lives, also when it is moved.
  std::unique_ptr<KeySource> source(std::string_view section, std::string prefix = {}) const;
  /// The config sections of a layer as one source: a later section wins, a file
  /// `<layer>.cfg` in the working directory wins over all. Values are expanded in the layer's context.
  /// Throws ConfigError at the layer's ConfigSection key when a section does not exist.
  std::unique_ptr<KeySource> config_source(std::string_view layer_section,
                                           const std::vector<std::string>& sections,
                                           std::string prefix = {}) const;

  struct Unread {
    std::string section, key;
    SourceLocation where;
    /// For a section read through config_source(): the layer that did not read the key. One entry for each
    /// layer, because a key known to one layer type may be unknown to another. Empty otherwise.
    std::string reader;
  };
  /// Keys never read in the global section and in sections of which something was read, in file order.
  /// A key counts as read if a reference names it.
  std::vector<Unread> unread() const;
  /// Sections in which nothing was read, that no section inherits from, and that are no template header.
  std::vector<std::pair<std::string, SourceLocation>> unused_sections() const;

  /// Marks a key as read, by everyone or by one layer reading a config section.
  void mark_read(std::string_view section, std::string_view key, std::string_view reader = {}) const;
  void mark_used(std::string_view section) const;

 private:
  friend std::string print(const IniDocument& document);
  std::unique_ptr<DocumentData> data_;
};

/// The variable that is undefined according to a finding of IniDocument; nothing when it is about something
/// else.
std::optional<std::string> undefined_variable(const Diagnostic& finding);

/// The message of a finding without the key that needed the value, where another one did: what is wrong is
/// one fact, whoever needs it.
std::string_view without_need(std::string_view message);

/// Reads a file. Templates are looked for beside it, `{% include %}` and `<layer>.cfg` in the working
/// directory. Throws ConfigError with everything found wrong; warnings go to log::warn.
IniDocument read_ini(const std::string& path);

/// Reads a text that does not come from a file on disk, in the way read_ini() reads a file. Messages name the
/// text `file_name`; template paths are relative to the folder of `file_name`. `files` supplies every other
/// file (none by default).
IniDocument parse_ini(std::string_view text, const std::string& file_name, const FileReader& files = {});

/// A section and its keys as values: nothing in them is a comment, a variable or arithmetic.
struct SectionValues {
  std::string name;
  std::vector<std::pair<std::string, std::string>> keys;
  /// What messages call it; empty: by its name.
  std::string called = {};
};

/// A document that no text was read for. `path` is what messages name. InternalError when two sections have
/// one name.
IniDocument document_of(const std::string& path, const std::vector<SectionValues>& sections);

/// The whole document as flat INI text that is read as the same network: no templates, no inheritance, values
/// expanded for those who read them; references to what is computed when the network is built stay, and
/// variables where two layers that share a config section would see different values. A value that cannot be
/// expanded stays as written, followed by a comment that says why. Leaves no marks.
std::string print(const IniDocument& document);

/// The line that is read as this key and text; nothing when no line can hold it.
std::optional<std::string> line_of(const std::string& key, const std::string& text);

}  // namespace n2d2::config
