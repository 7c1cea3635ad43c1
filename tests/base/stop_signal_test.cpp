#include "n2d2/base/stop_signal.hpp"

#include <gtest/gtest.h>

namespace n2d2 {
namespace {

TEST(StopSignal, RemembersTheFirstOne) {
  const StopSignal signal;
  EXPECT_EQ(signal.came(), 0);
  std::raise(SIGTERM);
  EXPECT_EQ(signal.came(), SIGTERM);
}

TEST(StopSignal, EndsTheProcessWithTheSecondOne) {
  EXPECT_EXIT(
      {
        const StopSignal signal;
        std::raise(SIGTERM);
        std::raise(SIGINT);
      },
      testing::ExitedWithCode(130), "");
}

TEST(StopSignal, DoesNotCountWhatALauncherSendsAgainAtOnce) {
  constexpr std::chrono::hours kLong(1);
  const StopSignal signal(kLong);
  std::raise(SIGUSR1);
  std::raise(SIGTERM);
  EXPECT_EQ(signal_name(signal.came()), "SIGUSR1");
}

TEST(StopSignal, KnowsThatATerminalIsClosed) {
  const StopSignal signal;
  std::raise(SIGHUP);
  EXPECT_EQ(signal.came(), SIGHUP);
  EXPECT_EQ(signal_name(signal.came()), "SIGHUP");
  EXPECT_EQ(exit_code_after(signal.came()), 129);
}

}  // namespace
}  // namespace n2d2
