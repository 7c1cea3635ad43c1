// Does every text either give a document that can be read through and printed, or a ConfigError? Parts of the
// input behind a line "====" are the files 1, 2, ... that templates, includes and `<layer>.cfg` files are
// read from.
#include <cstdint>
#include <string>
#include <vector>

#include "n2d2/base/log.hpp"
#include "n2d2/config/ini_document.hpp"

#include "parts.hpp"

namespace {

using n2d2::ConfigError;
using n2d2::config::IniDocument;

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
  const auto parts = n2d2::fuzz::parts_of(data, size);
  const auto files = [&](const std::string& path) { return n2d2::fuzz::part_of(parts, path); };
  try {
    const IniDocument ini = n2d2::config::parse_ini(parts[0], "a.ini", files);
    read_all(ini);
    read_all(n2d2::config::parse_ini(n2d2::config::print(ini), "printed.ini", files));
  } catch (const ConfigError&) {
    return 0;
  }
  return 0;
}
