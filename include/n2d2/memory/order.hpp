// In which order should the steps run?
#pragma once

#include <span>
#include <vector>

#include "n2d2/memory/problem.hpp"

namespace n2d2::memory {

/// The steps in an order, every step after those that write what it reads. Element i is the step that runs at
/// time i. Deterministic.
///
/// The order with the lowest load found: the largest over the steps of live bytes less what the output of the
/// step can share with the inputs last read there, as in lower_bound. The steps are cut where one step comes
/// before or after every other; between two cuts the lowest load is found exactly while the sets of steps
/// that can have run are few (branches of some twenty steps in all), else by following the lowest of them.
/// Stays 0, 1, 2, ... unless another order has a lower lower_bound, and between two cuts whose load does not
/// set the peak. The problem must be well formed.
std::vector<StepId> best_order(const Problem& problem);

/// The problem with its steps in this order, and lives as these demand (derive_lifetimes). Throws
/// InternalError when a step is missing or named twice, or comes before one that writes what it reads.
Problem reordered(const Problem& problem, std::span<const StepId> order);

}  // namespace n2d2::memory
