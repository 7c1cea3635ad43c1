// Does the network learn by the gradients of what it computes? `-check`
#pragma once

#include "n2d2/loader/network.hpp"
#include "n2d2/training/gradient_check.hpp"

namespace n2d2::app {

/// Checks the gradients of every layer that learns on samples that the first epoch begins with, and prints
/// them. ModelError with each that is off by more than training::kGradientTolerance, and no InternalError:
/// whose operator that is, ours or a module's, is not known here, and rounding of extreme values is not
/// excluded.
void check_gradients(const loader::Network& net);

/// A line for each gradient, and the largest deviation.
std::string gradients_text(const training::GradientCheck& check, int64_t samples);

/// ModelError with each gradient that is wrong.
void refuse_wrong(const training::GradientCheck& check);

}  // namespace n2d2::app
