// Which channels waste the integers of a value that they share with larger ones?
#pragma once

#include "n2d2/graph/graph.hpp"
#include "n2d2/quantize/calibrate.hpp"
#include "n2d2/quantize/options.hpp"

namespace n2d2::quantize {

/// Multiplies channels that stay small by a factor f, in the layer that makes them, and divides the weights
/// that read them by it: the float function stays what it is on the samples of `ranges`, and small channels
/// get more of the integers of their value. Channels that a sum, a concatenation, a pool, a Padding, a
/// Reshape or a Scaling ties together share their factor; those that leave the network, enter it, or are read
/// by anything else keep 1, as do values and weights that came with a scale.
///
/// Before, a channel whose weights move it by less than 2^-20 of its bias, whatever it reads within the
/// ranges, loses them:
/// it is a bias.
///
/// Factors of a set of tied values are r^-a, at most 32, r the channel's reach against that of its value.
/// Reach is the largest magnitude to be expected of 1000 samples, from the largest of each sample that was
/// seen: few samples leave room for others.
/// Where channels are so far above the one in the middle that 32 does not bridge it, they may come down to it
/// instead, and r is then the reach against that channel's.
/// a out of 0, 0.1, .. 1 is the one with the least noise at the layers that read the set: rounding of the
/// values, T^2 / f^2 per channel, against rounding of weights, whose largest is that of W / f. A depthwise
/// layer has a weight scale for each channel, so that all of its channels get the full range.
///
/// A Rectifier with a bound clips at the bound times the factor of the channels that reach it; what other
/// channels have beyond their reach is clipped, too, as it would be by a threshold.
/// Returns the number of values with factors other than 1. Source: Xiao et al. 2022 (SmoothQuant), for tied
/// channels.
int equalize_channels(graph::Graph& graph, const Ranges& ranges, const Options& options);

}  // namespace n2d2::quantize
