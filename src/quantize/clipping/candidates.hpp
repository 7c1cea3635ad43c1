// Which of a thousand thresholds is the best? The search that objectives share.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "n2d2/quantize/histogram.hpp"

namespace n2d2::quantize {

/// t of M, M - M/1000, ... > 0, where M is the largest magnitude of the histogram: the first of the smallest
/// `cost(t, best)`, which may be anything above `best`, the smallest one before, where it is not below it.
template <class Cost>
double best_candidate(const Histogram& histogram, Cost cost) {
  constexpr int kCandidates = 1000;
  const double largest = std::max(std::abs(histogram.min()), std::abs(histogram.max()));
  double best = std::numeric_limits<double>::infinity(), threshold = largest;
  for (int k = 0; k < kCandidates; ++k) {
    const double t = largest * (kCandidates - k) / kCandidates;
    const double now = cost(t, best);
    if (now >= best) continue;
    best = now;
    threshold = t;
  }
  return threshold;
}

}  // namespace n2d2::quantize
