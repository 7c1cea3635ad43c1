#include "n2d2/training/trainer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

#include "n2d2/base/log.hpp"
#include "n2d2/base/random.hpp"

#include "gradient_paths.hpp"
#include "running_rate.hpp"

namespace n2d2::training {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What one call of learn_epochs or learn_stimuli counts.
struct Run {
  int64_t done = 0, total = 0;
  int64_t epoch = 0;
  Clock::time_point start = Clock::now(), last_report = start;
  double seconds_validating = 0, seconds_waiting = 0;
  bool stopped = false;
};

/// The next batch, and how long it was waited for.
bool next(BatchStream& stream, data::Batch& batch, Run& run) {
  const Clock::time_point start = Clock::now();
  const bool is_there = stream.next(batch);
  run.seconds_waiting += seconds_since(start);
  return is_there;
}

}  // namespace

struct Trainer::Impl {
  Impl(graph::Graph& g, std::vector<LearntConstant> l, std::vector<TrainingTarget> t, TrainerOptions o,
       TrainerCallbacks c);

  double step(const Tensor& batch, std::span<const int> labels, uint64_t index);
  void update_weights();
  void settle(int64_t batches);
  int64_t require_stimuli(const SampleSource& source) const;
  void learn(const data::Batch& batch, Run& run);
  void report(Run& run, double loss, int64_t batch);
  void log(const SampleSource& source, Run& run, bool validate, bool is_last);
  Validation validate(const SampleSource& source, Run& run);
  RunResult result(const Run& run) const;

  graph::Graph& graph;
  std::vector<LearntConstant> learnt;
  std::vector<SolverState> states;
  std::vector<char> is_reached;  // of each learnt constant
  std::vector<TrainingTarget> targets;
  TrainerOptions options;
  TrainerCallbacks callbacks;
  compute::Executor training, inference;

  uint64_t next_step = 0, next_epoch = 0;
  data::Score learning_score;
  RunningRate success;
  std::optional<double> best;
  int without_progress = 0;
};

Trainer::Impl::Impl(graph::Graph& g, std::vector<LearntConstant> l, std::vector<TrainingTarget> t,
                    TrainerOptions o, TrainerCallbacks c)
    : graph(g),
      learnt(std::move(l)),
      states(learnt.size()),
      is_reached(learnt.size()),
      targets(std::move(t)),
      options(std::move(o)),
      callbacks(std::move(c)),
      training(g, {options.backend, true, options.seed, options.time_primitives}),
      inference(g, {options.backend, false, options.seed}),
      learning_score(targets.empty() ? data::Target() : targets.front().target),
      success(options.window) {
  N2D2_CHECK(!targets.empty(), "learning needs a target");
  N2D2_CHECK(options.batch_size > 0 && options.report > 0 && options.log_stimuli > 0, "intervals are >= 1");
  std::vector<graph::ValueId> seeds, constants;
  for (const TrainingTarget& target : targets)
    seeds.push_back(seeded_value(graph, target.value, target.loss));
  for (const LearntConstant& constant : learnt) {
    N2D2_CHECK(constant.solver != nullptr && graph.value(constant.value).is_constant(),
               "'{}' cannot be learnt", graph.value(constant.value).name);
    if (!constant.solver->is_frozen()) constants.push_back(constant.value);
  }
  const auto reached = reached_constants(graph, seeds, options.gradient_stops, constants);
  for (size_t i = 0; i < learnt.size(); ++i)
    is_reached[i] = std::binary_search(reached.begin(), reached.end(), learnt[i].value) ? 1 : 0;
}

