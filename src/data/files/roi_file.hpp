// Which rectangles of which pictures does a file of annotations name?
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "n2d2/data/database.hpp"

namespace n2d2::data {

/// A line of a file of annotations.
struct RoiLine {
  std::string sample;  ///< name of the picture
  Roi roi;             ///< its label is not set
  std::string label;
  int number = 0;  ///< of the line, from 1
};

/// Lines `name x1 y1 x2 y2 label` or `name width height x1 y1 x2 y2 label` (size of the picture), corner 2
/// outside of the rectangle: x2 - x1 columns, y2 - y1 rows. ConfigError "<path>:<line>: ..."
/// of the first bad line.
std::vector<RoiLine> read_rois(const std::filesystem::path& path);

}  // namespace n2d2::data
