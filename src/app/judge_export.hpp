// Do the kernels of an export compute what the network means?
#pragma once

#include "n2d2/compute/judge.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/targets/target.hpp"

namespace n2d2::app {

/// Multiply-accumulates that the judge spends on an export, unless one sample takes more: some seconds of its plain loops.
inline constexpr int64_t kMostJudgedMacs = 8'000'000'000;

/// Runs the first samples (JudgeSamples; fewer where they would take more than kMostJudgedMacs, but one at least) and one of random
/// values through the judge and through what was built, layer by layer, and says how many values of how many layers are equal. A
/// build whose layers are the judge's own, or JudgeSamples=0, is a notice. InternalError naming the first layer and element that
/// differ.
void judge_export(const loader::Network& net, const compute::Judge& judge, const targets::Build& build,
                  int samples);

}  // namespace n2d2::app
