// What does the exit code of the program say?
#pragma once

namespace n2d2::app {

inline constexpr int kDone = 0, kUserError = 2, kInternalError = 70, kUnanswered = 74;

}  // namespace n2d2::app
