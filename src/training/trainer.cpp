#include "n2d2/training/trainer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

#include "n2d2/base/log.hpp"
#include "n2d2/base/random.hpp"
#include "n2d2/cluster/shards.hpp"
#include "n2d2/training/first_steps.hpp"

#include "batch_loss.hpp"
#include "batch_outputs.hpp"
#include "batch_shares.hpp"
#include "equal_ranks.hpp"
#include "gradient_paths.hpp"
#include "quantized_constants.hpp"
#include "running_rate.hpp"
#include "target_classes.hpp"

namespace n2d2::training {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What one call of learn_epochs or learn_stimuli counts.
struct Run {
  int64_t done = 0, total = 0;
  int64_t epoch = 0, epochs = 0;
  int64_t in_portion = 0, logged = 0;
  int64_t begun_at = 0;  ///< stimuli that an earlier process has done
  Clock::time_point start = Clock::now(), last_report = start;
  double seconds_validating = 0, seconds_waiting = 0;
  bool stopped = false, interrupted = false;
  bool ends() const { return stopped || interrupted; }
};

/// The next batch, and how long it was waited for.
bool next(BatchShares& batches, data::Batch& batch, Run& run) {
  const Clock::time_point start = Clock::now();
  const bool is_there = batches.next(batch);
  run.seconds_waiting += seconds_since(start);
  return is_there;
}

}  // namespace

int64_t batches_of_epochs(int64_t stimuli, int64_t batch_size, int64_t epochs) {
  return (stimuli + batch_size - 1) / batch_size * epochs;
}

int64_t require_learn_samples(const SampleSource& source) {
  const int64_t size = source.size(data::Partition::Learn);
  if (size <= 0)
    throw ConfigError("learning: expected stimuli in the Learn partition, got none", {},
                      "Learn= or the paths of the [database] section");
  return size;
}

struct Trainer::Impl {
  Impl(graph::Graph& g, std::vector<LearntConstant> l, std::vector<TrainingTarget> t, TrainerOptions o,
       TrainerCallbacks c);

  double step(const Tensor& batch, std::span<const int> labels, uint64_t index, int64_t whole);
  double run(const Tensor& batch, std::span<const int> labels, uint64_t index, int64_t whole);
  void update_weights();
  void settle(int64_t batches);
  Run begin(int64_t total);
  void learn(const data::Batch& batch, int64_t samples, Run& run);
  bool learn_portion(const SampleSource& source, std::vector<int64_t> order, Run& run,
                     const std::function<void()>& after_batch = {});
  void report(Run& run, double loss, int64_t batch);
  void log(const SampleSource& source, Run& run, bool validate, bool is_last);
  std::optional<Validation> validate(const SampleSource& source, Run& run);
  const cluster::Cluster& cluster() const { return *options.cluster; }
  bool wants_stop() const { return callbacks.wants_stop && callbacks.wants_stop(); }
  void keep_best();
  RunResult result(const Run& run);

  graph::Graph& graph;
  std::vector<LearntConstant> learnt;
  std::vector<SolverState> states;
  std::vector<char> is_reached;  // of each learnt constant
  QuantizedConstants quantized;
  std::vector<TrainingTarget> targets;
  TargetClasses target_classes;
  TrainerOptions options;
  TrainerCallbacks callbacks;
  compute::Executor training, inference;

  std::vector<double> losses;  // of each target, of the last step
  uint64_t next_step = 0, next_epoch = 0;
  data::Score learning_score;
  RunningRate success;
  Interval interval;
  std::vector<CurvePoint> curve;
  std::optional<double> best;
  int without_progress = 0;
  std::vector<graph::ValueId> constants;  // of float values
  std::vector<Tensor> best_values;        // of each constant at the best validation; none without one
  /// Where the run in progress or the last one is; where the next one goes on after resume().
  Run position;
  bool is_resumed = false, is_stopped = false;  // stopped: by a rank, in the last step
};

