#include <algorithm>
#include <cmath>
#include <vector>

#include "n2d2/quantize/clipping.hpp"

#include "candidates.hpp"
#include "measure/plain_math.hpp"

namespace n2d2::quantize {

namespace {

/// The bins of a histogram poured into the 2^bits bins between the limits of a threshold.
class Coarse {
 public:
  Coarse(const Histogram& fine, const ClippingTarget& target)
      : fine_(fine),
        is_signed_(target.is_signed),
        counts_(size_t{1} << target.bits),
        sources_(counts_.size()) {}

  void pour(double threshold) {
    std::fill(counts_.begin(), counts_.end(), 0);
    std::fill(sources_.begin(), sources_.end(), 0);
    const Histogram limits(is_signed_ ? -threshold : 0, threshold, static_cast<int64_t>(counts_.size()));
    for (int64_t b = 0; b < fine_.bins(); ++b) {
      const auto into = static_cast<size_t>(limits.bin(fine_.centre(b)));
      counts_[into] += fine_.counts()[static_cast<size_t>(b)];
      ++sources_[into];
    }
  }

  /// KL(P, Q) less the entropy of P, which no threshold changes. With g the counts and Z the sum of g over
  /// the bins of the histogram, sum_b P_b ln(g(b) / Z) = sum_j g_j / N ln g_j - ln Z, for bin j is the place
  /// of g_j values.
  double divergence() const {
    const auto total = static_cast<double>(fine_.total());
    double of_counts = 0, spread = 0;
    for (size_t j = 0; j < counts_.size(); ++j) {
      if (counts_[j] == 0) continue;
      const auto count = static_cast<double>(counts_[j]);
      of_counts += count / total * plain_log(count);
      spread += count * static_cast<double>(sources_[j]);
    }
    return plain_log(spread) - of_counts;
  }

 private:
  const Histogram& fine_;
  bool is_signed_;
  std::vector<uint64_t> counts_, sources_;
};

/// The candidate of the smallest divergence. Source: Migacz 2017, "8-bit Inference with
/// TensorRT".
double kl_threshold(const Histogram& histogram, const ClippingTarget& target) {
  if (histogram.total() == 0) return 0;
  Coarse coarse(histogram, {target.bits, histogram.min() < 0, 1});
  return best_candidate(histogram, [&](double t, double) {
    coarse.pour(t);
    return coarse.divergence();
  });
}

}  // namespace

void register_kl_divergence(ClippingRegistry& registry);
void register_kl_divergence(ClippingRegistry& registry) {
  registry.add("KL-Divergence", {true, kl_threshold});
}

}  // namespace n2d2::quantize
