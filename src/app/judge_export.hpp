// Do the kernels of an export compute what the network means?
#pragma once

#include "n2d2/compute/judge.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/targets/target.hpp"

namespace n2d2::app {

/// Multiply-accumulates that the judge spends on an export, unless one sample takes more: some seconds of its
/// plain loops.
inline constexpr int64_t kMostJudgedMacs = 8'000'000'000;

/// What was found equal; layers 0: nothing was judged.
struct JudgedExport {
  size_t layers = 0, samples = 0;  ///< one of random values is not among the samples
  int64_t values = 0;
  bool has_integers = false;
};

/// Runs the first samples of those that calibrate and one of random values through the judge and through what
/// was built, layer by layer, and says how many values of how many layers are equal. `samples` is
/// JudgeSamples; fewer are run where they would take more than kMostJudgedMacs, but one at least.
/// JudgeSamples=0 and samples that cannot be read are notices. A build without layers() is not judged.
/// InternalError names the first layer and element that differ.
JudgedExport judge_export(const loader::Network& net, const compute::Judge& judge,
                          const targets::Build& build, int samples);

}  // namespace n2d2::app