Trainer::Impl::Impl(graph::Graph& g, std::vector<LearntConstant> l, std::vector<TrainingTarget> t,
                    TrainerOptions o, TrainerCallbacks c)
    : graph(g),
      learnt(std::move(l)),
      states(learnt.size()),
      is_reached(learnt.size()),
      quantized(g, learnt, o.batch_size),
      targets(std::move(t)),
      target_classes(g, targets),
      options(std::move(o)),
      callbacks(std::move(c)),
      training(g, {.backend = options.backend,
                   .training = true,
                   .seed = options.seed,
                   .time_primitives = options.time_primitives,
                   .time_nodes = options.time_nodes,
                   .cluster = options.cluster}),
      inference(g, {options.backend, false, options.seed}),
      learning_score(targets.empty() ? data::Target() : targets.front().target),
      success(options.window) {
  N2D2_CHECK(!targets.empty(), "learning needs a target");
  if (!cluster().is_alone()) refuse_on_ranks(graph);
  N2D2_CHECK(options.batch_size > 0 && options.report > 0 && options.log_stimuli > 0, "intervals are >= 1");
  std::vector<graph::ValueId> seeds, learning;
  for (const TrainingTarget& target : targets)
    seeds.push_back(seeded_value(graph, target.value, target.loss));
  for (const LearntConstant& constant : learnt) {
    N2D2_CHECK(constant.solver != nullptr && graph.value(constant.value).is_constant(),
               "'{}' cannot be learnt", graph.value(constant.value).name);
    if (!constant.solver->is_frozen() || (constant.step_solver && !constant.step_solver->is_frozen()))
      learning.push_back(constant.value);
  }
  const auto reached = reached_constants(graph, seeds, options.gradient_stops, learning);
  for (const graph::ValueId id : graph.values())
    if (graph.value(id).is_constant() && graph.value(id).type.dtype == DataType::F32) constants.push_back(id);
  for (size_t i = 0; i < learnt.size(); ++i)
    is_reached[i] = std::binary_search(reached.begin(), reached.end(), learnt[i].value) ? 1 : 0;
}

double Trainer::Impl::step(const Tensor& batch, std::span<const int> labels, uint64_t index, int64_t whole) {
  const double loss = run(batch, labels, index, whole);
  update_weights();
  training.absorb(graph);
  return loss;
}

/// Forward and backward of the samples of this rank, of `whole` on all of them. Returns the loss of all.
double Trainer::Impl::run(const Tensor& batch, std::span<const int> labels, uint64_t index, int64_t whole) {
  const QuantizedConstants::Scope scope(quantized);
  target_classes.set(graph, targets, labels);
  if (lacks_first_steps(graph))
    measure_first_steps(graph, whole_input(batch, cluster()), index, options.backend, options.seed);
  training.forward(batch, index, {}, whole);
  const bool stops = !cluster().is_alone() && wants_stop();
  const BatchOutputs all = whole_batch(outputs_of(training, targets, batch, labels, stops), cluster());
  is_stopped = all.stops;
  learning_score.add(all.outputs.front(), all.labels, all.seen);
  BatchLoss found = loss_of_targets(graph, targets, all,
                                    cluster::share_of_batch(whole, cluster().rank(), cluster().size()));
  losses = std::move(found.losses);
  if (!std::isfinite(found.loss))
    throw Diverged(fmt::format("learning diverged: the loss of batch {} is {}", index, found.loss), {},
                   "a lower Solvers.LearningRate, or a smaller Scaling of the fillers");
  training.backward(found.seeds);
  return found.loss;
}

void Trainer::Impl::update_weights() {
  for (size_t i = 0; i < learnt.size(); ++i) {
    if (is_reached[i] == 0) continue;
    const Tensor& gradient = training.gradient(learnt[i].value);
    if (quantized.contains(i)) {
      quantized.learn(i, gradient, states[i]);
      continue;
    }
    if (learnt[i].solver->is_frozen()) continue;
    learnt[i].solver->step(graph.mutable_constant(learnt[i].value).span(), gradient.span(),
                           options.batch_size, states[i]);
  }
}

void Trainer::Impl::settle(int64_t batches) {
  std::map<std::string, std::vector<std::string>> constants_of;
  for (const LearntConstant& constant : learnt) {
    for (Solver* solver : {constant.solver.get(), constant.step_solver.get()}) {
      const std::string settled = solver ? solver->settle(batches, options.batch_size) : "";
      if (!settled.empty()) constants_of[settled].push_back(graph.value(constant.value).name);
    }
  }
  for (const auto& [message, names] : constants_of)
    log::warn("{} ({}{})", message, names.front(),
              names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : "");
}

