// Which target does the name of an export mean, and how does it read its parameters?
#pragma once

#include <memory>
#include <string>

#include "n2d2/targets/target.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// The target that `-export` names, or the one that -calibOnly quantizes for, with the parameters of
/// `-export-parameters` read: everything about an export that can be judged before any work is done.
/// ConfigError: no such target (those that are there are listed), wrong parameters, each with its place; keys
/// that only another target reads say so.
std::unique_ptr<const targets::Export> configure_export(const Options& options);

/// Types of N2D2 that are not supported.
std::vector<std::string> other_export_types();

/// What a type of export is and which parameters it reads. ConfigError: there is none of that name.
std::string export_help(const std::string& type);

}  // namespace n2d2::app
