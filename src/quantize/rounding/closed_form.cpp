#include "closed_form.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "n2d2/base/clones.hpp"
#include "n2d2/base/parallel.hpp"

namespace n2d2::quantize {

namespace {

/// Share of the mean variance that is added to each: the covariance is of samples, and may be singular.
constexpr double kDamping = 0.01;
/// Rows that are rounded together.
constexpr int64_t kTile = 16;

/// row[j] -= sum over k of factors[k] rows[k][j], for four rows.
N2D2_CLONES
void subtract_four(const double* a, const double* b, const double* c, const double* d,
                   const std::array<double, 4>& factors, int64_t n, double* row) {
  for (int64_t j = 0; j < n; ++j)
    row[j] -= factors[0] * a[j] + factors[1] * b[j] + factors[2] * c[j] + factors[3] * d[j];
}

N2D2_CLONES
void subtract_one(const double* a, double factor, int64_t n, double* row) {
  for (int64_t j = 0; j < n; ++j) row[j] -= factor * a[j];
}

/// Makes the upper triangular R with R'R = m, in place; below its diagonal m stays.
void factorize(Matrix& m) {
  for (int64_t i = 0; i < m.n; ++i) {
    double* row = m.row(i) + i;
    const int64_t left = m.n - i;
    int64_t k = 0;
    for (; k + 4 <= i; k += 4)
      subtract_four(m.row(k) + i, m.row(k + 1) + i, m.row(k + 2) + i, m.row(k + 3) + i,
                    {m.row(k)[i], m.row(k + 1)[i], m.row(k + 2)[i], m.row(k + 3)[i]}, left, row);
    for (; k < i; ++k) subtract_one(m.row(k) + i, m.row(k)[i], left, row);
    const double pivot = std::sqrt(row[0]);
    for (int64_t j = 0; j < left; ++j) row[j] /= pivot;
  }
}

/// sums[t] = sum over j in [first, n) of factors[j] errors[j][t].
N2D2_CLONES
void add_errors(const double* factors, const double* errors, int64_t first, int64_t n, double* sums) {
  std::array<double, kTile> all{};
  for (int64_t j = first; j < n; ++j)
    for (int64_t t = 0; t < kTile; ++t) all[static_cast<size_t>(t)] += factors[j] * errors[j * kTile + t];
  std::copy(all.begin(), all.end(), sums);
}

void round_tile(const Matrix& r, const std::vector<int64_t>& order, int64_t first, RowsToRound& rows) {
  const int64_t count = std::min(kTile, rows.rows - first);
  std::vector<double> errors(static_cast<size_t>(r.n * kTile));
  std::array<double, kTile> sums{};
  for (int64_t i = r.n - 1; i >= 0; --i) {
    add_errors(r.row(i), errors.data(), i + 1, r.n, sums.data());
    for (int64_t t = 0; t < count; ++t) {
      const auto at = static_cast<size_t>((first + t) * rows.size + order[static_cast<size_t>(i)]);
      const double wanted = rows.exact[at] + sums[static_cast<size_t>(t)] / r.row(i)[i];
      const auto most = static_cast<double>(rows.most);
      const double integer = std::clamp(std::round(wanted), -most, most);
      rows.rounded[at] = static_cast<int32_t>(integer);
      errors[static_cast<size_t>(i * kTile + t)] = rows.exact[at] - integer;
    }
  }
}

}  // namespace

void round_in_closed_form(const Matrix& covariance, RowsToRound& rows) {
  const int64_t n = covariance.n;
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return covariance.row(a)[a] < covariance.row(b)[b]; });
  double trace = 0;
  for (int64_t i = 0; i < n; ++i) trace += covariance.row(i)[i];
  Matrix r(n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i; j < n; ++j)
      r.row(i)[j] = covariance.row(order[static_cast<size_t>(i)])[order[static_cast<size_t>(j)]];
  const double added = trace > 0 ? kDamping * trace / static_cast<double>(n) : 1;
  for (int64_t i = 0; i < n; ++i) r.row(i)[i] += added;
  factorize(r);
  rows.rounded.assign(rows.exact.size(), 0);
  parallel_for((rows.rows + kTile - 1) / kTile,
               [&](int64_t tile, int) { round_tile(r, order, tile * kTile, rows); });
}

}  // namespace n2d2::quantize
