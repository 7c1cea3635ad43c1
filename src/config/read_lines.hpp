// Which logical lines does a text hold, and where does each begin? Stage 1 of the INI reader.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/base/error.hpp"

namespace n2d2::config {

/// Throws ConfigError at the line where a text turns out to be none: UTF-16, or bytes that no text has.
void check_is_text(std::string_view text, const std::string& file);

/// One line of text and the place it is reported at. Physical lines are as in the file (a CR is kept);
/// logical lines are glued, without comments, trimmed and not empty.
struct Line {
  std::string text;
  SourceLocation where;
  friend bool operator==(const Line&, const Line&) = default;
};

/// Splits at '\n'. A text that ends in '\n' has no empty last line.
std::vector<Line> split_lines(std::string_view text, const std::string& file);

/// Physical to logical lines: drops byte order marks, glues
/// continuations, cuts comments, trims. An unclosed quote is an error and its line is left out.
std::vector<Line> read_lines(std::span<const Line> physical, Diagnostics& diagnostics);

/// The text between the quotes if the first and the last character are '"', else the text.
std::string_view unquoted(std::string_view text);

}  // namespace n2d2::config
