// Which factors make what writes a channel and what reads it equally large?
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace n2d2::passes {

/// Largest magnitudes of the weights of one layer: a matrix for each group of channels, one after the other,
/// row-major.
/// A row is an output of the group, a column an input channel of the group. Where no factor acts on the
/// outputs (inputs), one row (column) has the largest of all.
struct Magnitudes {
  int64_t groups = 1, rows = 1, columns = 1;
  std::vector<float> values;
  /// Magnitude that the bias of each row counts as: that of the weights that would contribute as much to the
  /// output. Empty: no bias counts.
  std::vector<double> biases;

  int64_t outputs() const { return groups * rows; }
  int64_t inputs() const { return groups * columns; }
  std::span<float> row(int64_t output) {
    return {values.data() + output * columns, static_cast<size_t>(columns)};
  }
  std::span<const float> row(int64_t output) const {
    return {values.data() + output * columns, static_cast<size_t>(columns)};
  }
};

/// Indices of layers. A layer is the parent of one pair at most, and the child of one at most.
struct LayerPair {
  size_t parent, child;
};

/// One factor s for each channel of each pair, such that for all of them
///   r1 = r2,  r1 = s max(max_i |W_P[c, i]| / s_i, |b_P[c]|),  r2 = max_o |W_C[o, c]| s_o / s
/// to 1e-3, with s_i, s_o of the pairs before and behind (1 where there is none). Factors lie in [2^-32,
/// 2^32], and are 1 where either side has no weight but 0. All are exactly 1 where |r1 / r2 - 1| < 1e-3 from
/// the start.
///
/// The largest entries of rows and columns are few: equations are solved for those that have been the largest
/// so far, sweep by sweep; then all entries are looked at for larger ones, until there are none, at most 50
/// times. Products, quotients and square roots alone: the same bits for any number of threads and on every
/// processor.
/// Source of the equations: Nagel et al. 2019, section 4.1.
std::vector<std::vector<double>> channel_ratios(const std::vector<Magnitudes>& layers,
                                                const std::vector<LayerPair>& pairs);

}  // namespace n2d2::passes
