#include "curve.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace n2d2::ops {

namespace {

constexpr int kBitsOfOctave = 6;
constexpr int64_t kOctave = int64_t{1} << kBitsOfOctave;

/// The sum that an entry is of.
int64_t sum_at(int64_t entry) {
  if (entry < 2 * kOctave) return entry;
  const int64_t shift = entry / kOctave - 1;
  return (entry - shift * kOctave) << shift;
}

}  // namespace

CurvePlace curve_place(int64_t sum) {
  const int bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(sum)));
  const int shift = std::max(0, bits - kBitsOfOctave - 1);
  return {shift * kOctave + (sum >> shift), sum & ((int64_t{1} << shift) - 1), shift};
}

std::vector<int32_t> curve_of(int64_t first, int64_t last, double lowest, double highest,
                              const std::function<double(double)>& f) {
  std::vector<int32_t> out;
  for (int64_t entry = curve_place(first).entry; entry <= curve_place(last).entry + 1; ++entry)
    out.push_back(static_cast<int32_t>(
        std::clamp(std::nearbyint(f(static_cast<double>(sum_at(entry)))), lowest, highest)));
  return out;
}

int64_t on_curve(const graph::Integers& table, int64_t begin, int64_t first, int64_t sum) {
  const CurvePlace place = curve_place(sum);
  const int64_t at = begin + place.entry - curve_place(first).entry;
  return table[at] + (((table[at + 1] - table[at]) * place.part) >> place.shift);
}

}  // namespace n2d2::ops
