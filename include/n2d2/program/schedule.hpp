// In which order do calls run, and over which rows?
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "n2d2/program/program.hpp"

namespace n2d2::program {

/// All rows of a call: those it is asked for when it runs by itself.
Rows rows_of(const Program& program, const Call& call);

/// Calls or a region that the planner sees as one.
struct Unit {
  CallId first = 0, end = 0;       ///< calls
  const Region* region = nullptr;  ///< null: one call
};
/// In order of execution.
std::vector<Unit> units_of(const Program& program);

/// Functions that a run calls, in its order; each may be empty.
struct ScheduleVisitor {
  std::function<void(CallId, Rows)> run;  ///< a call makes rows; never none
  /// A call of a region has had its run in a turn, if it had rows to make.
  std::function<void(const Region&, CallId, int)> ran;
};
/// A region's turns, or the one run of a call.
void visit_schedule(const Program& program, const Unit& unit, const ScheduleVisitor& visitor);

/// Calls of kernels in one run, those of all turns counted.
int64_t runs_of(const Program& program);

/// Rows of an output of a cell, or of the input, that are there in each turn of the region that makes it,
/// after the last call that fills it has had its run.
struct StreamedMap {
  /// Indices into Program::cells and the outputs of the cell; none: the input.
  std::optional<size_t> cell;
  size_t output = 0;
  CallId last = kNone;
  Pace pace;  ///< added() to it in each turn
};
/// The maps that a region makes row by row: the input where the source is in it, then in order of the cells
/// those of its calls, and of cells without calls whose outputs these fill.
std::vector<StreamedMap> streamed_maps(const Program& program, const Region& region);

}  // namespace n2d2::program
