// Which share of the learning rate is left after so many updates?
#pragma once

#include <array>
#include <cstdint>

#include "n2d2/base/fields.hpp"

namespace n2d2::training {

enum class LearningRatePolicy {
  None,
  StepDecay,
  ExponentialDecay,
  InvTDecay,
  PolyDecay,
  InvDecay,
  CosineDecay
};

}  // namespace n2d2::training

template <>
struct n2d2::EnumText<n2d2::training::LearningRatePolicy> {
  static constexpr std::array names{"None",      "StepDecay", "ExponentialDecay", "InvTDecay",
                                    "PolyDecay", "InvDecay",  "CosineDecay"};
};

namespace n2d2::training {

/// Parameters of the policies, in the units of N2D2.
struct RateSchedule {
  LearningRatePolicy policy = LearningRatePolicy::None;
  int64_t step_size = 1;         ///< stimuli a step
  double decay = 0.1;            ///< d
  double power = 0;              ///< of PolyDecay and InvDecay
  int64_t max_iterations = 0;    ///< updates (PolyDecay), steps (CosineDecay); 0: not set
  int64_t warm_up_duration = 0;  ///< steps (CosineDecay)
  double warm_up_fraction = 0.25, min_decay = 0;
};

/// Whether time counts in steps of step_size stimuli: StepDecay, ExponentialDecay, InvTDecay, CosineDecay.
bool counts_steps(LearningRatePolicy policy);
/// Whether the policy cannot do without max_iterations: PolyDecay, CosineDecay.
bool needs_max_iterations(LearningRatePolicy policy);

/// rate / LearningRate after `updates` updates of `iteration_size` batches of `batch_size` stimuli each. The
/// number of updates saturates at max_iterations when that is set; for CosineDecay the number of steps does,
/// so that the rate stays where the cosine ends. InternalError when a policy that needs step_size or
/// max_iterations has 0 there.
double rate_factor(const RateSchedule& schedule, int64_t updates, int64_t iteration_size, int64_t batch_size);

}  // namespace n2d2::training
