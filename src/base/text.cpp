#include "n2d2/base/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace n2d2 {

namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

/// Removes ',' that separate exact groups of three in the integer part; nothing if a ',' stands elsewhere.
std::optional<std::string> without_thousands(std::string_view text) {
  std::string out;
  size_t i = 0;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) {
    if (text[i] == '-') out += '-';
    ++i;
  }
  int group = 0;
  bool separated = false;
  for (; i < text.size() && (std::isdigit(static_cast<unsigned char>(text[i])) != 0 || text[i] == ','); ++i) {
    if (text[i] != ',') {
      out += text[i];
      ++group;
      continue;
    }
    if (group == 0 || group > 3 || (separated && group != 3)) return std::nullopt;
    separated = true;
    group = 0;
  }
  if (separated && group != 3) return std::nullopt;
  const std::string_view rest = text.substr(i);
  if (rest.find(',') != std::string_view::npos) return std::nullopt;
  return out + std::string(rest);
}

template <class F>
std::string print_shortest(F value) {
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, result.ptr};
}

/// Words of more bytes are no slip of somebody who types; comparing two takes the product of their lengths.
constexpr size_t kLongestMeant = 200;

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t up = row[j];
      const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
      const size_t change = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      row[j] = std::min({change, up + 1, row[j - 1] + 1});
      diagonal = up;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i)
    if (i == text.size() || text[i] == separator) {
      out.emplace_back(text.substr(start, i - start));
      start = i + 1;
    }
  return out;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  bool quoted = false, open = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
      open = true;
    } else if (!quoted && kBlanks.find(c) != std::string_view::npos) {
      if (open) out.push_back(std::move(word));
      word.clear();
      open = false;
    } else {
      word += c;
      open = true;
    }
  }
  if (open) out.push_back(std::move(word));
  return out;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::optional<double> parse_real(std::string_view text) {
  const auto plain = without_thousands(trim(text));
  if (!plain || plain->empty()) return std::nullopt;
  double value = 0;
  const auto result = std::from_chars(plain->data(), plain->data() + plain->size(), value);
  if (result.ec != std::errc() || result.ptr != plain->data() + plain->size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

namespace {

/// How `$(...)` writes a result with a fraction: the INI files of N2D2 divide where they count, and mean the
/// integer below.
constexpr std::string_view kComputed = "e0";

}  // namespace

std::optional<int64_t> parse_integer(std::string_view text) {
  const auto plain = without_thousands(trim(text));
  if (!plain || plain->empty()) return std::nullopt;
  int64_t value = 0;
  const auto result = std::from_chars(plain->data(), plain->data() + plain->size(), value);
  if (result.ec == std::errc() && result.ptr == plain->data() + plain->size()) return value;
  const auto real = parse_real(text);
  if (!real || std::abs(*real) >= 0x1.0p63) return std::nullopt;
  value = static_cast<int64_t>(*real);
  const bool has_fraction = static_cast<double>(value) != *real;
  return has_fraction && !trim(text).ends_with(kComputed) ? std::nullopt : std::optional(value);
}

std::optional<int64_t> parse_whole(std::string_view text) {
  const auto integer = parse_integer(text);
  const auto real = parse_real(text);
  // A text with a fraction is exact in a double, as the integer beside it.
  return integer && real && *real == static_cast<double>(*integer) ? integer : std::nullopt;
}

std::optional<bool> parse_bool(std::string_view text) {
  if (text == "1" || text == "true") return true;
  if (text == "0" || text == "false") return false;
  return std::nullopt;
}

std::string print_real(double value) {
  return print_shortest(value);
}
std::string print_real(float value) {
  return print_shortest(value);
}

std::optional<std::string> nearest(std::string_view name, std::span<const std::string> candidates) {
  if (name.size() > kLongestMeant) return std::nullopt;
  const std::string* best = nullptr;
  size_t best_distance = std::numeric_limits<size_t>::max();
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestMeant || candidate == name) continue;
    const size_t distance = edit_distance(name, candidate);
    // Every letter of one that has nothing in common would change.
    if (distance < best_distance && distance < std::max(name.size(), candidate.size())) {
      best_distance = distance;
      best = &candidate;
    }
  }
  if (best == nullptr || best_distance > std::max<size_t>(1, name.size() / 3)) return std::nullopt;
  return *best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const auto guess = nearest(name, candidates);
  return guess ? "; did you mean '" + *guess + "'?" : "";
}

std::string c_identifier(std::string_view name) {
  std::string out;
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (out.empty() || std::isalpha(static_cast<unsigned char>(out[0])) == 0) out.insert(0, 1, '_');
  return out;
}

std::string with_thousands(int64_t value) {
  std::string out = std::to_string(value);
  const size_t sign = value < 0 ? 1 : 0;
  for (size_t i = out.size(); i > sign + 3; i -= 3) out.insert(i - 3, ",");
  return out;
}

}  // namespace n2d2
