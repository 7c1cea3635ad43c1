// Answers: how does the test driver stop with an error?
// Part of an exported project; may be used without condition.
#pragma once

#include <string>

namespace N2D2_Export {

// Throws std::runtime_error. With NO_EXCEPT it prints the message and aborts.
[[noreturn]] void fail(const std::string& message);

// Fails for files that could block or have no end. With NO_DIRENT it asks the system nothing.
void expect_no_pipe(const std::string& path);

}  // namespace N2D2_Export
