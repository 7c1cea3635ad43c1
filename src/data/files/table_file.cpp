#include "table_file.hpp"

#include <algorithm>

#include "n2d2/base/error.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/base/text.hpp"

namespace n2d2::data {

std::vector<TableLine> read_table(const std::filesystem::path& path, int header_lines) {
  constexpr int64_t kLargest = int64_t{1} << 30;
  std::string text;
  try {
    text = read_text_file(path, kLargest);
  } catch (const FileError& error) {
    throw ConfigError(fmt::format("{}: {}", path.string(), error.reason));
  }
  if (text.find('\0') != std::string::npos)
    throw ConfigError(fmt::format("{}: expected a table of text, found bytes of 0", path.string()));
  std::vector<TableLine> out;
  std::string_view rest = text;
  for (int number = 1; !rest.empty(); ++number) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string line(rest.substr(0, std::min(end, rest.find('#'))));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (number <= header_lines) continue;
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
    if (std::vector<std::string> found = words(line); !found.empty())
      out.push_back({number, std::move(found)});
  }
  return out;
}

std::string place(const std::filesystem::path& path, const TableLine& line) {
  return fmt::format("{}:{}", path.string(), line.number);
}

}  // namespace n2d2::data
