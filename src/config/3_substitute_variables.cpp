#include <algorithm>
#include <cctype>
#include <cmath>

#include "n2d2/base/text.hpp"
#include "n2d2/config/ini_document.hpp"

#include "expression.hpp"
#include "substitute_variables.hpp"

namespace n2d2::config {

namespace {

constexpr size_t kMaxDepth = 100;
constexpr size_t kMaxSubstituted = size_t{1} << 20;
constexpr size_t kMaxName = 256;
constexpr int kMaxReplacements = 10'000;
constexpr std::string_view kNeeded = " (needed for ";
constexpr std::string_view kUndefined = "undefined variable '";
constexpr std::string_view kBlanks = " \t\r\n\v\f";

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$';
}

/// The ')' that closes the '(' at `open`.
std::optional<size_t> closing(std::string_view text, size_t open) {
  int level = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++level;
    if (text[i] == ')' && --level == 0) return i;
  }
  return std::nullopt;
}

class Expansion {
 public:
  Expansion(const Names& names, Undefined undefined, Diagnostics& diagnostics)
      : names_(names), undefined_(undefined), diagnostics_(diagnostics) {}

  std::string expand(const Definition& definition) {
    const Entered entered(*this, definition);
    std::string text = definition.text;
    if (!definition.literal) text = variables(text);
    references(text);
    return arithmetic(text, 0);
  }

 private:
  /// The chain of definitions being expanded, outermost first.
  struct Entered {
    Entered(Expansion& expansion, const Definition& definition) : expansion(expansion) {
      for (const Definition* open : expansion.stack_)
        if (open->section == definition.section && open->key == definition.key) expansion.cycle(definition);
      expansion.stack_.push_back(&definition);
      if (expansion.stack_.size() > kMaxDepth)
        expansion.fail(
            fmt::format("expected at most {} values that lead to each other, got more", kMaxDepth));
    }
    ~Entered() { expansion.stack_.pop_back(); }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;
    Expansion& expansion;
  };

  /// An error in the innermost text; says for which key it was needed when that is another one.
  [[noreturn]] void fail(const std::string& message, std::string hint = {}) const {
    const Definition& inner = *stack_.back();
    const Definition& outer = *stack_.front();
    std::string text = subject_of(inner.section, inner.key) + ": " + message;
    if (&inner != &outer)
      text += fmt::format("{}{}, {}:{})", kNeeded, subject_of(outer.section, outer.key), outer.where.file,
                          outer.where.line);
    throw ConfigError(std::move(text), inner.where, std::move(hint));
  }
  [[noreturn]] void cycle(const Definition& again) const {
    std::string path;
    bool inside = false;
    for (const Definition* open : stack_) {
      inside = inside || (open->section == again.section && open->key == again.key);
      if (inside) path += subject_of(open->section, open->key) + " -> ";
    }
    fail("expected a value that does not need itself, got the cycle " + path +
         subject_of(again.section, again.key));
  }
  void count(size_t bytes) {
    if (++replacements_ > kMaxReplacements || bytes > kMaxSubstituted)
      fail("expected a value of at most 1 MB and 10000 replacements, got more");
  }

  std::string variables(std::string_view text) {
    std::string out;
    while (true) {
      const size_t open = text.find("${");
      const size_t close = open == std::string_view::npos ? open : text.find('}', open);
      if (close == std::string_view::npos) return out += text;
      out += text.substr(0, open);
      out += variable(text.substr(open + 2, close - open - 2));
      count(out.size());
      text.remove_prefix(close + 1);
    }
  }
  std::string variable(std::string_view name) {
    const auto definition = names_.variable(name);
    if (definition) {
      const Entered entered(*this, *definition);
      return definition->literal ? definition->text : variables(definition->text);
    }
    if (undefined_ == Undefined::Keep) return fmt::format("${{{}}}", name);
    fail(fmt::format("{}{}'{}", kUndefined, name, did_you_mean(name, names_.variable_names())),
         names_.hint_for_undefined(name, stack_.back()->section));
  }

