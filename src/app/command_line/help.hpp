// What does the program say about itself? Usage, version, keys of everything an INI can name.
#pragma once

#include "options.hpp"

namespace n2d2::app {

/// Prints what -h, -v and the -help options ask for; false when they ask for nothing. ConfigError for an
/// unknown name.
bool print_help(const Options& options);

}  // namespace n2d2::app
