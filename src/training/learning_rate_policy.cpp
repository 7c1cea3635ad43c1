#include "learning_rate_policy.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "n2d2/base/error.hpp"

namespace n2d2::training {

bool counts_steps(LearningRatePolicy policy) {
  switch (policy) {
    case LearningRatePolicy::StepDecay:
    case LearningRatePolicy::ExponentialDecay:
    case LearningRatePolicy::InvTDecay:
    case LearningRatePolicy::CosineDecay:
      return true;
    case LearningRatePolicy::None:
    case LearningRatePolicy::PolyDecay:
    case LearningRatePolicy::InvDecay:
      break;
  }
  return false;
}

bool needs_max_iterations(LearningRatePolicy policy) {
  return policy == LearningRatePolicy::PolyDecay || policy == LearningRatePolicy::CosineDecay;
}

namespace {

double cosine(const RateSchedule& s, int64_t steps) {
  const auto warm = static_cast<double>(s.warm_up_duration);
  const auto t = static_cast<double>(std::min(steps, s.max_iterations));
  if (t < warm) return s.warm_up_fraction + (1 - s.warm_up_fraction) * t / warm;
  const double length = static_cast<double>(s.max_iterations) - warm;
  const double phase = length > 0 ? (t - warm) / length : 1;
  return std::max(0.0, s.min_decay + (1 - s.min_decay) * 0.5 * (1 + std::cos(std::numbers::pi * phase)));
}

}  // namespace

double rate_factor(const RateSchedule& s, int64_t updates, int64_t iteration_size, int64_t batch_size) {
  N2D2_CHECK(!counts_steps(s.policy) || s.step_size > 0, "a stepped learning rate policy needs a step size");
  N2D2_CHECK(!needs_max_iterations(s.policy) || s.max_iterations > 0,
             "the learning rate policy needs a number of iterations");
  // A cosine counts its length in steps, which may be far fewer than updates: cosine() saturates those.
  const bool saturates = s.max_iterations > 0 && s.policy != LearningRatePolicy::CosineDecay;
  const int64_t k = saturates ? std::min(updates, s.max_iterations) : updates;
  const int64_t steps = counts_steps(s.policy) ? k * iteration_size * batch_size / s.step_size : 0;
  const auto t = static_cast<double>(steps);
  switch (s.policy) {
    case LearningRatePolicy::StepDecay:
      return std::pow(s.decay, t);
    case LearningRatePolicy::ExponentialDecay:
      return std::exp(-s.decay * t);
    case LearningRatePolicy::InvTDecay:
      return 1 / (1 + s.decay * t);
    case LearningRatePolicy::PolyDecay:
      return std::pow(1 - static_cast<double>(k) / static_cast<double>(s.max_iterations), s.power);
    case LearningRatePolicy::InvDecay:
      return std::pow(1 + s.decay * static_cast<double>(k), -s.power);
    case LearningRatePolicy::CosineDecay:
      return cosine(s, steps);
    case LearningRatePolicy::None:
      break;
  }
  return 1;
}

}  // namespace n2d2::training