Run Trainer::Impl::begin(int64_t total) {
  Run run;
  if (is_resumed) {
    run = position;
    run.start = run.last_report = Clock::now();
    run.begun_at = run.done;
    run.stopped = options.stop_valid > 0 && without_progress >= options.stop_valid;
    is_resumed = false;
  }
  run.total = total;
  return run;
}

void Trainer::Impl::learn(const data::Batch& batch, int64_t samples, Run& run) {
  const auto scored = static_cast<size_t>(learning_score.samples());
  const double loss = step(batch.data, batch.labels, next_step++, samples);
  const auto& successes = learning_score.successes();
  for (size_t i = scored; i < successes.size(); ++i) {
    success.add(successes[i]);
    interval.success_sum += successes[i];
    ++interval.scored;
  }
  interval.stimuli += samples;
  interval.loss_sum += loss;
  run.done += samples;
  run.in_portion += samples;
  quantized.advance(run.done);
  report(run, loss / static_cast<double>(samples), samples);
  run.interrupted = cluster().is_alone() ? wants_stop() : is_stopped;
}

/// Learns what is left of a list of samples; whether nothing is left. The portion is done with its last
/// batch, before anything looks at the state: a position has one spelling, whoever saves it.
bool Trainer::Impl::learn_portion(const SampleSource& source, std::vector<int64_t> order, Run& run,
                                  const std::function<void()>& after_batch) {
  const auto size = static_cast<int64_t>(order.size());
  const auto ends = [&] {
    if (run.in_portion < size) return false;
    run.in_portion = 0;
    ++next_epoch;
    return true;
  };
  order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(std::min(size, run.in_portion)));
  if (order.empty()) return ends();
  BatchShares batches(source, data::Partition::Learn, std::move(order), options.batch_size, next_epoch,
                      graph.value(graph.inputs().at(0)).type.shape, cluster());
  data::Batch batch;
  bool is_done = false;
  while (!run.ends() && !is_done && next(batches, batch, run)) {
    learn(batch, batches.whole(), run);
    is_done = ends();
    if (after_batch) after_batch();
  }
  return is_done;
}

void Trainer::Impl::report(Run& run, double loss, int64_t batch) {
  const bool is_due = run.done / options.report > (run.done - batch) / options.report;
  if (!callbacks.progress || !is_due || seconds_since(run.last_report) < options.report_seconds) return;
  run.last_report = Clock::now();
  const double elapsed = std::max(1e-9, seconds_since(run.start));
  const auto done = static_cast<double>(run.done - run.begun_at);
  Progress progress;
  progress.done = run.done;
  progress.total = run.total;
  progress.epochs = run.epochs;
  progress.epoch = std::min(run.epochs, run.epoch + 1);
  progress.per_second = done / std::max(1e-9, elapsed - run.seconds_validating);
  progress.seconds_left = elapsed / done * static_cast<double>(run.total - run.done);
  progress.success = success.rate();
  progress.loss = loss;
  callbacks.progress(progress);
}

void Trainer::Impl::keep_best() {
  best_values.clear();
  for (const graph::ValueId id : constants) best_values.push_back(*graph.value(id).constant);
  quantized.keep_best();
}

/// Nothing when it was interrupted.
std::optional<Validation> Trainer::Impl::validate(const SampleSource& source, Run& run) {
  const Clock::time_point start = Clock::now();
  EvaluateProgress progress;
  if (callbacks.validating)
    progress = [this](int64_t done, int64_t total, std::span<const data::Score>) {
      callbacks.validating(done, total);
    };
  const auto scored = [&](auto&& network) {
    return training::evaluate(
        network, source, data::Partition::Validation,
        data::in_order(source.size(data::Partition::Validation)), {targets.data(), 1}, options.batch_size,
        progress, [&] { return run.interrupted = wants_stop(); }, cluster());
  };
  const auto scores_of = [&] {
    if (const auto other = options.validated ? options.validated() : std::nullopt) return scored(*other);
    const QuantizedConstants::Scope scope(quantized);
    return scored(inference);
  };
  std::vector<data::Score> scores = scores_of();
  run.seconds_validating += seconds_since(start);
  run.interrupted = cluster().any(run.interrupted);
  if (run.interrupted) return {};
  Validation found{std::move(scores.front())};
  found.metric = found.score.confusion().macro(options.metric);
  found.is_best = !best || is_better(options.metric, found.metric, *best);
  without_progress = found.is_best ? 0 : without_progress + 1;
  if (found.is_best) {
    best = found.metric;
    keep_best();
  }
  found.best = *best;
  found.without_progress = without_progress;
  return found;
}

