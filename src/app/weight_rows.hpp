// What does an export say of weights of few bits, and of pruned ones?
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "n2d2/loader/network.hpp"
#include "n2d2/quantize/report.hpp"

namespace n2d2::app {

/// A layer that learnt with QWeight=Prune.
struct PrunedLayer {
  std::string name;
  int64_t zeros = 0, weights = 0;
};
/// Takes a network with the weights that its layers compute with.
std::vector<PrunedLayer> pruned_layers(const loader::Network& net);

/// Adds to the report of each pruned layer how many of its weights are 0.
void note_pruned(quantize::QuantReport& report, std::span<const PrunedLayer> pruned);

/// Rows for the console and the README: the bits of the weights of which layers, where some have fewer than
/// their bytes, and the weights that are 0, where some were pruned.
std::vector<std::pair<std::string, std::string>> weight_rows(const quantize::QuantReport& report,
                                                             std::span<const PrunedLayer> pruned);

}  // namespace n2d2::app