  void references(std::string& text) {
    size_t position = 0;
    while ((position = text.find('[', position)) != std::string::npos) {
      const size_t close = text.find(']', position);
      if (close == std::string::npos) return;
      const std::string section = text.substr(position + 1, close - position - 1);
      const size_t end = std::min(text.find_first_of(kBlanks, close), text.size());
      const std::string_view key = std::string_view(text).substr(close + 1, end - close - 1);
      if (!names_.has_section(section) || (section.empty() && key.empty())) {
        ++position;
        continue;
      }
      if (undefined_ == Undefined::KeepComputed && key.starts_with('_') && !is_property(section, key)) {
        ++position;
        continue;
      }
      const auto definition = referenced(section, key);
      text.replace(position, close + 1 - position + definition.second, expand(definition.first));
      count(text.size());
    }
  }
  /// Also of a key with characters behind it that are no part of its name.
  bool is_property(const std::string& section, std::string_view key) const {
    const auto end = std::find_if_not(key.begin(), key.end(), is_name_character);
    const std::string_view name = key.substr(0, static_cast<size_t>(end - key.begin()));
    return names_.property(section, key).has_value() || names_.property(section, name).has_value();
  }
  /// The property and the number of characters that name it: up to the next blank, else the longest part of
  /// that which ends where a name can end and is a property.
  std::pair<Definition, size_t> referenced(const std::string& section, std::string_view key) {
    if (auto definition = names_.property(section, key)) return {std::move(*definition), key.size()};
    for (size_t length = std::min(key.size(), kMaxName); length-- > 1;) {
      if (is_name_character(key[length]) && (key[length] != '.' || length + 1 < key.size())) continue;
      const std::string_view name = key.substr(0, length);
      auto definition = names_.property(section, name);
      if (!definition) continue;
      const Definition& reading = *stack_.back();
      diagnostics_.warn(
          reading.where,
          fmt::format("{}: the reference '[{}]{}' goes on to the next blank; '[{}]{}' is assumed",
                      subject_of(reading.section, reading.key), section, key, section, name),
          fmt::format("put a blank behind '[{}]{}'", section, name));
      return {std::move(*definition), length};
    }
    fail(fmt::format("[{}] has no property '{}'{}", section, key,
                     did_you_mean(key, names_.property_names(section))),
         names_.hint_for_missing(section, key));
  }

  /// Inner `$(...)` first.
  std::string arithmetic(std::string_view text, size_t depth) {
    std::string out;
    while (true) {
      const size_t open = text.find("$(");
      if (open == std::string_view::npos) return out += text;
      out += text.substr(0, open);
      const auto close = closing(text, open + 1);
      if (!close) fail(fmt::format("expected a ')' that closes '{}', found none", text.substr(open)));
      if (depth >= kMaxDepth) fail(fmt::format("'$(' nested more than {} deep", kMaxDepth));
      out += result(arithmetic(text.substr(open + 2, *close - open - 2), depth + 1));
      text.remove_prefix(*close + 1);
    }
  }
  std::string result(const std::string& expression) {
    const bool is_kept =
        (undefined_ == Undefined::Keep && expression.find("${") != std::string::npos) ||
        (undefined_ == Undefined::KeepComputed && expression.find("]_") != std::string::npos);
    if (is_kept) return fmt::format("$({})", expression);
    try {
      const Number number = evaluate_expression(expression);
      const auto* real = std::get_if<double>(&number);
      if (real == nullptr || std::trunc(*real) == *real) return print_number(number);
      // Printed for people, it stays what they wrote.
      if (undefined_ == Undefined::KeepComputed) return fmt::format("$({})", expression);
      return print_fraction(*real);
    } catch (const ConfigError& error) {
      fail(fmt::format("cannot compute '$({})': {}", expression, error.findings().front().message));
    }
  }

  const Names& names_;
  Undefined undefined_;
  Diagnostics& diagnostics_;
  std::vector<const Definition*> stack_;
  int replacements_ = 0;
};

}  // namespace

std::optional<std::string> undefined_variable(const Diagnostic& finding) {
  const size_t at = finding.message.find(kUndefined);
  if (at == std::string::npos) return std::nullopt;
  const size_t name = at + kUndefined.size();
  return finding.message.substr(name, finding.message.find('\'', name) - name);
}

std::string_view without_need(std::string_view message) {
  return message.substr(0, message.rfind(kNeeded));
}

std::string subject_of(std::string_view section, std::string_view key) {
  return fmt::format("[{}] {}", section, key);
}

std::string substitute(const Definition& definition, const Names& names, Undefined undefined,
                       Diagnostics& diagnostics) {
  return Expansion(names, undefined, diagnostics).expand(definition);
}

}  // namespace n2d2::config
