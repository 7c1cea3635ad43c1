#include "channel_ratios.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "n2d2/base/clones.hpp"
#include "n2d2/base/parallel.hpp"
#include "n2d2/base/progress.hpp"

namespace n2d2::passes {

namespace {

constexpr double kTolerance = 1e-3;
/// Tolerance for the equations of the few largest entries. Tighter than kTolerance, which all entries must
/// meet.
constexpr double kInnerTolerance = kTolerance / 4;
constexpr int kMaxRounds = 50, kMaxSweeps = 1000;
constexpr double kLargestFactor = 4294967296.0;  // 2^32
/// Columns that a thread looks through at once.
constexpr int64_t kColumns = 512;

/// The largest product of a row or a column, and the other index of where it is.
struct Largest {
  float product = 0;
  int32_t at = 0;
};

N2D2_CLONES
float largest_product(const float* a, const float* b, int64_t count) {
  constexpr int64_t kLanes = 16;
  std::array<float, kLanes> lanes{};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const float product = a[i + lane] * b[i + lane];
      lanes[static_cast<size_t>(lane)] =
          product > lanes[static_cast<size_t>(lane)] ? product : lanes[static_cast<size_t>(lane)];
    }
  float largest = 0;
  for (const float lane : lanes) largest = std::max(largest, lane);
  for (; i < count; ++i) largest = std::max(largest, a[i] * b[i]);
  return largest;
}

Largest largest_of_row(std::span<const float> row, const float* factors) {
  const float largest = largest_product(row.data(), factors, static_cast<int64_t>(row.size()));
  size_t at = 0;
  while (at + 1 < row.size() && row[at] * factors[at] != largest) ++at;
  return {largest, static_cast<int32_t>(at)};
}

/// Takes a row into the largest of its columns.
N2D2_CLONES
void take_row(const float* row, float factor, int32_t at, int64_t count, float* __restrict largest,
              int32_t* __restrict where) {
  for (int64_t i = 0; i < count; ++i) {
    const float product = row[i] * factor;
    where[i] = product > largest[i] ? at : where[i];
    largest[i] = product > largest[i] ? product : largest[i];
  }
}

/// An entry that has been the largest: its magnitude, and the channel whose factor acts on it; -1: none does.
struct Entry {
  float magnitude;
  int64_t channel;
};

/// Entries of both sides of one channel.
struct Channel {
  std::vector<Entry> above, below;
  double bias = 0;
  bool is_free = false;
};

using Factors = std::vector<std::vector<double>>;

class Equations {
 public:
  Equations(const std::vector<Magnitudes>& layers, const std::vector<LayerPair>& pairs)
      : layers_(layers), pairs_(pairs), before_(pairs.size()), behind_(pairs.size()) {
    for (size_t p = 0; p < pairs.size(); ++p) {
      const auto channels = static_cast<size_t>(layers[pairs[p].parent].outputs());
      factors_.emplace_back(channels, 1.0);
      channels_.emplace_back(channels);
      for (size_t q = 0; q < pairs.size(); ++q) {
        if (pairs[q].child == pairs[p].parent) before_[p] = q;
        if (pairs[q].parent == pairs[p].child) behind_[p] = q;
      }
    }
  }

  Factors solve() {
    progress::Task task("Equalizing weights", 0, "rounds");
    for (int round = 0; round < kMaxRounds; ++round) {
      const double distance = look_at_all();
      if (distance < kTolerance) break;
      task.at(round, [&] { return fmt::format("ranges differ by {:.3g} at most", distance); });
      for (int sweep = 0; sweep < kMaxSweeps && improve(sweep % 2 == 0) >= kInnerTolerance; ++sweep) {
      }
    }
    return factors_;
  }

 private:
  /// Factors that act on entries of a matrix; all 1 where no pair gives them.
  std::vector<float> factors_on(std::optional<size_t> pair, int64_t count, bool inverse) const {
    std::vector<float> out(static_cast<size_t>(count), 1.0F);
    for (size_t i = 0; pair && i < out.size(); ++i) {
      const double s = factors_[*pair][i];
      out[i] = static_cast<float>(inverse ? 1 / s : s);
    }
    return out;
  }

  std::vector<Largest> of_rows(size_t p) const {
    const Magnitudes& m = layers_[pairs_[p].parent];
    const std::vector<float> on = factors_on(before_[p], m.inputs(), true);
    std::vector<Largest> out(static_cast<size_t>(m.outputs()));
    parallel_for(m.outputs(), [&](int64_t o, int) {
      const int64_t first = o / m.rows * m.columns;
      out[static_cast<size_t>(o)] = largest_of_row(m.row(o), on.data() + first);
      out[static_cast<size_t>(o)].at += static_cast<int32_t>(first);
    });
    return out;
  }

