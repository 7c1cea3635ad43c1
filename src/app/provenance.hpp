// Where did an export come from?
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "n2d2/loader/network.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// SHA-256 of every constant of a graph, by name, type, extents and bytes.
std::string hash_of_weights(const graph::Graph& graph);

/// SHA-256 of a list of samples: names and labels, in their order.
std::string hash_of_samples(const data::Database& database, data::Partition partition);

/// provenance.json: the program and its version, the options, the seed, and the SHA-256 of the network file,
/// of the export parameters, of the weights and of the lists of samples (names and labels, in their order).
/// No date and no folder:
/// the same files somewhere else give the same text. `weights`: hash_of_weights() of the network as it was
/// loaded or learnt.
std::string provenance(const loader::Network& net, const Options& options, const std::string& weights);

/// Rows for the README of an export: the model, and the command, with file names for paths.
std::vector<std::pair<std::string, std::string>> origin_rows(const Options& options);

}  // namespace n2d2::app
