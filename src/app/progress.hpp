// When is the next line of progress due? At a multiple of a count, at most once a second.
#pragma once

#include <chrono>
#include <cstdint>

namespace n2d2::app {

class Pace {
 public:
  explicit Pace(int64_t every) : every_(every) {}
  /// Whether `done` has passed a multiple of the count and a second since the last line.
  bool due(int64_t done) {
    const auto now = std::chrono::steady_clock::now();
    if (done / every_ == last_ / every_ || now - then_ < std::chrono::seconds(1)) return false;
    last_ = done;
    then_ = now;
    return true;
  }
  /// The multiple of the count that `done` has passed.
  int64_t shown(int64_t done) const { return done / every_ * every_; }

 private:
  int64_t every_, last_ = 0;
  std::chrono::steady_clock::time_point then_ = std::chrono::steady_clock::now();
};

}  // namespace n2d2::app
