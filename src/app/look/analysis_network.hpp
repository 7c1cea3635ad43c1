// Which network does an analysis look at, where an INI file asks for samples or scores that this program has
// not?
#pragma once

#include "n2d2/config/ini_document.hpp"
#include "n2d2/loader/network.hpp"

namespace n2d2::app {

/// The network of an INI file as loader::network() builds it. What keeps it from being built and is about
/// samples alone (the database, a transformation or a target is not supported, a file of theirs is not there)
/// is left out, with a notice each.
/// Wrong keys and values are errors as ever: ConfigError.
loader::Network network_without_samples(config::IniDocument ini, const loader::Options& options);

}  // namespace n2d2::app
