// Which learning rate suits a network? A short run in which the rate grows from far too small to far too
// large.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "n2d2/training/trainer.hpp"

namespace n2d2::training {

inline constexpr double kLeastSweptRate = 1e-6, kLargestSweptRate = 10;

/// One batch of the sweep.
struct RatePoint {
  int64_t done = 0;            ///< stimuli learnt before it
  double rate = 0;             ///< of the constants with the largest LearningRate
  std::vector<double> losses;  ///< of each target, mean over the batch, before the update with this rate
};

struct RateSweep {
  std::vector<RatePoint> points;
  /// The rate at which the loss was no number any more; the sweep ended there.
  std::optional<double> diverged_at;
};

/// Learns from `stimuli` samples, each once an epoch, while the rate grows exponentially from kLeastSweptRate
/// to kLargestSweptRate. Constants with a smaller LearningRate keep their share of the rate, those with 0
/// keep their values;
/// policies are left out. The graph's constants change. `stimuli`: at least two batches. ConfigError when
/// there are no samples to learn from.
RateSweep sweep_rates(graph::Graph& graph, std::vector<LearntConstant> learnt,
                      std::vector<TrainingTarget> targets, const TrainerOptions& options,
                      const SampleSource& source, int64_t stimuli);

/// What the losses of one target say, point by point of the sweep.
struct RateCurve {
  std::vector<double> rates, losses;
  /// Mean of the losses of a point and of `reach` ones on either side; fewer at the ends.
  std::vector<double> means;
  int64_t reach = 1;
  /// Where the means fall fastest over the logarithm of the rate, of the points before the least mean;
  /// nothing when they fall by no more than losses scatter around them.
  std::optional<size_t> steepest;
  size_t least = 0;  ///< point with the least mean
};
RateCurve rate_curve(const RateSweep& sweep, size_t target);

}  // namespace n2d2::training
