// How large is the network? Parameters and multiplications of each layer, as a table.
#pragma once

#include <filesystem>

#include "n2d2/loader/network.hpp"

namespace n2d2::app {

/// A line for each node: name, type, output C x H x W, parameters, multiply-accumulates a stimulus; then sums.
void write_statistics(const loader::Network& net, const std::filesystem::path& path);

}  // namespace n2d2::app
