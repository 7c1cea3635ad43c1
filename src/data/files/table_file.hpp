// What words stand in the lines of a table of text?
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace n2d2::data {

struct TableLine {
  int number = 0;  ///< in the file, from 1
  std::vector<std::string> words;
};

/// Lines with their words, which ',', ';', blanks and tabs part; '#' starts a comment, lines without words
/// and the first `header_lines` are left out. ConfigError "<path>: ..." for what is no text file or has more
/// than 1 GiB.
std::vector<TableLine> read_table(const std::filesystem::path& path, int header_lines = 0);

/// "<path>:<line>" for messages about a line.
std::string place(const std::filesystem::path& path, const TableLine& line);

}  // namespace n2d2::data
