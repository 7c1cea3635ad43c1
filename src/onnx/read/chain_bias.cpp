#include "chain_bias.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace n2d2::onnx {

namespace {

/// Roundings of the sum, of the factor and of the product to float32.
constexpr double kRoundings = 3 * 0x1p-24;
/// Integers up to here are biases without an error.
constexpr double kMostBias = 0x1p23;
constexpr double kLargest = 0x1p60;

constexpr int64_t kMostResults = 1 << 16;

/// The numbers k T_n - n d + l of the results n that a sum reaches or just does not reach.
std::vector<int64_t> rests_of(const Flooring& f) {
  std::vector<int64_t> out;
  if (f.highest - f.lowest > kMostResults) return out;
  for (int64_t n = f.lowest + 1; n <= f.highest; ++n) {
    const int64_t wanted = n * f.d - f.l;
    int64_t first = wanted / f.k;
    if (first * f.k < wanted) ++first;
    if (first >= -f.most && first <= f.most + 1) out.push_back(first * f.k - wanted);
  }
  return out;
}

}  // namespace

ChainBias bias_of(const Flooring& f, int64_t m) {
  const auto k = static_cast<double>(f.k), l = static_cast<double>(f.l), d = static_cast<double>(f.d);
  const std::vector<int64_t> rests = rests_of(f);
  const double result = static_cast<double>(std::max({std::abs(f.lowest), std::abs(f.highest), int64_t{1}}));
  const double margin = result * kRoundings * d, half = l - d / 2, part = k / static_cast<double>(m);
  const auto missed = [&](double bias) {
    return std::count_if(rests.begin(), rests.end(), [&](int64_t rest) {
      const double least = half - static_cast<double>(rest);
      return bias < least + margin || bias >= least + k - margin;
    });
  };
  const double middle = l - (d - 1) / 2;
  double parts = std::round(middle / part);
  if (!rests.empty()) {
    const auto [least, most] = std::minmax_element(rests.begin(), rests.end());
    const double centre = half + (k - static_cast<double>(*least) - static_cast<double>(*most)) / 2;
    const double first = std::round(centre / part);
    if (missed(first * part) == 0)
      parts = first;
    else if (f.keeps_multiples)
      parts = std::ceil((half + margin) / part);
  }
  ChainBias out;
  out.parts = static_cast<int64_t>(std::clamp(parts, -kLargest, kLargest));
  out.is_exact =
      f.highest - f.lowest <= kMostResults && std::abs(parts) <= kMostBias && missed(parts * part) == 0;
  if (!out.is_exact) out.moved = (std::abs(parts * part - middle) + std::abs(parts) * part * kRoundings) / d;
  return out;
}

}  // namespace n2d2::onnx
