// Which integers does a rounding of the file reach, and do they ask for a zero point?
#pragma once

#include "n2d2/graph/graph.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/passes/declared_range.hpp"
#include "n2d2/quantize/options.hpp"

namespace n2d2::quantize {

/// Steps of a FakeQuantize without those that no value reaches, given the declared range of what it rounds.
ops::FakeQuantize::Steps reachable_steps(const graph::Node& round, const passes::DeclaredRanges& ranges);

/// Whether integers without a zero point hold these steps, in signed or in unsigned integers.
bool fits(const ops::FakeQuantize::Steps& steps, const QuantParams& quant);

/// Whether a node is a FakeQuantize to a grid of bytes that neither signed nor unsigned integers without a
/// zero point hold.
bool asks_for_zero_point(const graph::Node& node, const passes::DeclaredRanges& ranges,
                         const Options& options);

/// The integers of the file, less 128 where none may be unsigned.
QuantParams integers_as_in_file(const ops::FakeQuantize& round, const Options& options);

/// Signed integers without a zero point over the same real numbers, with larger steps.
QuantParams symmetric_integers(const ops::FakeQuantize& round);

}  // namespace n2d2::quantize
