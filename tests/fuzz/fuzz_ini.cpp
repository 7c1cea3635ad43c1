// Does every text either give a document that can be read through and printed, or a ConfigError? Parts of the input
// behind a line "====" are the files 1, 2, ... that templates, includes and `<layer>.cfg` files are read from.
#include <cstdint>
#include <string>
#include <vector>

#include "n2d2/base/log.hpp"
#include "n2d2/config/ini_document.hpp"

namespace {

using n2d2::ConfigError;
using n2d2::config::IniDocument;

std::vector<std::string> parts_of(std::string_view text) {
  constexpr std::string_view kSeparator = "====\n";
  std::vector<std::string> out;
  while (true) {
    const size_t end = text.find(kSeparator);
    out.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + kSeparator.size());
  }
}

void read_all(const IniDocument& ini) {
  const auto names = ini.section_names();
  for (const std::string& section : names)
    for (const std::string& key : ini.keys(section)) try {
        ini.find(section, key);
        ini.list(section, key);
        ini.find(section, key, names.back());
        const auto sections = ini.list(section, "ConfigSection");
        if (sections) ini.config_source(section, *sections)->find(key);
      } catch (const ConfigError&) {
        continue;
      }
  static_cast<void>(ini.unread());
  static_cast<void>(ini.unused_sections());
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  n2d2::log::set_sink([](n2d2::log::Level, std::string_view) {});
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto parts = parts_of(std::string_view(reinterpret_cast<const char*>(data), size));
  const auto files = [&](const std::string& path) -> std::optional<std::string> {
    const size_t digit = path.find_last_of("123456789");
    const size_t part = digit == std::string::npos ? 0 : static_cast<size_t>(path[digit] - '0');
    if (part == 0 || part >= parts.size()) return std::nullopt;
    return parts[part];
  };
  try {
    const IniDocument ini = n2d2::config::parse_ini(parts[0], "a.ini", files);
    read_all(ini);
    read_all(n2d2::config::parse_ini(n2d2::config::print(ini), "printed.ini", files));
  } catch (const ConfigError&) {
    return 0;
  }
  return 0;
}
