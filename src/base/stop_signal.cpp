#include "n2d2/base/stop_signal.hpp"

#include <atomic>

#include <fmt/format.h>
#include <unistd.h>

namespace n2d2 {

namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

/// A handler of signals knows nothing but what is global.
std::atomic<int> asked{0};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void remember(int signal) {
  int none = 0;
  if (!asked.compare_exchange_strong(none, signal)) ::_exit(exit_code_after(signal));
}

}  // namespace

StopSignal::StopSignal() {
  asked = 0;
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
                             : fmt::format("signal {}", signal);
}

}  // namespace n2d2
