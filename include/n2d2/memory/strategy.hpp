// Which plan does a strategy find, and how low could any plan get?
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/memory/plan.hpp"

namespace n2d2::memory {

inline constexpr std::string_view kDefaultStrategy = "OptimizeMaxLifetimeMaxSizeFirst";

struct SolveOptions {
  std::string strategy{kDefaultStrategy};
  /// Places the search may try when the strategy leaves a gap to the lower bound; 0: no search. Not under
  /// "None". A count, never a clock: the same problem gives the same plan everywhere. "OptimizeExact" has no
  /// limit.
  int64_t search_nodes = 2'000'000;
};

/// A valid plan of a well-formed problem. Deterministic. The peak may exceed a capacity:
/// validate says so. Throws ConfigError for an unknown strategy, InternalError for a problem with faults.
Plan solve(const Problem& problem, const SolveOptions& options);
/// Solves the problem with the default number of search nodes.
Plan solve(const Problem& problem, std::string_view strategy);

/// Names solve knows, sorted.
std::vector<std::string> strategy_names();

/// No plan in one memory has a lower peak: max over steps of the live bytes, each buffer
/// rounded up to the alignment but for the one that gains most by being on top, less what the outputs of the
/// step can share with inputs whose lifetime ends there. Scratch counts for its step.
Bytes lower_bound(const Problem& problem);
/// The first step at which the bound is reached: the one that sets the peak. kNone without steps.
StepId step_of_lower_bound(const Problem& problem);
/// Returns, for each step, the lower bound of that step alone, counted as lower_bound() does.
std::vector<Bytes> lower_bounds_of_steps(const Problem& problem);
/// Returns, for each step, the bytes by which the step exceeds the capacity of its memories in any plan. For
/// a set of memories, this is the size of everything that may be allocated only there, counted as
/// lower_bound() does, less the capacities of the set together. The result is the maximum over the sets that
/// buffers and scratch name and over the set of all memories. 0: nothing says that the step does not fit.
std::vector<Bytes> excess_of_steps(const Problem& problem);
/// The bound for what a plan has put in each memory.
std::vector<Bytes> lower_bounds(const Problem& problem, const Plan& plan);

}  // namespace n2d2::memory
