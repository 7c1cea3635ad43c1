// Where does every view lie, and in which order do the calls run? The program's side of the memory planner.
#pragma once

#include <string>
#include <vector>

#include "n2d2/memory/plan.hpp"
#include "n2d2/program/lower.hpp"
#include "n2d2/program/program.hpp"

namespace n2d2::program {

/// The planner's problem of a program: a buffer for each view that is not outside and no ring of a region, in
/// their order, then one for each state in the order of the calls, and a step for each call or region
/// (units_of).
memory::Problem memory_problem(const Program& program);

/// A program whose views have places, and what they were found from.
struct Planned {
  Program program;
  memory::Problem problem;
  memory::Plan plan;
  double milliseconds = 0;  ///< spent by memory::solve; the only thing here that varies
};

/// The program with the places of a plan of its problem, which is neither solved nor validated here.
Planned placed(Program program, memory::Plan plan);

/// In the order with the lowest load of memory (memory::best_order; the graph's own unless another one is
/// strictly lower), with those lanes that do not raise the bound, solved and validated. ExportError, each
/// with `subject` ("export CPP") in front: memories that are too small, with what they need and the least any
/// plan needs; every reason why the checker rejects the plan.
Planned plan(const Lowering& lowering, const MemorySettings& settings, const std::string& subject);

/// Plans of one network that the memories have room for, from the one in which every layer runs by itself
/// (but those that an input row by row makes run in turns) to the one that needs least: each needs less
/// memory than the one before and takes more calls of kernels, or more multiplications. Found for `steps`
/// budgets, which lie closer the smaller they are; settings.budget does not matter. The network has a plan.
/// ExportError where the checker rejects one.
std::vector<Planned> budget_curve(const Lowering& lowering, const MemorySettings& settings, int steps,
                                  const std::string& subject);

/// Returns a plan of the same calls without regions: each call runs by itself. Every view that is inside no
/// other view has bytes of its own. All maps are scanned top-down. The memories are unlimited.
Planned without_reuse(const Planned& planned);

/// ExportError with every reason why a checker rejects the plan or the placed program.
void expect_valid(const Planned& planned, const std::string& subject);

}  // namespace n2d2::program
