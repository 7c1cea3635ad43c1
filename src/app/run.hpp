// What happens from the command line to the exit code?
#pragma once

#include "command_line/options.hpp"

namespace n2d2::app {

/// Does what the options ask for, in the order of N2D2. Files go to the working directory. Throws
/// ConfigError, ModelError, ExportError. Returns the exit code: 0, or 130 and 143 when SIGINT or SIGTERM
/// ended learning.
int run(const Options& options);

}  // namespace n2d2::app
