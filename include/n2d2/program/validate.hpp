// Does every byte that a call reads still hold what was written for it?
#pragma once

#include <string>
#include <vector>

#include "n2d2/program/program.hpp"

namespace n2d2::program {

/// Judges a placed program from what its calls do: they are run symbolically in order, each over its rows in
/// its scan, on memories that remember of each byte whose it is. Knows nothing of the planner, its problem or
/// its plan; what is printed and run is what is judged. One sentence without a period for each call and view
/// that goes wrong: rows outside their memory, bytes that are overwritten while a window, a whole reader or
/// the end of the program still needs them, rows that were never written, scratch that does not survive its
/// call, states that do not survive the run. Empty: valid.
std::vector<std::string> validate(const Program& program);

}  // namespace n2d2::program
