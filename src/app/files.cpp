#include "files.hpp"

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>

#include "n2d2/base/error.hpp"
#include "n2d2/base/log.hpp"

namespace n2d2::app {

void write_text(const std::filesystem::path& path, std::string_view text) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.flush();
  if (!out)
    throw ConfigError("cannot be written: " + std::generic_category().message(errno), {path.string(), 0});
}

void show_warnings_only() {
  log::set_sink([console = log::set_sink({})](log::Level level, std::string_view text) {
    if (level >= log::Level::Warning) console(level, text);
  });
}

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace n2d2::app