double Trainer::Impl::step(const Tensor& batch, std::span<const int> labels, uint64_t index) {
  training.forward(batch, index);
  // Two targets may seed the same value; an ordered map keeps the order of addition fixed.
  std::map<graph::ValueId, Tensor> gradients;
  double loss = 0;
  std::vector<int> classes(labels.size());
  for (const TrainingTarget& target : targets) {
    std::transform(labels.begin(), labels.end(), classes.begin(),
                   [&](int label) { return target.target.class_of(label); });
    const data::TargetOptions& wanted = target.target.options();
    const Tensor output = training.read(target.value);
    LossResult found =
        compute_loss(target.loss, output, classes, {wanted.target_value, wanted.default_value});
    loss += found.loss;
    const auto [seed, fresh] =
        gradients.try_emplace(seeded_value(graph, target.value, target.loss), std::move(found.gradient));
    if (!fresh)
      for (size_t i = 0; i < seed->second.span().size(); ++i)
        seed->second.span()[i] += found.gradient.span()[i];
    if (&target == &targets.front()) learning_score.add(output, labels);
  }
  if (!std::isfinite(loss))
    throw ModelError(fmt::format("learning diverged: the loss of batch {} is {}", index, loss), {},
                     "a lower Solvers.LearningRate, or a smaller Scaling of the fillers");
  std::vector<compute::GradientSeed> seeds;
  for (auto& [value, gradient] : gradients) seeds.push_back({value, std::move(gradient)});
  training.backward(seeds);
  update_weights();
  training.absorb(graph);
  return loss;
}

void Trainer::Impl::update_weights() {
  for (size_t i = 0; i < learnt.size(); ++i) {
    if (is_reached[i] == 0 || learnt[i].solver->is_frozen()) continue;
    const Tensor& gradient = training.gradient(learnt[i].value);
    learnt[i].solver->step(graph.mutable_constant(learnt[i].value).span(), gradient.span(),
                           options.batch_size, states[i]);
  }
}

void Trainer::Impl::settle(int64_t batches) {
  std::map<std::string, std::vector<std::string>> constants_of;
  for (const LearntConstant& constant : learnt) {
    const std::string settled = constant.solver->settle(batches, options.batch_size);
    if (!settled.empty()) constants_of[settled].push_back(graph.value(constant.value).name);
  }
  for (const auto& [message, names] : constants_of)
    log::warn("{} ({}{})", message, names.front(),
              names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : "");
}

int64_t Trainer::Impl::require_stimuli(const SampleSource& source) const {
  const int64_t size = source.size(data::Partition::Learn);
  if (size <= 0)
    throw ConfigError("learning: expected stimuli in the Learn partition, got none", {},
                      "Learn= or the paths of the [database] section");
  return size;
}

void Trainer::Impl::learn(const data::Batch& batch, Run& run) {
  const auto scored = static_cast<size_t>(learning_score.samples());
  const double loss = step(batch.data, batch.labels, next_step++);
  const auto& successes = learning_score.successes();
  for (size_t i = scored; i < successes.size(); ++i) success.add(successes[i]);
  const int64_t samples = batch.data.shape().n();
  run.done += samples;
  report(run, loss / static_cast<double>(samples), samples);
}

void Trainer::Impl::report(Run& run, double loss, int64_t batch) {
  const bool is_due = run.done / options.report > (run.done - batch) / options.report;
  if (!callbacks.progress || !is_due || seconds_since(run.last_report) < options.report_seconds) return;
  run.last_report = Clock::now();
  const double elapsed = std::max(1e-9, seconds_since(run.start));
  const auto done = static_cast<double>(run.done);
  Progress progress;
  progress.done = run.done;
  progress.total = run.total;
  progress.per_second = done / std::max(1e-9, elapsed - run.seconds_validating);
  progress.seconds_left = elapsed / done * static_cast<double>(run.total - run.done);
  progress.success = success.rate();
  progress.loss = loss;
  callbacks.progress(progress);
}

Validation Trainer::Impl::validate(const SampleSource& source, Run& run) {
  const Clock::time_point start = Clock::now();
  EvaluateProgress progress;
  if (callbacks.validating)
    progress = [this](int64_t done, int64_t total, std::span<const data::Score>) {
      callbacks.validating(done, total);
    };
  auto scores = training::evaluate(inference, source, data::Partition::Validation,
                                   data::in_order(source.size(data::Partition::Validation)),
                                   {targets.data(), 1}, options.batch_size, progress);
  Validation found{std::move(scores.front())};
  found.metric = found.score.confusion().macro(options.metric);
  found.is_best = !best || found.metric > *best;
  without_progress = found.is_best ? 0 : without_progress + 1;
  if (found.is_best) best = found.metric;
  found.best = *best;
  found.without_progress = without_progress;
  run.seconds_validating += seconds_since(start);
  return found;
}

