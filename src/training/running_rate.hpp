// How many of the last samples were right?
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "n2d2/base/error.hpp"

namespace n2d2::training {

/// Mean over a sliding window (`-ws`).
class RunningRate {
 public:
  explicit RunningRate(int64_t window) : window_(static_cast<size_t>(window)) {
    N2D2_CHECK(window > 0, "a window has at least 1 sample, not {}", window);
  }

  /// A success in [0,1].
  void add(float success) {
    if (recent_.size() < window_) {
      recent_.push_back(success);
    } else {
      sum_ -= recent_[oldest_];
      recent_[oldest_] = success;
      oldest_ = (oldest_ + 1) % window_;
    }
    sum_ += success;
  }
  /// 0 without any.
  double rate() const { return recent_.empty() ? 0 : sum_ / static_cast<double>(recent_.size()); }
  /// What the window holds, oldest first: add() of each to a fresh one gives the same.
  std::vector<float> values() const {
    std::vector<float> out(recent_.begin() + static_cast<std::ptrdiff_t>(oldest_), recent_.end());
    out.insert(out.end(), recent_.begin(), recent_.begin() + static_cast<std::ptrdiff_t>(oldest_));
    return out;
  }

 private:
  size_t window_, oldest_ = 0;
  std::vector<float> recent_;
  double sum_ = 0;
};

}  // namespace n2d2::training
