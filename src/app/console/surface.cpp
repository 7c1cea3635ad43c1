#include "surface.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace n2d2::app {

Surface::Kind kind_of(int file, const Environment& environment) {
  if (::isatty(file) == 1) {
    const char* term = environment("TERM");
    const std::string_view name = term == nullptr ? "" : term;
    return name.empty() || name == "dumb" ? Surface::Kind::Pipe : Surface::Kind::Terminal;
  }
  struct stat status {};
  if (::fstat(file, &status) != 0) return Surface::Kind::File;
  return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) ? Surface::Kind::Pipe : Surface::Kind::File;
}

bool has_colors(Surface::Kind kind, const Environment& environment) {
  const char* unwanted = environment("NO_COLOR");
  return kind == Surface::Kind::Terminal && (unwanted == nullptr || *unwanted == '\0');
}

size_t columns_of(int file) {
  constexpr size_t kUsual = 80;
  struct winsize size {};
  return ::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

}  // namespace n2d2::app
