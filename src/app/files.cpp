#include "files.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "n2d2/base/error.hpp"

#include "console/standard_console.hpp"
#include "output_files.hpp"

namespace n2d2::app {

namespace {

/// The first error of standard output; 0: none.
std::atomic<int> print_error{0};

std::atomic<bool> is_silent{false};

[[noreturn]] void cannot_write(const std::filesystem::path& path, int error) {
  throw ConfigError("cannot be written: " + std::generic_category().message(error), {path.string(), 0});
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

void make_place(const std::filesystem::path& path) {
  std::error_code error, ignored;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) cannot_write(path, error.value());
  if (std::filesystem::is_symlink(path, ignored))
    throw ConfigError("cannot be written: it is a link, what it leads to would be replaced",
                      {path.string(), 0}, "remove the link, or run in another folder");
}

void write_text(const std::filesystem::path& path, std::string_view text) {
  make_place(path);
  // O_NONBLOCK: opening a pipe fails instead of waiting for its other end.
  const int file =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (file < 0) cannot_write(path, errno);
  const int reason = write_all(file, text) ? 0 : errno;
  if (::close(file) != 0 && reason == 0) cannot_write(path, errno);
  if (reason != 0) cannot_write(path, reason);
}

void print(std::string_view text) {
  if (is_silent) return;
  if (Console* console = console_of_process())
    console->print(text);
  else
    write_standard_output(text);
}

void be_silent() {
  is_silent = true;
  if (Console* console = console_of_process()) console->set_volume(Volume::Silent);
  log::set_sink([console = log::set_sink({})](log::Level level, std::string_view text) {
    if (level >= log::Level::Error) console(level, text);
  });
}

void print_failure(std::string_view text) {
  std::fflush(stdout);
  if (Console* console = console_of_process())
    console->fail(text);
  else
    std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
}

void write_standard_output(std::string_view text) {
  errno = 0;
  const bool done = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  int none = 0;
  if (std::fflush(stdout) != 0 || !done) print_error.compare_exchange_strong(none, errno);
}

void finish_printing() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  const int error = print_error.exchange(0);
  std::clearerr(stdout);
  throw ConfigError("standard output cannot be written" +
                    (error == 0 ? "" : ": " + std::generic_category().message(error)) +
                    "; what was printed is incomplete");
}

}  // namespace n2d2::app
