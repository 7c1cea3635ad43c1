// How does a network become a project with the forms that are the fastest on this machine?
#pragma once

#include <vector>

#include "n2d2/targets/cpp/project.hpp"
#include "n2d2/targets/target.hpp"

namespace n2d2::targets::cpp {

/// As prepare(), with Options::timed of what was measured here or stands in the file (tuning.hpp).
/// ConfigError: the Target is another machine, the file is none of -tune. ExportError: a trial cannot be
/// compiled or run.
Project prepare_tuned(const graph::Graph& graph, const std::vector<Output>& outputs, Options options,
                      const Tuning& tuning);

}  // namespace n2d2::targets::cpp
