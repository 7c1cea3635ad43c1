// Has somebody asked a long run to end: by Ctrl-C, by SIGTERM, by SIGUSR1, or by closing its terminal?
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <string>

namespace n2d2 {

/// While it lives, the first SIGINT, SIGTERM, SIGHUP or SIGUSR1 is only remembered; a second one ends the
/// process at once, with the exit code of an interrupted run. One at a time.
class StopSignal {
 public:
  /// Signals that come within `pause` after the first one do not count: launchers of several processes send
  /// more than one.
  explicit StopSignal(std::chrono::milliseconds pause = {});
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// The signal that came; 0: none.
  int came() const;

 private:
  std::array<struct sigaction, 4> before_{};
};

/// What a shell says of a program that a signal ended: 130 after SIGINT, 143 after SIGTERM.
int exit_code_after(int signal);
/// "SIGINT"
std::string signal_name(int signal);

}  // namespace n2d2
