#include "shown.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "n2d2/base/text.hpp"

namespace n2d2::report {

namespace {

struct Character {
  uint32_t code = 0;
  size_t bytes = 1;
  bool is_valid = false;
};

/// Source: Unicode 15, table 3-7.
Character first_of(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  uint32_t code = lead & (0xFFU >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return {code, bytes, code >= kLeast[bytes] && code <= 0x10FFFF && !is_surrogate};
}

/// Whether it changes how its neighbours are read, or is not seen at all.
bool is_deceptive(uint32_t code) {
  const auto in = [code](uint32_t first, uint32_t last) { return first <= code && code <= last; };
  return in(0x80, 0x9F) || code == 0xAD || code == 0x61C || code == 0x180E || in(0x200B, 0x200F) ||
         in(0x2028, 0x202E) || in(0x2060, 0x206F) || code == 0xFEFF || in(0xFFF9, 0xFFFB) ||
         in(0xE0000, 0xE0FFF);
}

}  // namespace

std::string shown(std::string_view text) {
  const std::string safe = presentable(text);
  std::string out;
  for (std::string_view rest = safe; !rest.empty();) {
    const Character c = first_of(rest);
    if (!c.is_valid)
      out += "\xEF\xBF\xBD";
    else if (is_deceptive(c.code))
      out += fmt::format("U+{:04X}", c.code);
    else
      out += rest.substr(0, c.bytes);
    rest.remove_prefix(c.bytes);
  }
  return out;
}

std::string html(std::string_view text) {
  std::string out;
  for (const char c : shown(text)) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  return out;
}

}  // namespace n2d2::report
