#include "partition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "n2d2/base/random.hpp"

namespace n2d2::data {

namespace {
int64_t round_half_up(double value) {
  return static_cast<int64_t>(std::floor(value + 0.5));
}
int64_t round_half_down(double value) {
  return static_cast<int64_t>(std::ceil(value - 0.5));
}
}  // namespace

PartitionCounts partition_counts(int64_t n, double learn, double validation, double test) {
  const auto count = static_cast<double>(n);
  PartitionCounts out;
  out.learn = std::min(round_half_up(count * learn), n);
  const double rest = validation + test;
  if (rest <= 0) return out;
  const int64_t both = std::min(round_half_down(count * rest), n - out.learn);
  out.validation = std::min(round_half_up(static_cast<double>(both) * validation / rest), both);
  out.test = both - out.validation;
  return out;
}

std::vector<int64_t> draw_order(int64_t n, bool random, uint64_t seed) {
  if (random) {
    Rng rng(seed, "partition");
    return shuffled(n, rng);
  }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  return order;
}

void draw(const std::vector<int64_t>& order, const std::function<size_t(int64_t id)>& group_of,
          std::vector<PartitionCounts> left, std::array<std::vector<int64_t>, 3>& partitions) {
  for (const int64_t id : order) {
    PartitionCounts& counts = left.at(group_of(id));
    if (counts.learn > 0) {
      --counts.learn;
      partitions[0].push_back(id);
    } else if (counts.validation > 0) {
      --counts.validation;
      partitions[1].push_back(id);
    } else if (counts.test > 0) {
      --counts.test;
      partitions[2].push_back(id);
    }
  }
}

}  // namespace n2d2::data
