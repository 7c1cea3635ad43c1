// What does a whole run print?
#pragma once

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

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace n2d2::app
