// Which samples go to Learn, Validation and Test? The rules of N2D2.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace n2d2::data {

struct PartitionCounts {
  int64_t learn = 0, validation = 0, test = 0;
  friend bool operator==(const PartitionCounts&, const PartitionCounts&) = default;
};

/// Sizes for n samples and ratios >= 0 with a sum <= 1: nLearn rounds half up, nValidation + nTest half down,
/// nValidation half up of that; cut so that their sum is at most n.
PartitionCounts partition_counts(int64_t n, double learn, double validation, double test);

/// The order in which samples are drawn: file order, or a permutation that depends on the seed alone.
std::vector<int64_t> draw_order(int64_t n, bool random, uint64_t seed);

/// Goes through the ids in drawing order; each goes to the first of Learn, Validation, Test whose count for
/// the group of the id is not used up, else to none. Appends to the lists.
void draw(const std::vector<int64_t>& order, const std::function<size_t(int64_t id)>& group_of,
          std::vector<PartitionCounts> left, std::array<std::vector<int64_t>, 3>& partitions);

}  // namespace n2d2::data
