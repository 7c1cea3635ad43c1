// What does an export say of itself to people?
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "planned_network.hpp"

namespace n2d2::targets::cpp {

/// Bits, memory, stack and parameters: what each is, and its figure.
std::vector<std::pair<std::string, std::string>> figures_of(const PlannedNetwork& network);

/// README.md: the text of all exports, with the figures of this one: bits, memory, stack, parameters, and
/// rows of the run that made it; `stimulus` is the path of the first stimulus, empty when there is none.
std::string readme(const PlannedNetwork& network,
                   const std::vector<std::pair<std::string, std::string>>& about,
                   const std::string& stimulus);

/// Text from outside in a cell of a table of Markdown, as code: nothing in it is Markdown.
std::string markdown_code(const std::string& text);

/// The first example of README.md: the lines of a program that call the network.
std::string call_example(const PlannedNetwork& network);

/// Bytes of all weights, or of all biases and factors.
int64_t parameter_bytes(const PlannedNetwork& network, bool weights);

}  // namespace n2d2::targets::cpp
