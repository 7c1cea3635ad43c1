// What are the fields of an operator, filler, solver, database, ...? Each type lists them once in
//
//   template <class V> static void fields(V&& v) {
//     v("NbOutputs", &Conv::nb_outputs, required, at_least(1), help("feature maps"));
//   }
//
// and reading from INI keys, checking, printing, comparing and help text follow from that list.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "n2d2/base/error.hpp"
#include "n2d2/base/text.hpp"

namespace n2d2 {

// ---- options of one field ------------------------------------------------------------------------------

/// Where an INI key belongs: the layer's own section or a ConfigSection.
enum class Place { Section, Config };

struct FieldInfo {
  std::string_view name;
  bool required = false;
  std::optional<double> min, max;
  Place place = Place::Section;
  std::string_view help;
  /// Set for a geometry field ("Kernel"): KernelDims, Kernel, KernelSize, KernelX + KernelY,
  /// KernelWidth + KernelHeight are all read.
  std::string_view geometry;
};

struct RequiredOption {
  void apply(FieldInfo& f) const { f.required = true; }
};
struct ConfigOption {
  void apply(FieldInfo& f) const { f.place = Place::Config; }
};
struct MinOption {
  double value;
  void apply(FieldInfo& f) const { f.min = value; }
};
struct MaxOption {
  double value;
  void apply(FieldInfo& f) const { f.max = value; }
};
struct HelpOption {
  std::string_view text;
  void apply(FieldInfo& f) const { f.help = text; }
};
struct GeometryOption {
  std::string_view base;
  void apply(FieldInfo& f) const { f.geometry = base; }
};

inline constexpr RequiredOption required{};
inline constexpr ConfigOption in_config{};
constexpr MinOption at_least(double value) {
  return {value};
}
constexpr MaxOption at_most(double value) {
  return {value};
}
constexpr HelpOption help(std::string_view text) {
  return {text};
}
constexpr GeometryOption geometry(std::string_view base) {
  return {base};
}

template <class... Options>
FieldInfo field_info(std::string_view name, const Options&... options) {
  FieldInfo info;
  info.name = name;
  (options.apply(info), ...);
  return info;
}

// ---- values as text --------------------------------------------------------------------------------------

/// Names of an enumeration in order of its values 0, 1, 2, ...: specialise with
/// `static constexpr std::array names{"Max", "Average"};` (elements convertible to string_view).
template <class E>
struct EnumText;

/// Text form of a field's type: parse, print, what to say was expected, and the numbers to range-check.
template <class T>
struct ValueText;

template <class I>
requires(std::integral<I> && !std::same_as<I, bool>) struct ValueText<I> {
  static bool parse(std::string_view text, I& value) {
    const auto v = parse_integer(text);
    if (!v) return false;
    if constexpr (std::is_unsigned_v<I>) {
      if (*v < 0 || static_cast<uint64_t>(*v) > std::numeric_limits<I>::max()) return false;
    } else {
      if (*v < std::numeric_limits<I>::min() || *v > std::numeric_limits<I>::max()) return false;
    }
    value = static_cast<I>(*v);
    return true;
  }
  static std::string print(const I& value) { return std::to_string(value); }
  static std::string kind() { return std::is_unsigned_v<I> ? "an integer >= 0" : "an integer"; }
  static std::vector<double> numbers(const I& value) { return {static_cast<double>(value)}; }
};

template <std::floating_point F>
struct ValueText<F> {
  static bool parse(std::string_view text, F& value) {
    const auto v = parse_real(text);
    if (v) value = static_cast<F>(*v);
    return v.has_value();
  }
  static std::string print(const F& value) { return print_real(value); }
  static std::string kind() { return "a number"; }
  static std::vector<double> numbers(const F& value) { return {static_cast<double>(value)}; }
};

template <>
struct ValueText<bool> {
  static bool parse(std::string_view text, bool& value) {
    const auto v = parse_bool(text);
    if (v) value = *v;
    return v.has_value();
  }
  static std::string print(const bool& value) { return value ? "1" : "0"; }
  static std::string kind() { return "0 or 1"; }
  static std::vector<double> numbers(const bool&) { return {}; }
};

template <>
struct ValueText<std::string> {
  static bool parse(std::string_view text, std::string& value) {
    value = std::string(text);
    return true;
  }
  static std::string print(const std::string& value) { return value; }
  static std::string kind() { return "a text"; }
  static std::vector<double> numbers(const std::string&) { return {}; }
};

/// A value that may be missing.
template <class T>
struct ValueText<std::optional<T>> {
  static bool parse(std::string_view text, std::optional<T>& value) {
    return ValueText<T>::parse(text, value.emplace());
  }
  static std::string print(const std::optional<T>& value) {
    return value ? ValueText<T>::print(*value) : std::string();
  }
  static std::string kind() { return ValueText<T>::kind(); }
  static std::vector<double> numbers(const std::optional<T>& value) {
    return value ? ValueText<T>::numbers(*value) : std::vector<double>{};
  }
};

template <class E>
requires std::is_enum_v<E>
struct ValueText<E> {
  static bool parse(std::string_view text, E& value) {
    for (size_t i = 0; i < EnumText<E>::names.size(); ++i)
      if (text == std::string_view(EnumText<E>::names[i])) {
        value = static_cast<E>(i);
        return true;
      }
    return false;
  }
  static std::string print(const E& value) {
    return std::string(EnumText<E>::names[static_cast<size_t>(value)]);
  }
  static std::string kind() {
    std::string out = "one of";
    for (const auto& name : EnumText<E>::names) out += " " + std::string(name);
    return out;
  }
  static std::vector<double> numbers(const E&) { return {}; }
};

template <class T>
struct ValueText<std::vector<T>> {
  static bool parse(std::string_view text, std::vector<T>& value) {
    std::vector<T> out;
    for (const std::string& word : words(text)) {
      T item{};
      if (!ValueText<T>::parse(word, item)) return false;
      out.push_back(std::move(item));
    }
    value = std::move(out);
    return true;
  }
  static std::string print(const std::vector<T>& value) {
    std::string out;
    for (const T& item : value) out += (out.empty() ? "" : " ") + ValueText<T>::print(item);
    return out;
  }
  static std::string kind() { return "a blank-separated list, each " + ValueText<T>::kind(); }
  static std::vector<double> numbers(const std::vector<T>& value) {
    std::vector<double> out;
    for (const T& item : value)
      for (const double n : ValueText<T>::numbers(item)) out.push_back(n);
    return out;
  }
};

/// Two integers along X (width) and Y (height): kernels, strides, dilations, pads.
struct Dims {
  int x = 0, y = 0;
  friend bool operator==(const Dims&, const Dims&) = default;
};

template <>
struct ValueText<Dims> {
  static bool parse(std::string_view text, Dims& value) {
    std::vector<int> list;
    if (!ValueText<std::vector<int>>::parse(text, list) || list.empty() || list.size() > 2) return false;
    value = {list.front(), list.back()};
    return true;
  }
  static std::string print(const Dims& value) { return fmt::format("{} {}", value.x, value.y); }
  static std::string kind() { return "1 or 2 integers"; }
  static std::vector<double> numbers(const Dims& value) {
    return {static_cast<double>(value.x), static_cast<double>(value.y)};
  }
};

/// Zero padding on the four sides of a map, in pixels.
struct Pads {
  int left = 0, top = 0, right = 0, bottom = 0;
  friend bool operator==(const Pads&, const Pads&) = default;
};

template <>
struct ValueText<Pads> {
  /// One number for all sides, two for x and y, or left top right bottom.
  static bool parse(std::string_view text, Pads& value) {
    std::vector<int> v;
    if (!ValueText<std::vector<int>>::parse(text, v)) return false;
    if (v.size() == 1)
      value = {v[0], v[0], v[0], v[0]};
    else if (v.size() == 2)
      value = {v[0], v[1], v[0], v[1]};
    else if (v.size() == 4)
      value = {v[0], v[1], v[2], v[3]};
    else
      return false;
    return true;
  }
  static std::string print(const Pads& value) {
    return fmt::format("{} {} {} {}", value.left, value.top, value.right, value.bottom);
  }
  static std::string kind() { return "1, 2 or 4 integers"; }
  static std::vector<double> numbers(const Pads& v) {
    return {static_cast<double>(v.left), static_cast<double>(v.top), static_cast<double>(v.right),
            static_cast<double>(v.bottom)};
  }
};

// ---- where values are read from --------------------------------------------------------------------------

struct KeyText {
  std::string text;
  SourceLocation where;
};

/// A place that holds "Key=value" lines: an INI section, possibly seen through a prefix.
class KeySource {
 public:
  virtual ~KeySource() = default;
  /// The expanded text of a key, or nothing; marks it as read.
  virtual std::optional<KeyText> find(std::string_view key) const = 0;
  /// The line of the section header.
  virtual SourceLocation where() const = 0;
  /// "[conv1]": the subject of messages.
  virtual std::string subject() const = 0;
};

/// A source without keys.
class NoKeys final : public KeySource {
 public:
  explicit NoKeys(std::string subject = {}, SourceLocation where = {})
      : subject_(std::move(subject)), where_(std::move(where)) {}
  std::optional<KeyText> find(std::string_view) const override { return std::nullopt; }
  SourceLocation where() const override { return where_; }
  std::string subject() const override { return subject_; }

