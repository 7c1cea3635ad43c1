// Which target does the name of an export mean, and how does it read its parameters?
#pragma once

#include <memory>
#include <string>

#include "n2d2/targets/target.hpp"

#include "options.hpp"

namespace n2d2::app {

/// The target that `-export` names, with the parameters of `-export-parameters` read: everything about an export that
/// can be judged before any work is done. ConfigError: no such target (those that are there are listed), wrong
/// parameters, each with its place; keys that only another target reads say so.
std::unique_ptr<const targets::Export> configure_export(const Options& options);

/// What the targets are and which parameters they read.
std::string export_help();

}  // namespace n2d2::app
