// Which concatenations have a zero point, and all their branches with them?
#pragma once

#include "n2d2/quantize/zero_points.hpp"

#include "grids.hpp"

namespace n2d2::quantize {

/// Whether the value is of bytes, its scale may change, it was measured, what makes it can shift it, and what
/// reads it takes that (refuses_zero_point()).
bool can_have_zero_point(const graph::Graph& graph, const Ranges& ranges, const Scales& scales,
                         graph::ValueId id, Through through);

/// Gives all that concatenations join, also with each other and through layers that move integers, one grid
/// with a zero point: where each of it can have one, and the best grid on all histograms errs clearly less
/// than the scale they share without.
void place_joined_zero_points(const graph::Graph& graph, const Ranges& ranges, const Options& options,
                              Scales& scales);

}  // namespace n2d2::quantize
