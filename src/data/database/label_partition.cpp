#include "label_partition.hpp"

#include <algorithm>
#include <cmath>

#include "partition.hpp"

namespace n2d2::data {

namespace {

size_t group_of(int label) {
  return static_cast<size_t>(label + 1);
}

std::vector<PartitionCounts> counts_per_label(const PartitionRules& rules, std::span<const int> labels) {
  std::vector<int64_t> sizes(1);
  for (const int label : labels) {
    if (sizes.size() <= group_of(label)) sizes.resize(group_of(label) + 1);
    ++sizes[group_of(label)];
  }
  int64_t smallest = static_cast<int64_t>(labels.size());
  for (const int64_t n : sizes)
    if (n > 0) smallest = std::min(smallest, n);
  const bool takes_rest = rules.test == kTheRest || rules.learn + rules.validation + rules.test >= 1 - 1e-9;
  const double test = takes_rest ? std::max(0.0, 1 - rules.learn - rules.validation) : rules.test;
  std::vector<PartitionCounts> out;
  for (const int64_t n : sizes) {
    PartitionCounts counts =
        n == 0 ? PartitionCounts()
               : partition_counts(rules.equiv_label ? smallest : n, rules.learn, rules.validation, test);
    if (takes_rest) counts.test = n - counts.learn - counts.validation;
    out.push_back(counts);
  }
  return out;
}

int64_t whole(const char* key, double value, const LoadArgs& args) {
  if (value != std::floor(value) || value > 1e12)
    args.fail(key, fmt::format("{}: expected a number of samples, got '{}'", key, print_real(value)),
              "PerLabelPartitioning=0 counts samples; fractions need PerLabelPartitioning=1");
  return static_cast<int64_t>(value);
}

PartitionCounts counts_of_all(const PartitionRules& rules, int64_t size, const LoadArgs& args) {
  PartitionCounts out{whole("Learn", rules.learn, args), whole("Validation", rules.validation, args), 0};
  out.test = rules.test == kTheRest ? std::max(int64_t{0}, size - out.learn - out.validation)
                                    : whole("Test", rules.test, args);
  if (out.learn + out.validation + out.test > size)
    args.fail("Learn", fmt::format("Learn: expected at most {} samples in Learn, Validation and Test, got {}",
                                   size, out.learn + out.validation + out.test));
  return out;
}

}  // namespace

void check_fractions(const PartitionRules& rules, const LoadArgs& args) {
  const double sum = rules.learn + rules.validation + std::max(0.0, rules.test);
  if (rules.per_label && sum > 1 + 1e-9)
    args.fail("Learn",
              fmt::format("Learn: expected fractions with Learn + Validation + Test <= 1, got {:g}", sum),
              "counts of samples need PerLabelPartitioning=0");
}

void draw_by_label(const PartitionRules& rules, const LoadArgs& args, std::span<const int> label_of,
                   int64_t first, std::array<std::vector<int64_t>, 3>& partitions) {
  const auto labels = label_of.subspan(static_cast<size_t>(first));
  const auto size = static_cast<int64_t>(labels.size());
  std::vector<int64_t> order = draw_order(size, args.common.random_partitioning, args.context.seed);
  for (int64_t& id : order) id += first;
  if (rules.per_label)
    draw(
        order, [&](int64_t id) { return group_of(label_of[static_cast<size_t>(id)]); },
        counts_per_label(rules, labels), partitions);
  else
    draw(
        order, [](int64_t) { return size_t{0}; }, {counts_of_all(rules, size, args)}, partitions);
}

}  // namespace n2d2::data
