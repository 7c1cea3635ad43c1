// Do oneDNN and the operators' own loops compute the same? Forward and backward, on one network.
#pragma once

#include "compute/network.hpp"

namespace n2d2::compute::testing {

/// Compares output and parameter gradients of the two backends on `samples` drawn samples, training and not. The
/// default is a whole block and a short one.
void expect_agreement(const Network& network, int64_t samples = 19);

}  // namespace n2d2::compute::testing
