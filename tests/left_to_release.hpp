// Answers: is a case of a matrix left to the release build, which takes all of them?
#pragma once

#include <gtest/gtest.h>

#include "drawn.hpp"

namespace n2d2 {

/// The test that runs. Under sanitizers, which take ten times as long, one test in four is drawn by name.
inline bool is_left_to_release() {
#if defined(N2D2_SANITIZED)
  return !is_drawn(::testing::UnitTest::GetInstance()->current_test_info()->name(), 4);
#else
  return false;
#endif
}

}  // namespace n2d2
