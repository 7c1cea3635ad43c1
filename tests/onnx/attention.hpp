// What does an attention of several heads compute, by plain loops? For tests.
#pragma once

#include <cmath>
#include <vector>

namespace n2d2::onnx {

inline constexpr int kTokens = 5, kHeads = 2, kSize = 3, kFeatures = kHeads * kSize;
/// Floats of at most some ten, after some sums.
inline constexpr double kRounding = 2e-5;

inline std::vector<float> spread(int count, int seed) {
  std::vector<float> out;
  for (int i = 0; i < count; ++i) out.push_back(static_cast<float>((i * 37 + seed * 11) % 29 - 14) / 16);
  return out;
}

/// Rows x columns.
using Matrix = std::vector<std::vector<double>>;

inline Matrix matrix(const std::vector<float>& values, int columns) {
  Matrix out;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i % static_cast<size_t>(columns) == 0) out.emplace_back();
    out.back().push_back(static_cast<double>(values[i]));
  }
  return out;
}
inline Matrix times(const Matrix& a, const Matrix& b) {
  Matrix out(a.size(), std::vector<double>(b[0].size()));
  for (size_t r = 0; r < a.size(); ++r)
    for (size_t c = 0; c < b[0].size(); ++c)
      for (size_t k = 0; k < b.size(); ++k) out[r][c] += a[r][k] * b[k][c];
  return out;
}

/// Heads of softmax(q k^T / sqrt(size) + mask) v beside each other; no mask is one of zeros.
inline Matrix attended(const Matrix& q, const Matrix& k, const Matrix& v, const Matrix& mask = {}) {
  Matrix out(q.size(), std::vector<double>(kFeatures));
  for (size_t head = 0; head < kHeads; ++head)
    for (size_t row = 0; row < q.size(); ++row) {
      std::vector<double> share;
      double sum = 0;
      for (const std::vector<double>& key : k) {
        double score = mask.empty() ? 0 : mask[row][share.size()] * std::sqrt(static_cast<double>(kSize));
        for (size_t i = head * kSize; i < (head + 1) * kSize; ++i) score += q[row][i] * key[i];
        share.push_back(std::exp(score / std::sqrt(static_cast<double>(kSize))));
        sum += share.back();
      }
      for (size_t i = head * kSize; i < (head + 1) * kSize; ++i)
        for (size_t other = 0; other < v.size(); ++other) out[row][i] += share[other] / sum * v[other][i];
    }
  return out;
}

inline const std::vector<float> kQueries = spread(kFeatures * kFeatures, 1),
                                kKeys = spread(kFeatures * kFeatures, 2),
                                kValues = spread(kFeatures * kFeatures, 3);

}  // namespace n2d2::onnx
