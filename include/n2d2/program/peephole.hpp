// Which calls can be said better, looking at a few of them at a time? The stage between lowering and
// planning.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "n2d2/program/program.hpp"

namespace n2d2::program {

/// What stands in place of the calls that were looked at; nothing: they stay. Views and constants that it
/// needs are appended to the program.
using Replacement = std::optional<std::vector<Call>>;

/// One call to a list, which may be empty.
struct Expander {
  std::string name;
  std::function<Replacement(Program&, const Call&)> expand;
};

/// `window` calls that follow each other to a list.
struct Combiner {
  std::string name;
  size_t window = 2;
  std::function<Replacement(Program&, std::span<const Call>)> combine;
};

/// What a target does to the calls of its programs, in this order.
struct Peephole {
  std::vector<Expander> expanders;
  std::vector<Combiner> combiners;
};

/// Applies all expanders, then all combiners, from the first call behind the source to the last, and again
/// until nothing changes. What replaces calls belongs to the cell of the last of them; a cell whose output
/// no call writes any more is removed, with its views and constants. The program has no places yet. Returns
/// whether anything has changed.
///
/// After each change the program is checked: every view that is read is written before or comes from outside,
/// none is written twice, every output of the program is still written; InternalError names the rewrite that
/// broke it. Rewrites that undo each other end after `kMostRewrites` for each call that there was, with an
/// InternalError that names the last two.
bool rewrite(Program& program, const Peephole& peephole);

inline constexpr size_t kMostRewrites = 16;

}  // namespace n2d2::program
