// Answers: how does the test driver give up?
// Part of an exported project; may be used without condition.
#pragma once

#include <string>

namespace N2D2_Export {

// Throws std::runtime_error; with NO_EXCEPT defined prints the message and aborts.
[[noreturn]] void fail(const std::string& message);

}  // namespace N2D2_Export
