#include "roi_file.hpp"

#include <array>
#include <cmath>

#include "n2d2/base/error.hpp"
#include "n2d2/base/text.hpp"

#include "table_file.hpp"

namespace n2d2::data {

namespace {

/// The corners of a line, or what is wrong with it.
std::string take_corners(const TableLine& line, size_t first, Roi& roi) {
  std::array<int, 4> corners{};
  for (size_t i = 0; i < corners.size(); ++i) {
    const std::string& word = line.words[first + i];
    const auto value = parse_real(word);
    if (!value || !(std::abs(*value) < 1 << 24)) return fmt::format("expected a coordinate, got '{}'", word);
    corners[i] = static_cast<int>(std::lround(*value));
  }
  const auto [x1, y1, x2, y2] = corners;
  if (x1 < 0 || y1 < 0 || x2 <= x1 || y2 <= y1)
    return fmt::format("expected corners 0 <= x1 < x2 and 0 <= y1 < y2, got {} {} {} {}", x1, y1, x2, y2);
  roi = {x1, y1, x2 - x1, y2 - y1, -1};
  return {};
}

}  // namespace

std::vector<RoiLine> read_rois(const std::filesystem::path& path) {
  std::vector<RoiLine> out;
  std::string wrong;
  for (const TableLine& line : read_table(path)) {
    constexpr size_t kWithout = 6, kWithSize = 8;
    const size_t count = line.words.size();
    RoiLine found{line.words.front(), {}, line.words.back(), line.number};
    std::string problem = count == kWithout || count == kWithSize
                              ? take_corners(line, count - 5, found.roi)
                              : fmt::format(
                                    "expected 6 words (name x1 y1 x2 y2 label) or 8 (name width height x1 y1 "
                                    "x2 y2 label), found {}",
                                    count);
    if (problem.empty())
      out.push_back(std::move(found));
    else if (wrong.empty())
      wrong = fmt::format("{}: {}", place(path, line), problem);
  }
  if (!wrong.empty()) throw ConfigError(wrong);
  return out;
}

}  // namespace n2d2::data
