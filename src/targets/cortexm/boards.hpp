// Which parts and boards are known, with which core, clock and memories?
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "n2d2/targets/footprint.hpp"

namespace n2d2::targets::cortexm {

/// All of them, sorted by name.
std::span<const Part> boards();
/// The one that has this name, in letters of either case; null: none has.
const Part* find_board(std::string_view name);
/// "unknown part 'STM32F446'; did you mean ..." or a list of all.
std::string unknown_board(std::string_view name);
/// Whether a part has the core, whatever instructions the core does without ("m33" and "m33+nodsp").
bool has_core(const Part& part, std::string_view core);

}  // namespace n2d2::targets::cortexm
