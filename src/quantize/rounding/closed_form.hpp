// Which integers are nearest to a row of weights, measured at the output that they make?
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace n2d2::quantize {

/// A symmetric matrix, n rows of n.
struct Matrix {
  int64_t n = 0;
  std::vector<double> values;

  explicit Matrix(int64_t size = 0) : n(size), values(static_cast<size_t>(size * size)) {}
  double* row(int64_t i) { return values.data() + i * n; }
  const double* row(int64_t i) const { return values.data() + i * n; }
};

/// Rows of weights in units of their steps, and the integers they become.
struct RowsToRound {
  int64_t rows = 0, size = 0;
  std::vector<double> exact;     ///< [rows][size]
  std::vector<int32_t> rounded;  ///< [rows][size]
  int32_t most = 127;            ///< largest magnitude of an integer
};

/// Rounds so that (exact - rounded)' C (exact - rounded) is small, C the covariance of the inputs: from the
/// input of the largest variance on, each weight is rounded to where the errors so far are made up for best
/// (Babai's nearest plane; the order of GPTQ, Frantar et al. 2022, read backwards). A hundredth of the mean
/// variance is added to each. Integers do not depend on the number of threads.
void round_in_closed_form(const Matrix& covariance, RowsToRound& rows);

}  // namespace n2d2::quantize
