// Which input shapes are wrong for an operator, and how is that said? Messages only; the graph adds the node.
#pragma once

#include <span>
#include <string_view>

#include "n2d2/tensor/shape.hpp"

namespace n2d2::ops {

/// ModelError "expected 2 or 3 inputs, got 1" unless least <= in.size() <= most.
void expect_inputs(std::span<const Shape> in, size_t least, size_t most);

/// ModelError unless input `slot` is N,C,H,W with extents of at least 1.
void expect_map(std::span<const Shape> in, size_t slot);

/// ModelError "biases have shape 3, expected 4" unless input `slot`, a parameter, has this shape.
void expect_parameter(std::span<const Shape> in, size_t slot, std::string_view role, const Shape& expected);

/// expect_inputs(in, 1, 1) and expect_map(in, 0): what operators on one map ask. Returns the shape.
const Shape& expect_one_map(std::span<const Shape> in);

/// ModelError "Stride is 0, expected at least 1" unless value >= least.
void expect_at_least(std::string_view field, int64_t value, int64_t least);
/// ModelError "Stride is 9, expected at most 8" unless value <= most.
void expect_at_most(std::string_view field, int64_t value, int64_t most);

}  // namespace n2d2::ops
