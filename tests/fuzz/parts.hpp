// How does one input hold several files? What stands behind lines "====" are the files 1, 2, ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace n2d2::fuzz {

inline std::vector<std::string> parts_of(const uint8_t* data, size_t size) {
  constexpr std::string_view kSeparator = "====\n";
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> out;
  while (true) {
    const size_t end = text.find(kSeparator);
    out.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + kSeparator.size());
  }
}

/// The part that a path names by its last digit from 1 to 9.
inline std::optional<std::string> part_of(const std::vector<std::string>& parts, const std::string& path) {
  const size_t digit = path.find_last_of("123456789");
  const size_t part = digit == std::string::npos ? 0 : static_cast<size_t>(path[digit] - '0');
  if (part == 0 || part >= parts.size()) return std::nullopt;
  return parts[part];
}

}  // namespace n2d2::fuzz
