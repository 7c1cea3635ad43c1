// Which learning rate would this network learn with? `-find-lr`
#pragma once

#include <string>

#include "n2d2/loader/network.hpp"
#include "n2d2/training/rate_sweep.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// Learns from `-find-lr` stimuli while the rate grows. For each target `find_lr_<target>.dat`, `.svg` and
/// `.png`; the first one gives the rate that is suggested. Nothing else is written, and the network is as it
/// was. ConfigError for less than two batches.
void find_rate(const loader::Network& net, const Options& options);

/// A line a batch: stimuli before it, rate, loss, mean of neighbouring losses.
std::string rates_text(const training::RateSweep& sweep, const training::RateCurve& curve);

/// Where the sweep ended early, and the rate that is suggested or why none is.
std::string suggestion_text(const training::RateSweep& sweep, const training::RateCurve& curve);

}  // namespace n2d2::app
