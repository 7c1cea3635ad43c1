// How does a shell know the options? Completions and a manual page, all of the table of options.
#pragma once

#include <string>

namespace n2d2::app {

/// A script for bash: options, words that a value may be, names of help subjects, network files, folders and
/// files.
std::string bash_completion();
/// Scripts for fish and zsh, which also say what options are for.
std::string fish_completion();
std::string zsh_completion();

/// The manual page in the man macros of troff.
std::string manual_page(std::string_view version);

}  // namespace n2d2::app
