// Which exports does no other one beat?
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "figures.hpp"

namespace n2d2::app {

/// Whether `a` is as good as `b` or better in score, agreement with the floats, RAM and flash, and in time:
/// instructions, or multiplications and calls of kernels where instructions are not known; and better in one
/// of them. Where all are equal the larger SQNR wins, then the smaller number. No refused export dominates or
/// is dominated.
bool dominates(const Explored& a, const Explored& b);

/// For each export the number of one that no other dominates and that dominates it; none where it is of the
/// front itself or refused.
std::vector<std::optional<int>> dominators(std::span<const Explored> all);

/// Indices of the front, by score, then agreement, from the best one on, then by RAM from the least on.
std::vector<size_t> front_of(std::span<const Explored> all);

}  // namespace n2d2::app