void Trainer::Impl::log(const SampleSource& source, Run& run, bool validate_now, bool is_last) {
  LogPoint point;
  point.done = run.done;
  point.total = run.total;
  point.epoch = run.epoch;
  point.learning = &learning_score;
  if (validate_now && source.size(data::Partition::Validation) > 0) point.validation = validate(source, run);
  run.stopped = point.validation && options.stop_valid > 0 && without_progress >= options.stop_valid;
  point.is_last = is_last || run.stopped;
  if (callbacks.log) callbacks.log(point);
  learning_score = data::Score(targets.front().target);
}

RunResult Trainer::Impl::result(const Run& run) const {
  RunResult result;
  result.stimuli = run.done;
  for (const SolverState& state : states) result.updates = std::max(result.updates, state.updates);
  result.stopped_early = run.stopped && run.done < run.total;
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
  return impl_->step(batch, labels, index);
}

RunResult Trainer::learn_epochs(const SampleSource& source, int64_t epochs) {
  Impl& self = *impl_;
  const int64_t size = self.require_stimuli(source), batch_size = self.options.batch_size;
  self.settle((size + batch_size - 1) / batch_size * epochs);
  Run run;
  run.total = size * epochs;
  const int64_t interval = self.options.log_epochs;
  while (run.epoch < epochs && !run.stopped) {
    const uint64_t epoch = self.next_epoch++;
    const auto stream = source.open(data::Partition::Learn,
                                    data::shuffled_order(size, self.options.seed, epoch), batch_size, epoch);
    data::Batch batch;
    while (next(*stream, batch, run)) self.learn(batch, run);
    ++run.epoch;
    const bool is_last = run.epoch == epochs;
    if (is_last || (interval > 0 && run.epoch % interval == 0)) self.log(source, run, interval > 0, is_last);
  }
  return self.result(run);
}

RunResult Trainer::learn_stimuli(const SampleSource& source, int64_t stimuli) {
  Impl& self = *impl_;
  const int64_t size = self.require_stimuli(source), batch_size = self.options.batch_size;
  self.settle((stimuli + batch_size - 1) / batch_size);
  Run run;
  run.total = stimuli;
  const int64_t interval = self.options.log_stimuli;
  // Drawn in portions of about an epoch of whole batches, each with its own key of random transformations.
  const int64_t portion = (size + batch_size - 1) / batch_size * batch_size;
  while (run.done < stimuli && !run.stopped) {
    const uint64_t epoch = self.next_epoch++;
    Rng rng(self.options.seed, "stimuli drawn", epoch);
    std::vector<int64_t> order(static_cast<size_t>(std::min(portion, stimuli - run.done)));
    for (int64_t& position : order) position = static_cast<int64_t>(rng.below(static_cast<uint64_t>(size)));
    const auto stream = source.open(data::Partition::Learn, std::move(order), batch_size, epoch);
    data::Batch batch;
    while (!run.stopped && next(*stream, batch, run)) {
      const int64_t before = run.done;
      self.learn(batch, run);
      const bool is_last = run.done == stimuli;
      if (is_last || run.done / interval > before / interval) self.log(source, run, true, is_last);
    }
  }
  return self.result(run);
}

std::vector<data::Score> Trainer::evaluate(const SampleSource& source, data::Partition partition) {
  return training::evaluate(impl_->inference, source, partition, data::in_order(source.size(partition)),
                            impl_->targets, impl_->options.batch_size);
}

const std::vector<LearntConstant>& Trainer::learnt() const {
  return impl_->learnt;
}

const SolverState& Trainer::state(size_t i) const {
  return impl_->states.at(i);
}

double Trainer::seconds_in_primitives() const {
  return impl_->training.seconds_in_primitives();
}

}  // namespace n2d2::training
