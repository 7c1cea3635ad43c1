// How does help show keys?
#pragma once

#include <string>
#include <vector>

#include "n2d2/base/fields.hpp"

namespace n2d2::app {

/// Two lines a key: name, kind and bounds, default; help.
std::string key_table(const std::vector<FieldHelp>& fields);

}  // namespace n2d2::app
