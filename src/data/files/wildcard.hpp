// Does a name fit a mask with wildcards?
#pragma once

#include <string_view>

namespace n2d2::data {

/// '*' stands for any number of characters, each character of `single` for exactly one.
bool fits(std::string_view mask, std::string_view name, std::string_view single = "?");

}  // namespace n2d2::data
