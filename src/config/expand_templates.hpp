// Which lines does a template become? Stage 2 of the INI reader.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/base/error.hpp"
#include "n2d2/config/ini_document.hpp"

#include "read_lines.hpp"

namespace n2d2::config {

using Parameters = std::map<std::string, std::string, std::less<>>;

/// Renders `{{V}}`, block, for, if, include and set. Each physical line of the result
/// carries the template line where its first non-blank character was written. `{% include path %}` reads
/// `path` through `files` as it stands, else beside the template. Everything found wrong goes to
/// `diagnostics`, at the template's line. At most 100000 rendering steps, 1 MB of text, 32 nested tags and
/// 16 nested includes.
std::vector<Line> render_template(std::string_view text, const std::string& file, Parameters parameters,
                                  const FileReader& files, Diagnostics& diagnostics);

}  // namespace n2d2::config
