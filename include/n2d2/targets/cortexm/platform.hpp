// What does `-export CPP_CortexM` have of its own?
#pragma once

#include <string_view>
#include <vector>

#include "n2d2/targets/cpp/platform.hpp"

namespace n2d2::targets::cortexm {

/// The platform of a core, by its name ("m4"). InternalError for a name that is not known. Figures are for
/// the board, if there is one.
cpp::Platform platform_of(std::string_view core, const Part* board = nullptr);
/// Names of all cores; the first one is the default of `Core=`.
std::vector<std::string_view> core_names();

}  // namespace n2d2::targets::cortexm
