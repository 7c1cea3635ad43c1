// How long does each layer of a project take on this machine, compiled as its Makefile does it?
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "n2d2/targets/cpp/project.hpp"

#include "tuning.hpp"

namespace n2d2::targets::cpp {

/// This processor with the threads that programs get, and the compiler that `make` takes (CXX, else g++).
TuningMachine this_machine(const std::string& version);

/// Whether programs for such a machine run here.
bool runs_here(Machine machine);

/// Median microseconds of each cell, by identifier, in what `run_export -time` prints, and "total".
std::map<std::string, double> medians(std::string_view report);

/// Builds the project in an empty folder of its own and runs it several times. ExportError with what `make`
/// or the program said when one of them fails.
std::map<std::string, TimeRange> times_of_cells(const Project& project);

}  // namespace n2d2::targets::cpp
