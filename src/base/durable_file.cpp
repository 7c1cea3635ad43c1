#include "n2d2/base/durable_file.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "n2d2/base/error.hpp"

namespace n2d2 {

namespace {

[[noreturn]] void cannot_write(const std::filesystem::path& path) {
  throw ConfigError("cannot be written: " + std::generic_category().message(errno), {path.string(), 0});
}

}  // namespace

void flush_folder(const std::filesystem::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY);
  if (file < 0) cannot_write(folder);
  const bool done = ::fsync(file) == 0;
  ::close(file);
  if (!done) cannot_write(folder);
}

void write_durably(const std::filesystem::path& path, std::string_view bytes) {
  {
    std::ofstream out(path, std::ios::binary);
    out << bytes;
    out.flush();
    if (!out) cannot_write(path);
  }
  flush_folder(path);  // a file is flushed like a folder
}

}  // namespace n2d2
