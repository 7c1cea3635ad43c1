// Do oneDNN and the operators' own loops compute the same? Forward and backward, on one network.
#pragma once

#include "compute/network.hpp"

namespace n2d2::compute::testing {

/// Compares output and parameter gradients of the two backends on `samples` drawn samples, training and not.
void expect_agreement(const Network& network, int64_t samples = 11);

}  // namespace n2d2::compute::testing
