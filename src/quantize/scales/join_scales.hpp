// Which scale has each concatenation, and who brings its branches to it?
#pragma once

#include "assign_scales.hpp"

namespace n2d2::quantize {

/// From the scales of the values that have their own, those of all others: layers that move integers or
/// choose among them take over their input's, a concatenation has the largest threshold of its branches,
/// signed if one is.
///
/// Concatenations that share a branch take one scale, and a branch is made at the finest scale that a
/// concatenation wants of it, also through layers that move integers, when nobody else reads it or when its
/// step grows by no more than kMostCoarser.
/// Any other branch gets a Scaling by 1, inserted here: one for all edges on which the same value is brought
/// to the same scale. A scale that the model gave changes for nothing.
void settle_joins(graph::Graph& graph, Scales& scales);

/// sqrt(2). Of a value with step s that a concatenation wants at step t and others read as well: rounded
/// once, at t, the mean square of the error falls by s^2/12 for the concatenation, which gets it rounded at s
/// and at t otherwise, and grows by (t^2 - s^2)/12 for the others.
inline constexpr double kMostCoarser = 1.4142135623730951;

}  // namespace n2d2::quantize
