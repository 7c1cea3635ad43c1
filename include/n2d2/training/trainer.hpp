// How does a network learn? Batches in, weights changed in the graph, and a report at every interval.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "n2d2/compute/executor.hpp"
#include "n2d2/data/confusion_matrix.hpp"
#include "n2d2/data/target.hpp"
#include "n2d2/graph/graph.hpp"
#include "n2d2/training/evaluate.hpp"
#include "n2d2/training/sample_source.hpp"
#include "n2d2/training/solver.hpp"
#include "n2d2/training/weight_quantizer.hpp"

namespace n2d2::training {

/// A weight, bias or scale that learns. Constants that are not listed keep their values.
struct LearntConstant {
  graph::ValueId value;
  std::unique_ptr<Solver> solver;
  /// Where there is one, the constant of the graph is the master: the network computes with quantized values.
  std::unique_ptr<WeightQuantizer> quantizer = nullptr;
  std::unique_ptr<Solver> step_solver = nullptr;  ///< of the steps of the quantizer; null: they stay
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
  /// Layers with BackPropagate=0: no gradient passes to what feeds them.
  std::vector<graph::NodeId> gradient_stops;
  /// What is validated, made of the network as it has learnt so far; nothing: the network itself.
  std::function<std::optional<Scored>()> validated = {};
  bool time_primitives = false;  ///< counts seconds_in_primitives()
  bool time_nodes = false;       ///< counts node_times()
  /// Whose ranks learn from each batch together. They have equal weights at all times.
  const cluster::Cluster* cluster = &cluster::alone();
};

/// Means over the stimuli between two logs.
struct Interval {
  int64_t stimuli = 0, scored = 0;
  double loss_sum = 0, success_sum = 0;
  /// Each 0 without stimuli.
  double loss() const { return stimuli > 0 ? loss_sum / static_cast<double>(stimuli) : 0; }
  double success() const { return scored > 0 ? success_sum / static_cast<double>(scored) : 0; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// A log of the run, for its learning curve.
struct CurvePoint {
  int64_t done = 0, epoch = 0;
  double loss = 0;                   ///< mean since the log before
  double success = 0;                ///< rate in [0,1] of the first target, likewise
  std::optional<double> validation;  ///< Validation::metric
  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

/// What a learning run is at after a batch: with the graph's structure, the options and the samples,
/// everything that the rest of the run depends on.
struct TrainerState {
  uint64_t next_step = 0;   ///< batches done; keys what is random in layers
  uint64_t next_epoch = 0;  ///< portions of samples done; keys their order and what is random in them
  int64_t done = 0;         ///< stimuli
  int64_t epoch = 0;        ///< epochs done (learn_epochs)
  int64_t in_portion = 0;   ///< stimuli done of the open portion
  int64_t logged = 0;       ///< stimuli done at the last log
  std::optional<double> best;
  int without_progress = 0;
  std::vector<float> window;  ///< successes of the running rate, oldest first
  Interval interval;          ///< since the last log
  std::vector<CurvePoint> curve;
  /// A constant of float values; `best` is its value at the best validation, empty when there was none.
  struct Constant {
    std::string name;
    Tensor now, best;
    friend bool operator==(const Constant&, const Constant&) = default;
  };
  /// What the masters of a constant are quantized with, or the bound of an activation's step.
  struct Quantizer {
    std::string name;  ///< of the constant
    QuantizerState now, best;
    SolverState step_solver;
    friend bool operator==(const Quantizer&, const Quantizer&) = default;
  };
  std::vector<Constant> constants;    ///< all of the graph, in their order; masters where they are quantized
  std::vector<SolverState> solvers;   ///< of each learnt constant
  std::vector<Quantizer> quantizers;  ///< of the learnt constants that have one, and of activations' steps
  friend bool operator==(const TrainerState&, const TrainerState&) = default;
};

struct Progress {
  int64_t done = 0, total = 0;    ///< stimuli
  int64_t epoch = 0, epochs = 0;  ///< the epoch that is learnt, from 1, of how many; 0 in learn_stimuli
  double per_second = 0;          ///< stimuli
  double seconds_left = 0;
  double success = 0;  ///< rate in [0,1] of the first target over the last `window` stimuli
  double loss = 0;     ///< mean over the batch
};

struct Validation {
  data::Score score;         ///< of the first target over the whole partition
  double metric = 0;         ///< macro average of TrainerOptions::metric
  bool is_best = false;      ///< better than every earlier one; the first is
  double best = 0;           ///< the best so far, this one included
  int without_progress = 0;  ///< validations since the best
};

/// One log: where the caller writes files. Save the weights when there is no validation or it is the best.
struct LogPoint {
  int64_t done = 0, total = 0;                     ///< stimuli
  int64_t epoch = 0;                               ///< epochs done (learn_epochs)
  bool is_last = false;                            ///< the run is over, by its length or by early stop
  const data::Score* learning = nullptr;           ///< first target, since the previous log
  const std::vector<CurvePoint>* curve = nullptr;  ///< every log of the run, this one last
  std::optional<Validation> validation;  ///< when there is a Validation partition (never with log_epochs 0)
};

struct TrainerCallbacks {
  std::function<void(const Progress&)> progress;
  /// While a validation runs: samples done and in all.
  std::function<void(int64_t done, int64_t total)> validating;
  std::function<void(const LogPoint&)> log;
  /// Asked after each batch, also of a validation: true ends the run there. A validation that was not over
  /// counts for nothing: it is made again when the run continues.
  std::function<bool()> wants_stop = {};
};

struct RunResult {
  int64_t stimuli = 0;
  int64_t updates = 0;
  bool stopped_early = false;
  bool interrupted = false;    ///< by wants_stop
  std::optional<double> best;  ///< best validation metric
  /// Part of the time of learning, validations left out, in which it waited for the next batch.
  double waited = 0;
};

/// The loss of a batch is not finite any more.
class Diverged : public ModelError {
 public:
  using ModelError::ModelError;
};

/// Samples of the Learn partition; ConfigError when there are none.
int64_t require_learn_samples(const SampleSource& source);
/// Batches of a run of learn_epochs; the last one of each epoch may be smaller.
int64_t batches_of_epochs(int64_t stimuli, int64_t batch_size, int64_t epochs);

/// Trains the learnt constants of a graph. Equal seeds give equal bytes in every weight, whatever the number
/// of threads, and of ranks that learn together: each of them reads its share of each batch, calls the same
/// functions and has all weights, scores and logs.
class Trainer {
 public:
  /// The graph must outlive the trainer; its structure must not change. Steps of activation quantizers that
  /// are not there yet follow from the first batch. The first target decides the success
  /// rates and the best validation. ModelError when a gradient stop cuts only some of the paths
  /// from a learnt constant to the losses.
  Trainer(graph::Graph& graph, std::vector<LearntConstant> learnt, std::vector<TrainingTarget> targets,
          TrainerOptions options, TrainerCallbacks callbacks = {});
  ~Trainer();
  Trainer(Trainer&&) noexcept;

  /// One batch forward, backward, update. N,C,H,W float32 and N label ids. `index` keys random numbers.
  /// Returns the loss summed over the batch and all targets. Diverged when it is not finite. InternalError on
  /// one of several ranks.
  double step(const Tensor& batch, std::span<const int> labels, uint64_t index);
  /// Returns the losses of the last step: for each target, the loss summed over the batch.
  const std::vector<double>& losses() const;

  /// `-learn-epoch`: every sample of Learn once an epoch, in an order that depends on (seed, epoch).
  /// ConfigError when there is no sample to learn from.
  RunResult learn_epochs(const SampleSource& source, int64_t epochs);
  /// `-learn`: this many stimuli, drawn with replacement; the last batch is cut to size.
  RunResult learn_stimuli(const SampleSource& source, int64_t stimuli);

  /// Where the run is: within the log callback and after a run. The figures that LogPoint::learning has of a
  /// part of an interval are not part of it.
  TrainerState state() const;
  /// The next run continues from there, to the bytes it would have had. InternalError when the state has
  /// other constants than the graph or other learnt ones.
  void resume(TrainerState state);
  /// The constants get the values that they had at the best validation; nothing without one.
  void take_best();

  /// Scores of all targets over a partition in inference mode.
  std::vector<data::Score> evaluate(const SampleSource& source, data::Partition partition);

  const std::vector<LearntConstant>& learnt() const;
  /// What the solver of learnt()[i] remembers.
  const SolverState& solver_state(size_t i) const;
  /// compute::Executor::seconds_in_primitives of the executor that learns.
  double seconds_in_primitives() const;
  /// compute::Executor::node_times, likewise.
  compute::NodeTimes node_times() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace n2d2::training
