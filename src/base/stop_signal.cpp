#include "n2d2/base/stop_signal.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>

#include <fmt/format.h>
#include <unistd.h>

namespace n2d2 {

namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGUSR1};

/// A handler of signals knows nothing but what is global.
std::atomic<int> asked{0};
std::atomic<int64_t> asked_at{0}, pause_of_signals{0};  // milliseconds
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<int64_t>::is_always_lock_free);

int64_t milliseconds_now() {
  struct timespec now {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

extern "C" void remember(int signal) {
  int none = 0;
  if (asked.compare_exchange_strong(none, signal))
    asked_at = milliseconds_now();
  else if (milliseconds_now() - asked_at >= pause_of_signals)
    ::_exit(exit_code_after(signal));
}

}  // namespace

StopSignal::StopSignal(std::chrono::milliseconds pause) {
  asked = 0;
  pause_of_signals = pause.count();
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    // What the parent has switched off (nohup, a shell's '&') stays off.
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

StopSignal::~StopSignal() {
  for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

int StopSignal::came() const {
  return asked;
}

int exit_code_after(int signal) {
  constexpr int kOfSignals = 128;
  return kOfSignals + signal;
}

std::string signal_name(int signal) {
  return signal == SIGINT    ? "SIGINT"
         : signal == SIGTERM ? "SIGTERM"
         : signal == SIGHUP  ? "SIGHUP"
         : signal == SIGUSR1 ? "SIGUSR1"
                             : fmt::format("signal {}", signal);
}

}  // namespace n2d2
