#include "labels_mapping.hpp"

#include <sstream>

#include "n2d2/base/read_file.hpp"
#include "n2d2/base/text.hpp"

#include "files/wildcard.hpp"

namespace n2d2::data {

namespace {

constexpr const char* kBlanks = " \t\r";

std::string_view without_comment(std::string_view line) {
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] == '#' && !quoted) return line.substr(0, i);
  }
  return line;
}

void parse_line(std::string_view text, const SourceLocation& where, std::vector<MappingLine>& lines,
                Diagnostics& diagnostics) {
  const size_t blank = text.find_last_of(kBlanks);
  const std::string_view target_text = blank == std::string_view::npos ? text : text.substr(blank + 1);
  const auto target = parse_integer(target_text);
  if (blank == std::string_view::npos || !target || *target > 1000000) {
    diagnostics.error(where, fmt::format("labels mapping: expected 'label output', got '{}'", text));
    return;
  }
  if (*target < -1) {
    diagnostics.error(where, fmt::format("labels mapping: expected an output >= 0, or -1 to ignore, got '{}'",
                                         target_text));
    return;
  }
  std::string name(trim(text.substr(0, blank)));
  const bool quoted = name.size() >= 2 && name.front() == '"' && name.back() == '"';
  if (quoted) name = name.substr(1, name.size() - 2);
  lines.push_back({std::move(name), static_cast<int>(*target), where, quoted});
}

}  // namespace

std::vector<MappingLine> read_mapping(const std::string& path, Diagnostics& diagnostics) {
  constexpr int64_t kLargest = int64_t{1} << 26;
  std::vector<MappingLine> lines;
  std::istringstream file;
  try {
    file.str(read_text_file(path, kLargest));
  } catch (const FileError& error) {
    diagnostics.error({path, 0}, "LabelsMapping: " + error.reason);
  }
  std::string text;
  for (int number = 1; std::getline(file, text); ++number)
    if (const std::string_view line = trim(without_comment(text)); !line.empty())
      parse_line(line, {path, number}, lines, diagnostics);
  return lines;
}

bool has_wildcard(const MappingLine& line) {
  return !line.quoted && line.name.find_first_of("*?+") != std::string::npos;
}

bool means(const MappingLine& line, const std::string& label) {
  return has_wildcard(line) ? fits(line.name, label, "?+") : line.name == label;
}

}  // namespace n2d2::data
