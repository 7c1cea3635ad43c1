// Does every template either become lines that stand at lines of its files, or findings? The first part of
// the input has the parameters, a line `name=value` each, the second one is the template, what follows are
// the files that it includes.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "n2d2/base/error.hpp"
#include "n2d2/base/text.hpp"

#include "expand_templates.hpp"
#include "parts.hpp"

namespace {

using namespace n2d2;

config::Parameters parameters_of(const std::string& text) {
  config::Parameters out;
  for (const std::string& line : split(text, '\n'))
    if (const size_t equals = line.find('='); equals != std::string::npos)
      out[line.substr(0, equals)] = line.substr(equals + 1);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::vector<std::string> parts = fuzz::parts_of(data, size);
  if (parts.size() < 2) return 0;
  std::map<std::string, std::string> read{{"a.tpl", parts[1]}};
  const auto files = [&](const std::string& path) -> std::optional<std::string> {
    const auto text = fuzz::part_of({parts.begin() + 1, parts.end()}, path);
    if (text) read[path] = *text;
    return text;
  };
  Diagnostics findings;
  try {
    const auto lines = config::render_template(parts[1], "a.tpl", parameters_of(parts[0]), files, findings);
    for (const config::Line& line : lines) {
      const auto file = read.find(line.where.file);
      if (file == read.end() || line.where.line < 1) std::abort();
      const auto lines_of_file = 1 + std::count(file->second.begin(), file->second.end(), '\n');
      if (line.where.line > lines_of_file || line.text.find('\n') != std::string::npos) std::abort();
    }
  } catch (const ConfigError&) {
    return 0;
  }
  return 0;
}
