#include "oracle/naive_sequence.hpp"

#include <cmath>
#include <cstdlib>

namespace n2d2::oracle {

namespace {

constexpr int64_t kArgumentEnd = 536870912, kStateEnd = 1073741824;  // 2^29, 2^30

int64_t limited(int64_t v, int64_t end) {
  if (v > end) return end;
  return v < -end ? -end : v;
}

/// v / 2^n to the nearest integer, halves up.
int64_t divided(int64_t v, int64_t n) {
  const int64_t whole = int64_t{1} << n;
  int64_t quotient = v / whole, rest = v % whole;
  if (rest < 0) --quotient, rest += whole;
  return 2 * rest >= whole ? quotient + 1 : quotient;
}

/// 32768 tanh(v / 65536 / 2), straight between knots 1/32 apart, flat from 12 on.
int64_t bend(int64_t v) {
  const int64_t size = std::llabs(v), knot = size / 2048;
  int64_t made = 32768;
  if (size < 12 * 65536) {
    const auto height = [](int64_t k) {
      return std::llround(32768.0 * std::tanh(static_cast<double>(k) / 64.0));
    };
    made = height(knot) + divided((height(knot + 1) - height(knot)) * (size % 2048), 11);
  }
  return v < 0 ? -made : made;
}
int64_t sigmoid(int64_t v) {
  return 32768 + bend(v);
}

class Run {
 public:
  explicit Run(const SequenceCell& cell)
      : cell_(cell), out_(static_cast<size_t>(cell.units), 0), memory_(out_) {}

  std::vector<int64_t> next(const std::vector<int64_t>& x) {
    const int n = cell_.units;
    std::vector<int64_t> made(out_.size());
    if (cell_.kind == SequenceCell::Kind::Rnn) {
      for (int j = 0; j < n; ++j) made[j] = cell_.round(bend(2 * sum(j, x, out_)) * 512, j);
    } else if (cell_.kind == SequenceCell::Kind::Lstm) {
      for (int j = 0; j < n; ++j) {
        const int64_t in = sigmoid(sum(j, x, out_)), out = sigmoid(sum(n + j, x, out_)),
                      keep = sigmoid(sum(2 * n + j, x, out_)), news = bend(2 * sum(3 * n + j, x, out_));
        memory_[j] = limited(divided(keep * memory_[j] + in * news * 2, 16), kStateEnd);
        made[j] = cell_.round(divided(out * bend(2 * memory_[j]), 7), j);
      }
    } else {
      std::vector<int64_t> reset(out_.size());
      for (int j = 0; j < n && !cell_.linear; ++j)
        reset[j] = cell_.round(divided(sigmoid(sum(n + j, x, out_)) * memory_[j], 8), j);
      std::vector<int64_t> memory = memory_;
      for (int j = 0; j < n; ++j) {
        const int64_t keep = sigmoid(sum(j, x, out_)), news = bend(2 * fresh(j, x, reset));
        memory[j] = divided(news * 2 * (65536 - keep) + keep * memory_[j], 16);
        made[j] = cell_.round(memory[j] * 256, j);
      }
      memory_ = memory;
    }
    return out_ = made;
  }

 private:
  int64_t word(int row, int which) const { return cell_.table[static_cast<size_t>(4 * row + which)]; }
  static int64_t dot(const std::vector<int64_t>& rows, int row, const std::vector<int64_t>& x) {
    int64_t total = 0;
    for (size_t i = 0; i < x.size(); ++i) total += rows[static_cast<size_t>(row) * x.size() + i] * x[i];
    return total;
  }
  int64_t sum(int row, const std::vector<int64_t>& x, const std::vector<int64_t>& h) const {
    const int64_t both =
        dot(cell_.weights, row, x) * word(row, 0) + dot(cell_.recurrent, row, h) * word(row, 1);
    return limited(divided(both, cell_.shift) + word(row, 2), kArgumentEnd);
  }
  int64_t fresh(int j, const std::vector<int64_t>& x, const std::vector<int64_t>& reset) const {
    const int row = 2 * cell_.units + j;
    if (!cell_.linear) return sum(row, x, reset);
    const int64_t old = limited(
                      divided(dot(cell_.recurrent, row, out_) * word(row, 1), cell_.shift) + word(row, 3),
                      kArgumentEnd),
                  given =
                      limited(divided(dot(cell_.weights, row, x) * word(row, 0), cell_.shift) + word(row, 2),
                              kArgumentEnd);
    return limited(given + divided(sigmoid(sum(cell_.units + j, x, out_)) * old, 16), kArgumentEnd);
  }

  const SequenceCell& cell_;
  std::vector<int64_t> out_, memory_;
};

}  // namespace

std::vector<std::vector<int64_t>> run_steps(const SequenceCell& cell,
                                            const std::vector<std::vector<int64_t>>& steps) {
  Run run(cell);
  std::vector<std::vector<int64_t>> out;
  for (const auto& step : steps) out.push_back(run.next(step));
  return out;
}

}  // namespace n2d2::oracle
