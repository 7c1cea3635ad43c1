// How does a sum become part of the convolution before it?
#pragma once

#include "n2d2/program/peephole.hpp"

namespace n2d2::targets::cpp {

/// A conv2d, and behind it the sum of its output and one other map, become one call of conv2d_sum: the same bytes of
/// the sum, none of the convolution, whose cell is gone. Both run as a whole, and the convolution's output is read by
/// the sum alone: it neither leaves the program nor lies in another map. A convolution with rows of biases stays apart.
program::Combiner combine_sums();

/// Whether a call is one of conv2d_sum; its node is the sum.
bool is_combined_sum(const program::Call& call);
/// The node of its convolution.
graph::NodeId convolution_of(const program::Program& program, const program::Call& call);

}  // namespace n2d2::targets::cpp
