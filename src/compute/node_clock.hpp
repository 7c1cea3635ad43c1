// How long does each node take? Counted where it runs, by thread, and only when asked for.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace n2d2::compute {

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Adds its life to a sum of seconds; null: to none.
class Stopwatch {
 public:
  explicit Stopwatch(double* sum) : sum_(sum), start_(sum == nullptr ? 0 : seconds_now()) {}
  ~Stopwatch() {
    if (sum_ != nullptr) *sum_ += seconds_now() - start_;
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double* sum_;
  double start_;
};

enum class Pass { Forward, Backward };

class NodeClock {
 public:
  explicit NodeClock(bool runs) : runs_(runs) {}
  void reserve(int threads, size_t items) {
    if (runs_ && lanes_.size() < static_cast<size_t>(threads)) lanes_.resize(static_cast<size_t>(threads));
    for (Lane& lane : lanes_)
      for (auto& seconds : lane.seconds) seconds.resize(items);
  }
  /// Where a thread adds; null when the clock does not run.
  double* sum(Pass pass, int thread, size_t item) {
    return runs_ ? &lanes_[static_cast<size_t>(thread)].seconds[static_cast<size_t>(pass)][item] : nullptr;
  }
  /// Returns the seconds of an item in a pass, summed over all threads.
  double seconds(Pass pass, size_t item) const {
    double all = 0;
    for (const Lane& lane : lanes_) all += lane.seconds[static_cast<size_t>(pass)][item];
    return all;
  }

 private:
  struct alignas(64) Lane {
    std::vector<double> seconds[2];
  };
  bool runs_;
  std::vector<Lane> lanes_;
};

}  // namespace n2d2::compute
