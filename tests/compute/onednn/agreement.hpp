// Do oneDNN and the operators' own loops compute the same? Forward and backward, on one network.
#pragma once

#include "compute/network.hpp"

namespace n2d2::compute::testing {

/// Largest difference, relative to the largest magnitude of the tensor: oneDNN sums in float, in another
/// order;
/// the sums here have some thousand terms.
inline constexpr double kTolerance = 2e-5;

/// A whole block and a short one.
inline constexpr int64_t kSamples = 19;

/// Compares output and parameter gradients of the two backends on `samples` drawn samples, training and not.
void expect_agreement(const Network& network, int64_t samples = kSamples, double tolerance = kTolerance);

}  // namespace n2d2::compute::testing
