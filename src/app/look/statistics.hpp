// How large is the network? Parameters and multiplications of each layer, as a table.
#pragma once

#include <filesystem>

#include "n2d2/loader/network.hpp"

namespace n2d2::app {

/// Elements of the node's weights and other parameters; weights that a connection table does not use count as
/// well.
int64_t parameters_of(const graph::Graph& graph, const graph::Node& node);
/// Products of a weight and a value for one stimulus; connections that do not exist are not counted.
int64_t products_of(const graph::Graph& graph, const graph::Node& node);

/// A line for each node: name, type, output C x H x W, parameters, multiply-accumulates a stimulus; then
/// sums.
void write_statistics(const loader::Network& net, const std::filesystem::path& path);

}  // namespace n2d2::app
