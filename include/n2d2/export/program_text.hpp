// How does a program look to people, and to other tools?
#pragma once

#include <string>

#include "n2d2/program/program.hpp"

namespace n2d2::exporter {

/// A line for each memory, call, view and constant, in the order of the calls, then one for each region;
/// names in quotes.
std::string program_text(const program::Program& program);

/// Returns the program as JSON with "memories", "views", "constants", "calls", "regions", "outputs". Views
/// and constants are named by their index. Bytes and rows have the meaning of the structs of program.hpp.
/// Names are valid UTF-8; invalid parts are replaced.
std::string program_json(const program::Program& program);

}  // namespace n2d2::exporter
