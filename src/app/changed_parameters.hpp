// What would the parameters of an export be if some had another value?
#pragma once

#include <map>
#include <memory>
#include <string>

#include "n2d2/targets/target.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// Keys of the whole export that stand for those of the file, and their values.
using ChangedParameters = std::map<std::string, std::string, std::less<>>;

/// As configure_export(), with other values.
std::unique_ptr<const targets::Export> configure_changed(const Options& options,
                                                         const ChangedParameters& changed);

}  // namespace n2d2::app
