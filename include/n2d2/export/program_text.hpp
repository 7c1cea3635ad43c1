// How does a program look to people, and to other tools?
#pragma once

#include <string>

#include "n2d2/program/program.hpp"

namespace n2d2::exporter {

/// A line for each memory, call, view and constant, in the order of the calls, then one for each region; names in quotes.
std::string program_text(const program::Program& program);

/// The same as JSON: "memories", "views", "constants", "calls", "regions", "outputs"; views and constants are named by their index.
/// Bytes and rows as the structs of program.hpp; names are valid UTF-8, what is not is replaced.
std::string program_json(const program::Program& program);

}  // namespace n2d2::exporter
