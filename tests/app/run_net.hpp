// What does a whole run print?
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"

#include "run.hpp"

namespace n2d2::app {

/// What `n2d2 net.ini <arguments>` prints on standard output, log lines included.
inline std::string run_net(std::vector<std::string> arguments, const char* net = "net.ini") {
  arguments.insert(arguments.begin(), net);
  testing::internal::CaptureStdout();
  std::string logged;
  {
    log::Capture capture;
    try {
      run(parse(arguments).options);
    } catch (...) {
      testing::internal::GetCapturedStdout();
      throw;
    }
    logged = capture.text(log::Level::Info);
  }
  return logged + testing::internal::GetCapturedStdout();
}

/// What a run prints up to its last lines, which say what it has written and what may follow.
inline std::string before_summary(const std::string& text) {
  size_t end = text.size();
  for (const char* line : {"\nLearnt weights in '", "\nScores in '", "\nReport: '", "\nNext:\n"})
    if (const size_t at = text.find(line); at != std::string::npos) end = std::min(end, at + 1);
  return text.substr(0, end);
}

/// The scores at the end of a run.
inline std::string scores_in(const std::string& text) {
  const std::string before = before_summary(text);
  const size_t at = before.find("Final recognition rate");
  return at == std::string::npos ? "no scores" : before.substr(at);
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace n2d2::app
