// Which names does ActivationFunction take, and which parameters have they?
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace n2d2::loader {

/// In alphabetical order.
std::vector<std::string> activation_names();
/// "ActivationFunction.Alpha" ... of one activation; of all for the empty name.
std::vector<std::string> activation_keys(std::string_view name);

}  // namespace n2d2::loader
