#include "standard_console.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include <unistd.h>

#include "files.hpp"

namespace n2d2::app {

namespace {

std::atomic<Console*> of_process{nullptr};

const char* variable(const char* name) {
  return std::getenv(name);
}

double seconds_of_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Surface surface_of(int file, std::function<void(std::string_view)> write) {
  const Surface::Kind kind = kind_of(file, variable);
  return {kind, has_colors(kind, variable), std::move(write), [file] { return columns_of(file); }};
}

Console console_of_streams() {
  const auto to_error = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  };
  return {surface_of(STDOUT_FILENO, write_standard_output), surface_of(STDERR_FILENO, to_error),
          seconds_of_clock};
}

}  // namespace

ConsoleScope::ConsoleScope(Console& console)
    : before_(of_process.exchange(&console)),
      sink_(log::set_sink(
          [&console](log::Level level, std::string_view text) { console.message(level, text); })),
      watcher_(progress::set_watcher(&console)) {}

ConsoleScope::~ConsoleScope() {
  progress::set_watcher(watcher_);
  log::set_sink(std::move(sink_));
  of_process = before_;
}

Console* console_of_process() {
  return of_process;
}

StandardConsole::StandardConsole() : console_(console_of_streams()), scope_(console_) {
  // Signals are for the thread that works.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    ticks_ = std::thread([this] { tick_until_end(); });
  } catch (const std::system_error&) {  // then progress moves when tasks do
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

StandardConsole::~StandardConsole() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ends_.notify_all();
  if (ticks_.joinable()) ticks_.join();
}

void StandardConsole::tick_until_end() {
  constexpr std::chrono::milliseconds kPeriod{250};
  std::unique_lock lock(mutex_);
  while (!ends_.wait_for(lock, kPeriod, [this] { return is_over_; })) console_.tick();
}

}  // namespace n2d2::app
