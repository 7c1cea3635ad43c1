// How is a module loaded?
#pragma once

#include <string>

namespace n2d2::modules {

/// Loads a shared library for the rest of the run and lets it register; a file that is loaded already is left
/// alone.
/// ConfigError: it cannot be loaded, is no module, was built for another version of these headers, or
/// registers a name that is taken.
void load(const std::string& file);

}  // namespace n2d2::modules
