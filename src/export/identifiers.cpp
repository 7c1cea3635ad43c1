#include "n2d2/export/identifiers.hpp"

#include <set>

#include <fmt/format.h>

namespace n2d2::exporter {

namespace {

constexpr size_t kLongest = 72;  // and room for a number

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// The name with one underscore for every run of anything else, none of them at an end.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (is_letter(c) || is_digit(c))
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  if (out.size() > kLongest) out.resize(kLongest);
  while (!out.empty() && out.back() == '_') out.pop_back();
  if (out.empty()) return "layer";
  return is_letter(out.front()) ? out : "layer_" + out;
}

/// The input's name, lines of the driver's reports and outputs/max_output.txt; devices, which are no files on
/// Windows whatever follows the dot.
std::set<std::string> taken_stems() {
  std::set<std::string> out{"env", "forward", "max", "total", "aux", "con", "nul", "prn"};
  for (int i = 0; i < 10; ++i) out.insert({fmt::format("com{}", i), fmt::format("lpt{}", i)});
  return out;
}

}  // namespace

std::vector<std::string> identifiers(const std::vector<std::string>& names) {
  std::set<std::string> taken = taken_stems();
  std::vector<std::string> out(names.size());
  for (size_t i = 0; i < names.size(); ++i)
    if (plain(names[i]) == names[i] && taken.insert(lower_case(names[i])).second) out[i] = names[i];
  for (size_t i = 0; i < names.size(); ++i) {
    if (!out[i].empty()) continue;
    const std::string base = plain(names[i]);
    out[i] = base;
    for (int n = 2; !taken.insert(lower_case(out[i])).second; ++n) out[i] = fmt::format("{}_{}", base, n);
  }
  return out;
}

std::string quoted_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    const bool is_plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';
    out += is_plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return out + "\"";
}

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    // Three octal digits end by themselves; '?' may begin a trigraph.
    const bool is_plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';
    out += is_plain ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return out + "\"";
}

}  // namespace n2d2::exporter
