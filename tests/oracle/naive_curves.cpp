#include "oracle/naive_curves.hpp"

#include <algorithm>
#include <cstddef>

namespace n2d2::oracle {

namespace {

/// The table at x: it has the whole numbers up to 128, then every second one up to 256, every fourth up to
/// 512 and so on, the first of them `first`. Lines join the entries.
int64_t on_lines(const std::vector<int64_t>& table, int64_t first, int64_t x) {
  int64_t place = 0, step = 1;
  while (place + step <= first) {
    place += step;
    if (place % (128 * step) == 0) step *= 2;
  }
  for (size_t entry = 0;; ++entry) {
    if (x < place + step) {
      const int64_t rise = (table.at(entry + 1) - table.at(entry)) * (x - place);
      const int64_t down = rise >= 0 ? rise / step : -((-rise + step - 1) / step);
      return table.at(entry) + down;
    }
    place += step;
    if (place % (128 * step) == 0) step *= 2;
  }
}

}  // namespace

Map<int64_t> divided(const Map<int64_t>& in, int n, const std::vector<int64_t>& table) {
  Map<int64_t> out = in;
  for (int y = 0; y < out.h; ++y)
    for (int x = 0; x < out.w; ++x)
      for (int k = 0; k < out.c; ++k) {
        int64_t energy = 0;
        for (int other = 0; other < out.c; ++other)
          if (other >= k - (n - 1) / 2 && other <= k + n / 2)
            energy += in.at(y, x, other) * in.at(y, x, other);
        out.at(y, x, k) *= on_lines(table, 0, energy);
      }
  return out;
}

Map<int64_t> logarithms(const Map<int64_t>& in, const std::vector<int64_t>& both) {
  const auto length = static_cast<std::ptrdiff_t>(both.size() / 2);
  const std::vector<int64_t> powers(both.begin(), both.begin() + length),
      lines(both.begin() + length, both.end());
  Map<int64_t> out = in;
  for (int y = 0; y < out.h; ++y)
    for (int x = 0; x < out.w; ++x) {
      int64_t largest = out.at(y, x, 0), sum = 0;
      for (int k = 0; k < out.c; ++k) largest = std::max(largest, out.at(y, x, k));
      for (int k = 0; k < out.c; ++k) {
        const auto distance = static_cast<size_t>(largest - out.at(y, x, k));
        if (distance < powers.size()) sum += powers[distance];
      }
      const int64_t logarithm = on_lines(lines, 65536, sum);
      for (int k = 0; k < out.c; ++k) out.at(y, x, k) = 256 * (out.at(y, x, k) - largest) - logarithm;
    }
  return out;
}

}  // namespace n2d2::oracle
