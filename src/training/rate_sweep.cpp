#include "n2d2/training/rate_sweep.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "n2d2/base/progress.hpp"
#include "n2d2/data/batch_loader.hpp"

namespace n2d2::training {

namespace {

/// A constant's solver, and its rate as a share of the largest.
struct SharedRate {
  Solver* solver;
  double share;
};

std::vector<SharedRate> shared_rates(const std::vector<LearntConstant>& learnt) {
  double largest = 0;
  for (const LearntConstant& constant : learnt) largest = std::max(largest, constant.solver->base_rate());
  std::vector<SharedRate> out;
  for (const LearntConstant& constant : learnt)
    if (!constant.solver->is_frozen())
      out.push_back({constant.solver.get(), constant.solver->base_rate() / largest});
  return out;
}

double swept_rate(int64_t done, int64_t last) {
  const double way = std::min(1.0, static_cast<double>(done) / static_cast<double>(last));
  return kLeastSweptRate * std::pow(kLargestSweptRate / kLeastSweptRate, way);
}

/// Slope of the means over the logarithm of the rate, by the points a reach away on either side.
double slope_at(const RateCurve& curve, size_t point) {
  const auto reach = static_cast<size_t>(curve.reach);
  const size_t left = point - std::min(point, reach), right = std::min(curve.means.size() - 1, point + reach);
  return (curve.means[right] - curve.means[left]) / std::log(curve.rates[right] / curve.rates[left]);
}

}  // namespace

RateSweep sweep_rates(graph::Graph& graph, std::vector<LearntConstant> learnt,
                      std::vector<TrainingTarget> targets, const TrainerOptions& options,
                      const SampleSource& source, int64_t stimuli) {
  const int64_t size = require_learn_samples(source), batch_size = options.batch_size;
  N2D2_CHECK(stimuli >= 2 * batch_size, "a sweep over {} stimuli in batches of {}", stimuli, batch_size);
  const std::vector<SharedRate> rates = shared_rates(learnt);
  Trainer trainer(graph, std::move(learnt), std::move(targets), options);
  RateSweep sweep;
  progress::Task task("Sweeping the learning rate", stimuli, "stimuli");
  int64_t done = 0;
  uint64_t index = 0;
  for (uint64_t epoch = 0; done < stimuli; ++epoch) {
    std::vector<int64_t> order = data::shuffled_order(size, options.seed, epoch);
    order.resize(static_cast<size_t>(std::min(size, stimuli - done)));
    const auto stream = source.open(data::Partition::Learn, std::move(order), batch_size, epoch);
    for (data::Batch batch; stream->next(batch);) {
      const double rate = swept_rate(done, stimuli - batch_size);
      for (const SharedRate& one : rates) one.solver->fix_rate(rate * one.share);
      try {
        trainer.step(batch.data, batch.labels, index++);
      } catch (const Diverged&) {
        sweep.diverged_at = rate;
        return sweep;
      }
      RatePoint point{done, rate, trainer.losses()};
      const int64_t samples = batch.data.shape().n();
      for (double& loss : point.losses) loss /= static_cast<double>(samples);
      sweep.points.push_back(std::move(point));
      done += samples;
      task.at(done, [&] { return fmt::format("rate {:.3g}", rate); });
    }
  }
  return sweep;
}

namespace {

/// Mean of the losses of a point and of `reach` ones on either side.
std::vector<double> means_of(const std::vector<double>& losses, size_t reach) {
  std::vector<double> means;
  for (size_t i = 0; i < losses.size(); ++i) {
    const size_t first = i - std::min(i, reach), end = std::min(losses.size(), i + reach + 1);
    double sum = 0;
    for (size_t k = first; k < end; ++k) sum += losses[k];
    means.push_back(sum / static_cast<double>(end - first));
  }
  return means;
}

/// Whether the means fall to the least by more than losses scatter around them.
bool falls_clearly(const RateCurve& curve) {
  constexpr double kClear = 4;  // standard deviations of a mean
  if (curve.least == 0) return false;
  double squares = 0;
  for (size_t i = 0; i < curve.least; ++i)
    squares += (curve.losses[i] - curve.means[i]) * (curve.losses[i] - curve.means[i]);
  const double variance = squares / static_cast<double>(curve.least);
  const double deviation = std::sqrt(variance / static_cast<double>(2 * curve.reach + 1));
  return curve.means.front() - curve.means[curve.least] > kClear * deviation;
}

}  // namespace

RateCurve rate_curve(const RateSweep& sweep, size_t target) {
  constexpr size_t kMeansOfSweep = 10, kFewest = 2;  // so many means without common points; on a side
  RateCurve curve;
  for (const RatePoint& point : sweep.points) {
    curve.rates.push_back(point.rate);
    curve.losses.push_back(point.losses.at(target));
  }
  const size_t reach = std::max(kFewest, curve.losses.size() / (2 * kMeansOfSweep));
  curve.reach = static_cast<int64_t>(reach);
  curve.means = means_of(curve.losses, reach);
  curve.least =
      static_cast<size_t>(std::min_element(curve.means.begin(), curve.means.end()) - curve.means.begin());
  if (!falls_clearly(curve)) return curve;
  double steepest = 0;
  for (size_t i = reach; i < curve.least; ++i)  // means of fewer losses are too rough
    if (const double slope = slope_at(curve, i); slope < steepest) {
      steepest = slope;
      curve.steepest = i;
    }
  return curve;
}

}  // namespace n2d2::training
