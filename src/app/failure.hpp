// What does the program say of an exception, and with which exit code does it end?
#pragma once

#include <exception>
#include <string>

namespace n2d2::app {

struct Failure {
  std::string text;
  int code;  ///< of exit_code.hpp
};

Failure failure_of(const std::exception_ptr& thrown);

}  // namespace n2d2::app