void Trainer::Impl::log(const SampleSource& source, Run& run, bool validate_now, bool is_last) {
  LogPoint point;
  point.done = run.done;
  point.total = run.total;
  point.epoch = run.epoch;
  point.learning = &learning_score;
  if (validate_now && source.size(data::Partition::Validation) > 0) point.validation = validate(source, run);
  if (run.interrupted) return;
  run.logged = run.done;
  run.stopped = point.validation && options.stop_valid > 0 && without_progress >= options.stop_valid;
  point.is_last = is_last || run.stopped;
  curve.push_back({run.done, run.epoch, interval.loss(), interval.success(),
                   point.validation ? std::optional(point.validation->metric) : std::nullopt});
  interval = {};
  point.curve = &curve;
  position = run;
  expect_equal_ranks(cluster(), graph, states, quantized.states(), run.done);
  if (callbacks.log) callbacks.log(point);
  learning_score = data::Score(targets.front().target);
}

RunResult Trainer::Impl::result(const Run& run) {
  position = run;
  RunResult result;
  result.stimuli = run.done;
  for (const SolverState& state : states) result.updates = std::max(result.updates, state.updates);
  result.stopped_early = run.stopped && run.done < run.total;
  result.interrupted = run.interrupted;
  result.best = best;
  result.waited = run.seconds_waiting / std::max(1e-9, seconds_since(run.start) - run.seconds_validating);
  return result;
}

Trainer::Trainer(graph::Graph& graph, std::vector<LearntConstant> learnt, std::vector<TrainingTarget> targets,
                 TrainerOptions options, TrainerCallbacks callbacks)
    : impl_(std::make_unique<Impl>(graph, std::move(learnt), std::move(targets), std::move(options),
                                   std::move(callbacks))) {}
Trainer::~Trainer() = default;
Trainer::Trainer(Trainer&&) noexcept = default;

double Trainer::step(const Tensor& batch, std::span<const int> labels, uint64_t index) {
  return impl_->step(batch, labels, index, batch.shape().n());
}

const std::vector<double>& Trainer::losses() const {
  return impl_->losses;
}

RunResult Trainer::learn_epochs(const SampleSource& source, int64_t epochs) {
  Impl& self = *impl_;
  const int64_t size = require_learn_samples(source);
  self.settle(batches_of_epochs(size, self.options.batch_size, epochs));
  Run run = self.begin(size * epochs);
  run.epochs = epochs;
  const int64_t interval = self.options.log_epochs;
  self.quantized.set_log_interval(size * std::max<int64_t>(1, interval));
  while (!run.ends()) {
    const bool is_last = run.epoch >= epochs;
    const bool is_due = is_last || (interval > 0 && run.epoch % interval == 0);
    if (run.in_portion == 0 && run.done > run.logged && is_due) self.log(source, run, interval > 0, is_last);
    if (is_last || run.ends()) break;
    if (self.learn_portion(source, data::shuffled_order(size, self.options.seed, self.next_epoch), run))
      ++run.epoch;
  }
  return self.result(run);
}

