// How does a network learn? Batches in, weights changed in the graph, and a report at every interval.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "n2d2/compute/executor.hpp"
#include "n2d2/data/confusion_matrix.hpp"
#include "n2d2/data/target.hpp"
#include "n2d2/graph/graph.hpp"
#include "n2d2/training/evaluate.hpp"
#include "n2d2/training/sample_source.hpp"
#include "n2d2/training/solver.hpp"

namespace n2d2::training {

/// A weight, bias or scale that learns. Constants that are not listed keep their values.
struct LearntConstant {
  graph::ValueId value;
  std::unique_ptr<Solver> solver;
};

struct TrainerOptions {
  uint64_t seed = 0;
  compute::Backend backend = compute::Backend::OneDnn;
  int64_t batch_size = 1;      ///< stimuli a batch; the last one of an epoch may be smaller
  int64_t window = 10000;      ///< `-ws`: stimuli of the running success rate
  int64_t report = 100;        ///< `-report`: stimuli between calls of progress
  double report_seconds = 1;   ///< at most one call of progress in so many seconds
  int64_t log_stimuli = 1000;  ///< `-log`: stimuli between logs of learn_stimuli
  int64_t log_epochs = 1;      ///< `-log-epoch`: epochs between logs of learn_epochs, 0: only the last
  int stop_valid = 0;  ///< `-stop-valid`: end after so many validations without a better one, 0: never
  data::Metric metric = data::Metric::Sensitivity;  ///< `-valid-metric`: decides which validation is best
  /// Layers with BackPropagate=0: no gradient passes to what feeds them (spec layers 1).
  std::vector<graph::NodeId> gradient_stops;
  bool time_primitives = false;  ///< counts seconds_in_primitives()
};

struct Progress {
  int64_t done = 0, total = 0;  ///< stimuli
  double per_second = 0;        ///< stimuli
  double seconds_left = 0;
  double success = 0;  ///< rate in [0,1] of the first target over the last `window` stimuli
  double loss = 0;     ///< mean over the batch
};

struct Validation {
  data::Score score;         ///< of the first target over the whole partition
  double metric = 0;         ///< macro average of TrainerOptions::metric
  bool is_best = false;      ///< above every earlier one; the first is
  double best = 0;           ///< the highest so far, this one included
  int without_progress = 0;  ///< validations since the best
};

/// One log: where the caller writes files. Save the weights when there is no validation or it is the best.
struct LogPoint {
  int64_t done = 0, total = 0;            ///< stimuli
  int64_t epoch = 0;                      ///< epochs done (learn_epochs)
  bool is_last = false;                   ///< the run is over, by its length or by early stop
  const data::Score* learning = nullptr;  ///< first target, since the previous log
  std::optional<Validation> validation;   ///< when there is a Validation partition (never with log_epochs 0)
};

struct TrainerCallbacks {
  std::function<void(const Progress&)> progress;
  /// While a validation runs: samples done and in all.
  std::function<void(int64_t done, int64_t total)> validating;
  std::function<void(const LogPoint&)> log;
};

struct RunResult {
  int64_t stimuli = 0;
  int64_t updates = 0;
  bool stopped_early = false;
  std::optional<double> best;  ///< best validation metric
  /// Part of the time of learning, validations left out, in which it waited for the next batch.
  double waited = 0;
};

/// The same seed gives the same bytes in every weight, whatever the number of threads.
class Trainer {
 public:
  /// The graph must outlive the trainer; its structure must not change. The first target decides the success
  /// rates and the best validation (spec cli 3). ModelError when a gradient stop cuts only some of the paths
  /// from a learnt constant to the losses.
  Trainer(graph::Graph& graph, std::vector<LearntConstant> learnt, std::vector<TrainingTarget> targets,
          TrainerOptions options, TrainerCallbacks callbacks = {});
  ~Trainer();
  Trainer(Trainer&&) noexcept;

  /// One batch forward, backward, update. N,C,H,W float32 and N label ids. `index` keys random numbers.
  /// Returns the loss summed over the batch and all targets. ModelError when it is not finite.
  double step(const Tensor& batch, std::span<const int> labels, uint64_t index);

  /// `-learn-epoch`: every sample of Learn once an epoch, in an order that depends on (seed, epoch).
  /// ConfigError when there is no sample to learn from.
  RunResult learn_epochs(const SampleSource& source, int64_t epochs);
  /// `-learn`: this many stimuli, drawn with replacement; the last batch is cut to size.
  RunResult learn_stimuli(const SampleSource& source, int64_t stimuli);

  /// Scores of all targets over a partition in inference mode.
  std::vector<data::Score> evaluate(const SampleSource& source, data::Partition partition);

  const std::vector<LearntConstant>& learnt() const;
  /// What the solver of learnt()[i] remembers.
  const SolverState& state(size_t i) const;
  /// compute::Executor::seconds_in_primitives of the executor that learns.
  double seconds_in_primitives() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace n2d2::training
