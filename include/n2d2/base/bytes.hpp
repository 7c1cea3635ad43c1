// Which bytes of a text does nobody want to see, and where may it be cut?
#pragma once

#include <cstddef>
#include <string_view>

namespace n2d2 {

inline bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
}

/// The first `most` bytes of a text, or fewer: no UTF-8 sequence is halved.
inline std::string_view beginning(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return text.substr(0, most);
}

}  // namespace n2d2