 private:
  std::string subject_;
  SourceLocation where_;
};

namespace detail {

std::string bounds_text(const FieldInfo& info);
/// The one text a geometry field is spelled with, joined to "x y"; nothing when no spelling is there. An axis
/// that is not spelled keeps its default, or is "?" when the field is required.
std::optional<KeyText> find_geometry(const FieldInfo& info, const Dims& defaults, const KeySource& source);

template <class T>
std::optional<KeyText> find_text(const FieldInfo& info, const T& value, const KeySource& source) {
  if constexpr (std::same_as<T, Dims>)
    if (!info.geometry.empty()) return find_geometry(info, value, source);
  if constexpr (std::same_as<T, Pads>)
    if (!info.geometry.empty()) return find_geometry(info, {value.left, value.top}, source);
  return source.find(info.name);
}

inline bool within(const FieldInfo& info, const std::vector<double>& numbers) {
  for (const double n : numbers)
    if ((info.min && n < *info.min) || (info.max && n > *info.max)) return false;
  return true;
}

}  // namespace detail

/// Reads one value; reports what was expected and found. Returns whether the key was there.
template <class T>
bool read_field(const FieldInfo& info, T& value, const KeySource& source, Diagnostics& diagnostics) {
  const auto found = detail::find_text(info, value, source);
  if (!found) {
    if (info.required)
      diagnostics.error(source.where(),
                        fmt::format("{} {}: missing, expected {}{}", source.subject(), info.name,
                                    ValueText<T>::kind(), detail::bounds_text(info)));
    return false;
  }
  T parsed = value;
  if (!ValueText<T>::parse(found->text, parsed) || !detail::within(info, ValueText<T>::numbers(parsed))) {
    diagnostics.error(found->where,
                      fmt::format("{} {}: expected {}{}, got '{}'", source.subject(), info.name,
                                  ValueText<T>::kind(), detail::bounds_text(info), found->text));
    return true;
  }
  value = std::move(parsed);
  return true;
}

/// Reads every field of the object: fields of Place::Section from `section`, of Place::Config from `config`.
template <class Object>
void read_fields(Object& object, const KeySource& section, const KeySource& config,
                 Diagnostics& diagnostics) {
  Object::fields([&](std::string_view name, auto member, const auto&... options) {
    const FieldInfo info = field_info(name, options...);
    read_field(info, object.*member, info.place == Place::Section ? section : config, diagnostics);
  });
}

template <class Object>
void read_fields(Object& object, const KeySource& section, Diagnostics& diagnostics) {
  read_fields(object, section, section, diagnostics);
}

/// Name and text of every field that differs from a default-constructed object or must be given.
template <class Object>
std::vector<std::pair<std::string, std::string>> print_fields(const Object& object) {
  std::vector<std::pair<std::string, std::string>> out;
  const Object defaults{};
  Object::fields([&](std::string_view name, auto member, const auto&... options) {
    using T = std::decay_t<decltype(object.*member)>;
    if (!(object.*member == defaults.*member) || field_info(name, options...).required)
      out.emplace_back(name, ValueText<T>::print(object.*member));
  });
  return out;
}

template <class Object>
bool equal_fields(const Object& a, const Object& b) {
  bool same = true;
  Object::fields(
      [&](std::string_view, auto member, const auto&...) { same = same && a.*member == b.*member; });
  return same;
}

struct FieldHelp {
  FieldInfo info;
  std::string kind, default_text;
};

/// Name, kind, default, bounds and help of each field, in order of declaration.
template <class Object>
std::vector<FieldHelp> describe_fields() {
  std::vector<FieldHelp> out;
  const Object defaults{};
  Object::fields([&](std::string_view name, auto member, const auto&... options) {
    using T = std::decay_t<decltype(defaults.*member)>;
    out.push_back(
        {field_info(name, options...), ValueText<T>::kind(), ValueText<T>::print(defaults.*member)});
  });
  return out;
}

}  // namespace n2d2
