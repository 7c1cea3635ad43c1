// How does a test read an INI without a disk? A map of paths to texts, and what went wrong as one text.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "n2d2/base/log.hpp"
#include "n2d2/config/ini_document.hpp"

namespace n2d2::config {

using Files = std::map<std::string, std::string>;

inline IniDocument parse(std::string_view text, const Files& files = {}) {
  return parse_ini(text, "m/a.ini", [files](const std::string& path) -> std::optional<std::string> {
    const auto it = files.find(path);
    if (it == files.end()) return std::nullopt;
    return it->second;
  });
}

/// What parsing reports, "" when nothing.
inline std::string parse_errors(std::string_view text, const Files& files = {}) {
  try {
    parse(text, files);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

inline std::string parse_warnings(std::string_view text, const Files& files = {}) {
  const log::Capture capture;
  parse(text, files);
  return capture.text();
}

/// The expanded text, "(none)", or "error: ...".
inline std::string value(const IniDocument& ini, std::string_view section, std::string_view key,
                         std::string_view context = {}) {
  try {
    const auto found = ini.find(section, key, context);
    return found ? found->text : "(none)";
  } catch (const ConfigError& error) {
    return std::string("error: ") + error.what();
  }
}

/// "file:line" of a key.
inline std::string place(const IniDocument& ini, std::string_view section, std::string_view key) {
  const auto found = ini.find(section, key);
  return found ? found->where.file + ":" + std::to_string(found->where.line) : "(none)";
}

}  // namespace n2d2::config
