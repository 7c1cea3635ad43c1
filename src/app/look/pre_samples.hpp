// What becomes of one stimulus on its way to the network? `-pre-samples`
#pragma once

#include "n2d2/loader/network.hpp"

namespace n2d2::app {

/// The Learn stimulus with this id in the database, as the first epoch of learning sees it:
/// `pre_samples_<id>/` gets a picture (.png) and its values (.npy; 1,C,H,W) as stored, after each
/// transformation, and as the network's input, and `steps.txt`, a line for each. The folder is replaced.
/// ConfigError when Learn has no such stimulus.
void write_pre_samples(const loader::Network& net, int64_t id, const std::filesystem::path& below = {});

}  // namespace n2d2::app
