#include "n2d2/report/report.hpp"

#include <algorithm>

#include "svg.hpp"

namespace n2d2::report {

int64_t bytes_in_use(const MemoryMap& map, int64_t step) {
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (const MapBox& box : map.boxes)
    if (box.first < static_cast<double>(step + 1) && static_cast<double>(step) < box.end)
      ranges.emplace_back(box.from, box.to);
  std::sort(ranges.begin(), ranges.end());
  int64_t bytes = 0, end = 0;
  for (const auto& [from, to] : ranges) {
    bytes += std::max<int64_t>(0, to - std::max(from, end));
    end = std::max(end, to);
  }
  return bytes;
}

std::string fitting(std::string_view text, double width, double of_character) {
  const auto room = static_cast<size_t>(std::max(0.0, width / of_character));
  const auto is_first = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  const auto characters = static_cast<size_t>(std::count_if(text.begin(), text.end(), is_first));
  if (characters <= room) return std::string(text);
  std::string out;
  size_t taken = 0;
  for (const char c : text) {
    if (is_first(c) && ++taken >= room) break;
    out += c;
  }
  return room < 2 ? "" : out + "\xE2\x80\xA6";
}

}  // namespace n2d2::report
