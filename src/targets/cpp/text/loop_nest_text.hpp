// How are the loops of a loop nest printed?
#pragma once

#include <string>

#include "project_text.hpp"

namespace n2d2::targets::cpp {

/// A function for each step of the loop nests of a cell, so that the frame of one is gone when the next one
/// begins.
std::string step_functions(const ProjectText& text, const program::Cell& cell);

/// The loops, which call them; `rows`: an expression, the rows of the output.
std::string loops_text(const ProjectText& text, const program::Cell& cell, const program::Call& call,
                       const std::string& rows);

}  // namespace n2d2::targets::cpp