  std::vector<Largest> of_columns(size_t p) const {
    const Magnitudes& m = layers_[pairs_[p].child];
    const std::vector<float> on = factors_on(behind_[p], m.outputs(), false);
    const auto count = static_cast<size_t>(m.inputs());
    std::vector<float> largest(count, 0);
    std::vector<int32_t> where(count, 0);
    const int64_t blocks = (m.columns + kColumns - 1) / kColumns;
    parallel_for(m.groups * blocks, [&](int64_t i, int) {
      const int64_t group = i / blocks, first = i % blocks * kColumns;
      const int64_t width = std::min(kColumns, m.columns - first), at = group * m.columns + first;
      for (int64_t o = group * m.rows; o < (group + 1) * m.rows; ++o)
        take_row(m.row(o).data() + first, on[static_cast<size_t>(o)], static_cast<int32_t>(o), width,
                 largest.data() + at, where.data() + at);
    });
    std::vector<Largest> out(count);
    for (size_t c = 0; c < count; ++c) out[c] = {largest[c], where[c]};
    return out;
  }

  static void add(std::vector<Entry>& entries, Entry entry) {
    const auto same = [&](const Entry& e) { return e.channel == entry.channel; };
    if (std::none_of(entries.begin(), entries.end(), same)) entries.push_back(entry);
  }

  /// Adds the entries that are the largest with the factors as they are; how far channels are from equal.
  double look_at_all() {
    double distance = 0;
    for (size_t p = 0; p < pairs_.size(); ++p) {
      const Magnitudes &parent = layers_[pairs_[p].parent], &child = layers_[pairs_[p].child];
      const std::vector<Largest> above = of_rows(p), below = of_columns(p);
      for (size_t c = 0; c < above.size(); ++c) {
        Channel& channel = channels_[p][c];
        channel.is_free = above[c].product > 0 && below[c].product > 0 && std::isfinite(above[c].product) &&
                          std::isfinite(below[c].product);
        if (!channel.is_free) continue;
        channel.bias = parent.biases.empty() ? 0 : parent.biases[c];
        const int64_t column = above[c].at % parent.columns;
        add(channel.above, {parent.row(static_cast<int64_t>(c))[static_cast<size_t>(column)],
                            before_[p] ? int64_t{above[c].at} : -1});
        const auto of_group = static_cast<size_t>(static_cast<int64_t>(c) % child.columns);
        add(channel.below, {child.row(below[c].at)[of_group], behind_[p] ? int64_t{below[c].at} : -1});
        const double s = factors_[p][c], r1 = std::max(double{above[c].product}, channel.bias);
        distance = std::max(distance, apart(s, wanted(r1, double{below[c].product})));
      }
    }
    return distance;
  }

  static double wanted(double above, double below) {
    return std::clamp(std::sqrt(below / above), 1 / kLargestFactor, kLargestFactor);
  }

  /// |r1 / r2 - 1| of a channel whose factor is s.
  static double apart(double s, double wanted) { return std::abs(s / wanted * (s / wanted) - 1); }

  /// One sweep over the pairs, from the first or from the last; the largest distance before each step.
  double improve(bool forward) {
    double distance = 0;
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const size_t p = forward ? i : pairs_.size() - 1 - i;
      for (size_t c = 0; c < channels_[p].size(); ++c) {
        const Channel& channel = channels_[p][c];
        if (!channel.is_free) continue;
        double above = channel.bias, below = 0;
        for (const Entry& e : channel.above)
          above = std::max(above, e.magnitude / (e.channel < 0 ? 1 : factor(*before_[p], e.channel)));
        for (const Entry& e : channel.below)
          below = std::max(below, e.magnitude * (e.channel < 0 ? 1 : factor(*behind_[p], e.channel)));
        const double s = wanted(above, below);
        distance = std::max(distance, apart(factors_[p][c], s));
        factors_[p][c] = s;
      }
    }
    return distance;
  }

  double factor(size_t pair, int64_t channel) const { return factors_[pair][static_cast<size_t>(channel)]; }

  const std::vector<Magnitudes>& layers_;
  const std::vector<LayerPair>& pairs_;
  /// The pair whose child is the parent of this one, whose parent is its child.
  std::vector<std::optional<size_t>> before_, behind_;
  Factors factors_;
  std::vector<std::vector<Channel>> channels_;
};

}  // namespace

Factors channel_ratios(const std::vector<Magnitudes>& layers, const std::vector<LayerPair>& pairs) {
  return Equations(layers, pairs).solve();
}

}  // namespace n2d2::passes
