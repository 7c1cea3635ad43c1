// How does a shell know the options? A completion for bash and a manual page, both of the table of options.
#pragma once

#include <string>

namespace n2d2::app {

/// A script for bash: options, words that a value may be, names of help subjects, network files, folders and
/// files.
std::string bash_completion();

/// The manual page in the man macros of troff.
std::string manual_page(std::string_view version);

}  // namespace n2d2::app
