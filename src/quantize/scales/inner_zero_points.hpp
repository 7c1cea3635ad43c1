// Which values inside a network have a zero point?
#pragma once

#include "assign_scales.hpp"

namespace n2d2::quantize {

/// Gives values of both signs that what makes and what reads them can shift (refuses_zero_point()) the grid
/// of 256 integers over [lo, hi] that errs least on the calibration histogram, where it errs clearly less
/// than the symmetric grid that they have.
///
/// A value that only a table reads, such as what comes before a LeakyRectifier, is judged by what the table
/// makes of it. Where that takes the steps of its input, the table rounds nothing anew as long as the
/// function is the identity.
///
/// A rectifier that leaks becomes a PRelu for it, whose integers are those of a table.
///
/// Without effect unless options.zero_points and options.effort are set.
void place_inner_zero_points(graph::Graph& graph, const Ranges& ranges, const Options& options,
                             Scales& scales);

}  // namespace n2d2::quantize
