// Answers: how does the test driver give up?
// Part of an exported project; may be used without condition.
#pragma once

#include <string>

namespace N2D2_Export {

// Throws std::runtime_error; with NO_EXCEPT defined prints the message and aborts.
[[noreturn]] void fail(const std::string& message);

// Fails for what could be waited for, or read, without end. With NO_DIRENT defined nothing is asked of the system.
void expect_no_pipe(const std::string& path);

}  // namespace N2D2_Export
