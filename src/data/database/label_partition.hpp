// How many samples of each label go where? Learn, Validation and Test as fractions or counts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "database_type.hpp"

namespace n2d2::data {

inline constexpr double kTheRest = -1;

/// Values of Learn, Validation, Test, PerLabelPartitioning, EquivLabelPartitioning.
struct PartitionRules {
  double learn = 0, validation = 0, test = kTheRest;
  bool per_label = true, equiv_label = true;
};

/// ConfigError at Learn when fractions are more than 1 together.
void check_fractions(const PartitionRules& rules, const LoadArgs& args);

/// Appends the samples first .. label_of.size() - 1 to the partitions. label_of: of every sample, -1: none,
/// which counts as one more label. With equiv_label all labels have as many in Learn and Validation as the
/// smallest of them allows.
/// ConfigError at the key of a count that does not fit.
void draw_by_label(const PartitionRules& rules, const LoadArgs& args, std::span<const int> label_of,
                   int64_t first, std::array<std::vector<int64_t>, 3>& partitions);

}  // namespace n2d2::data
