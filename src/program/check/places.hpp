// Do all views, states and maps between steps lie where they may?
#pragma once

#include <string>
#include <vector>

#include "n2d2/program/program.hpp"

namespace n2d2::program {

/// Returns a sentence for each fault; none: every row of every view, and every state, lies inside of its
/// memory, every map between the steps of a loop nest in the scratch of its call, and no memory is larger
/// than its capacity.
std::vector<std::string> faults_of_places(const Program& program);

}  // namespace n2d2::program