RunResult Trainer::learn_stimuli(const SampleSource& source, int64_t stimuli) {
  Impl& self = *impl_;
  const int64_t size = require_learn_samples(source), batch_size = self.options.batch_size;
  self.settle((stimuli + batch_size - 1) / batch_size);
  Run run = self.begin(stimuli);
  const int64_t interval = self.options.log_stimuli;
  self.quantized.set_log_interval(interval);
  const auto log_if_due = [&] {
    const bool is_last = run.done >= stimuli;
    const bool is_due = run.done > run.logged && (is_last || run.done / interval > run.logged / interval);
    if (is_due && !run.ends()) self.log(source, run, true, is_last);
  };
  log_if_due();
  // Drawn in portions of about an epoch of whole batches, each with its own key of random transformations.
  const int64_t portion = batches_of_epochs(size, batch_size, 1) * batch_size;
  while (run.done < stimuli && !run.ends()) {
    Rng rng(self.options.seed, "stimuli drawn", self.next_epoch);
    std::vector<int64_t> order(static_cast<size_t>(std::min(portion, stimuli - run.done + run.in_portion)));
    for (int64_t& position : order) position = static_cast<int64_t>(rng.below(static_cast<uint64_t>(size)));
    self.learn_portion(source, std::move(order), run, log_if_due);
  }
  return self.result(run);
}

TrainerState Trainer::state() const {
  const Impl& self = *impl_;
  const Run& run = self.position;
  TrainerState state;
  state.next_step = self.next_step;
  state.next_epoch = self.next_epoch;
  state.done = run.done;
  state.epoch = run.epoch;
  state.in_portion = run.in_portion;
  state.logged = run.logged;
  state.best = self.best;
  state.without_progress = self.without_progress;
  state.window = self.success.values();
  state.interval = self.interval;
  state.curve = self.curve;
  state.solvers = self.states;
  state.quantizers = self.quantized.states();
  for (size_t i = 0; i < self.constants.size(); ++i) {
    const graph::Value& value = self.graph.value(self.constants[i]);
    state.constants.push_back(
        {value.name, *value.constant, self.best_values.empty() ? Tensor() : self.best_values[i]});
  }
  return state;
}

void Trainer::resume(TrainerState state) {
  Impl& self = *impl_;
  N2D2_CHECK(state.constants.size() == self.constants.size() && state.solvers.size() == self.learnt.size(),
             "a state of {} constants, {} of them learnt, for {} and {}", state.constants.size(),
             state.solvers.size(), self.constants.size(), self.learnt.size());
  self.best_values.clear();
  for (size_t i = 0; i < self.constants.size(); ++i) {
    TrainerState::Constant& constant = state.constants[i];
    const graph::Value& value = self.graph.value(self.constants[i]);
    N2D2_CHECK(constant.name == value.name && constant.now.shape() == value.type.shape,
               "'{}' of {} in the state is '{}' of {} in the graph", constant.name,
               constant.now.shape().text(), value.name, value.type.shape.text());
    self.graph.mutable_constant(self.constants[i]) = std::move(constant.now);
    if (state.best) self.best_values.push_back(std::move(constant.best));
  }
  self.states = std::move(state.solvers);
  self.quantized.restore(std::move(state.quantizers));
  self.next_step = state.next_step;
  self.next_epoch = state.next_epoch;
  self.best = state.best;
  self.without_progress = state.without_progress;
  self.success = RunningRate(self.options.window);
  for (const float success : state.window) self.success.add(success);
  self.interval = state.interval;
  self.curve = std::move(state.curve);
  self.position = Run();
  self.position.done = state.done;
  self.position.epoch = state.epoch;
  self.position.in_portion = state.in_portion;
  self.position.logged = state.logged;
  self.is_resumed = true;
}

void Trainer::take_best() {
  for (size_t i = 0; i < impl_->best_values.size(); ++i)
    impl_->graph.mutable_constant(impl_->constants[i]) = impl_->best_values[i];
  if (!impl_->best_values.empty()) impl_->quantized.take_best();
}

std::vector<data::Score> Trainer::evaluate(const SampleSource& source, data::Partition partition) {
  const QuantizedConstants::Scope scope(impl_->quantized);
  return training::evaluate(impl_->inference, source, partition, data::in_order(source.size(partition)),
                            impl_->targets, impl_->options.batch_size, {}, {}, impl_->cluster());
}

const std::vector<LearntConstant>& Trainer::learnt() const {
  return impl_->learnt;
}

const SolverState& Trainer::solver_state(size_t i) const {
  return impl_->states.at(i);
}

double Trainer::seconds_in_primitives() const {
  return impl_->training.seconds_in_primitives();
}

compute::NodeTimes Trainer::node_times() const {
  return impl_->training.node_times();
}

}  // namespace n2d2::training
