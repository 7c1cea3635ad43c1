#include "learn.hpp"

#include <cmath>

#include <fmt/format.h>

#include "n2d2/base/log.hpp"
#include "n2d2/base/progress.hpp"
#include "n2d2/base/stop_signal.hpp"
#include "n2d2/loader/weights_file.hpp"
#include "n2d2/ops/softmax.hpp"
#include "n2d2/training/trainer.hpp"

#include "bench.hpp"
#include "files.hpp"
#include "frozen_network.hpp"
#include "learnt_folders.hpp"
#include "other_reports.hpp"
#include "pictures.hpp"
#include "provenance.hpp"
#include "ranks.hpp"
#include "run_description.hpp"
#include "run_files.hpp"
#include "score.hpp"

namespace n2d2::app {

namespace {

/// What quantizers of weights have learnt, those of the best validation or the latest.
loader::QuantizerStates states_of(const training::TrainerState& state, bool best) {
  loader::QuantizerStates out;
  for (const training::TrainerState::Quantizer& quantizer : state.quantizers)
    out.emplace_back(quantizer.name, best ? quantizer.best : quantizer.now);
  return out;
}

/// Launchers send their processes several signals.
constexpr std::chrono::seconds kPauseOfLaunchers(1);

/// Prints and writes what the trainer reports.
class Reporter {
 public:
  Reporter(const loader::Network& net, const Options& options, training::RunDescription run, bool is_resumed)
      : net_(net),
        options_(options),
        run_(std::move(run)),
        metric_(ValueText<data::Metric>::print(options.valid_metric)),
        folders_(run_, options.valid_metric, is_resumed, options.output) {}

  training::TrainerCallbacks callbacks(const StopSignal& signal) {
    return {[this](const training::Progress& p) { progress(p); },
            [this](int64_t done, int64_t total) { validating(done, total); },
            [this](const training::LogPoint& point) { log(point); },
            [&signal] { return signal.came() != 0; }};
  }
  void set_trainer(const training::Trainer& trainer) { trainer_ = &trainer; }
  void begin(int64_t done, int64_t total) { learning_.emplace("Learning", total, "stimuli", done); }
  void end() {
    validating_.reset();
    learning_.reset();
  }

  /// The run goes on from the state: what is written for its best validation is there again.
  void restore(const training::TrainerState& state) {
    if (!state.best) return;
    graph::Graph best = net_.graph;
    for (const training::TrainerState::Constant& constant : state.constants)
      best.mutable_constant(*best.find_value(constant.name)) = constant.best;
    folders_.restore_best(best, states_of(state, true));
    has_best_ = true;
  }

  /// After a signal: what has not been saved is.
  void interrupted(const training::RunResult& result, int64_t total, int signal) {
    print(fmt::format("Interrupted ({}) after {} of {} stimuli, with a batch that is finished\n",
                      signal_name(signal), with_thousands(result.stimuli), with_thousands(total)));
    if (!has_best_) folders_.save_latest_weights(net_.graph, states_of(trainer_->state(), false));
    folders_.save_latest_state(state(total));
    const std::string saved = options_.in_output(kLatestState).string();
    print(fmt::format("    '{}' saved! '-l {}' goes on from here\n", saved, saved));
    if (has_best_)
      print(fmt::format("    '{}': the best validation so far, {:.2f}% [{}]\n",
                        options_.in_output(kBestWeights).string(), 100 * result.best.value_or(0), metric_));
  }

  void finish(const training::RunResult& result) {
    if (!has_best_ && !has_latest_)
      folders_.save_latest_weights(net_.graph, states_of(trainer_->state(), false));
    folders_.finish(result.best);
  }

 private:
  /// "epoch 2 of 10, 93.40 % right, loss 0.6931, 812 a second"
  void progress(const training::Progress& p) {
    learning_->at(p.done, [&] {
      const std::string epoch = p.epochs > 0 ? fmt::format("epoch {} of {}, ", p.epoch, p.epochs) : "";
      return fmt::format("{}{:.2f} % right, loss {:.4g}, {:.0f} a second", epoch, 100 * p.success, p.loss,
                         p.per_second);
    });
  }

  void validating(int64_t done, int64_t total) {
    if (!validating_) validating_.emplace("Validating", total, "samples");
    validating_->at(done);
  }

  training::LearningState state(int64_t total) const { return {run_, total, trainer_->state()}; }

  void log(const training::LogPoint& point) {
    validating_.reset();
    const std::filesystem::path folder = net_.targets.front().folder;
    if (point.learning != nullptr) point.learning->write(folder, "learning");
    write_curve(*point.curve, point.is_last);
    if (point.is_last) warn_of_chance(point);
    if (point.is_last && options_.log_files) {
      if (point.learning != nullptr) draw_successes(*point.learning, folder, "learning");
      if (point.validation) draw_successes(point.validation->score, folder, "validation");
    }
    const training::LearningState now = state(point.total);
    if (point.validation) {
      validated(*point.validation, now);
    } else {
      folders_.save_latest_weights(net_.graph, states_of(now.trainer, false));
      has_latest_ = true;
    }
    folders_.save_latest_state(now);
  }

  void write_curve(std::span<const training::CurvePoint> curve, bool is_last) const {
    const std::filesystem::path folder = net_.targets.front().folder;
    write_text(folder / "learning_curve.dat", curve_text(curve, metric_));
    if (!is_last || !options_.log_files) return;
    write_picture(plot::draw(success_chart(curve, metric_)), folder / "learning_curve");
    write_picture(plot::draw(loss_chart(curve)), folder / "learning_loss");
  }

  void validated(const training::Validation& v, const training::LearningState& now) {
    v.score.write(net_.targets.front().folder, "validation");
    if (!v.is_best)
      return print(fmt::format("--- LOWER validation score: {:.2f}% [{}] (best was {:.2f}%)\n",
                               100 * v.metric, metric_, 100 * v.best));
    print(fmt::format("+++ BEST validation score: {:.2f}% [{}]\n", 100 * v.metric, metric_));
    folders_.save_best(net_.graph, states_of(now.trainer, false), now);
    has_best_ = true;
  }

  /// A network that has not learnt, and the likely reason.
  void warn_of_chance(const training::LogPoint& point) const {
    const graph::ValueId value = net_.graph.outputs().front();
    const graph::NodeId producer = net_.graph.value(value).producer;
    if (!producer) return;
    const auto* softmax = graph::as<ops::Softmax>(net_.graph.node(producer));
    const data::Score& score = point.validation ? point.validation->score : *point.learning;
    const int classes = net_.targets.front().target.classes();
    if (softmax == nullptr || classes < 2 || score.samples() == 0) return;
    if (softmax->with_loss) return warn_of_loss(point.curve->back().loss, classes);
    // Chance is 1 / classes; whoever has learnt anything is well above it.
    constexpr double kNearChance = 1.5;
    const double rate = score.recognition_rate();
    if (rate * classes > kNearChance) return;
    const SourceLocation& where = net_.graph.node(producer).origin;
    Diagnostics findings;
    findings.warn(
        where,
        fmt::format("[{}] after learning {:.2f}% are right, which is chance for {} classes; a Softmax "
                    "without WithLoss=1 learns through the squared error, whose gradients are small: slowly",
                    net_.graph.node(producer).name, 100 * rate, classes),
        "'WithLoss=1' learns with the cross-entropy");
    findings.finish<ConfigError>();
  }

  /// The cross-entropy of equal shares for all classes is ln(classes): nothing tells the samples apart.
  static void warn_of_loss(double loss, int classes) {
    const double of_chance = std::log(static_cast<double>(classes));
    constexpr double kNear = 0.02;
    if (std::abs(loss - of_chance) > kNear * of_chance) return;
    log::warn(
        "the loss stays at {:.4g}, which is ln({}), that of a guess among {} classes: nothing has been "
        "learnt\n"
        "  hint: another Solvers.LearningRate ('-find-lr 1000' suggests one), values of the samples within "
        "about -1 "
        "to 1, a filler such as HeFiller, labels that belong to the samples",
        loss, classes, classes);
  }

  const loader::Network& net_;
  const Options& options_;
  training::RunDescription run_;
  std::string metric_;
  LearntFolders folders_;
  const training::Trainer* trainer_ = nullptr;
  std::optional<progress::Task> learning_, validating_;  // the second is a part of the first
  bool has_best_ = false, has_latest_ = false;
};

/// What is validated of a network that learns with quantizers: its integers, which are those that an export
/// has. Where they need calibration, floats are, which is said.
class IntegerValidation {
 public:
  IntegerValidation(loader::Network& net, const Options& options) : net_(net), options_(options) {}
  void set_trainer(const training::Trainer& trainer) { trainer_ = &trainer; }

  std::optional<training::Scored> operator()() {
    if (has_none_ || !loader::has_learnt_quantizers(net_)) return std::nullopt;
    loader::set_quantizer_states(net_, states_of(trainer_->state(), false));
    try {
      frozen_ = std::make_unique<FrozenNetwork>(net_, net_.graph, options_);
    } catch (const ConfigError& error) {
      has_none_ = true;
      log::notice("validation: in floats, not in integers: {}", error.findings().front().message);
      return std::nullopt;
    }
    const targets::Build& build = frozen_->build();
    return training::Scored{[&](const Tensor& batch) { return build.run(batch); },
                            [&](size_t target) { return build.step(target); },
                            [&](const Tensor& batch) { return build.seen(batch); }};
  }

 private:
  loader::Network& net_;
  const Options& options_;
  const training::Trainer* trainer_ = nullptr;
  std::unique_ptr<FrozenNetwork> frozen_;
  bool has_none_ = false;
};

int64_t run_length(const loader::Network& net, const Options& o) {
  return o.learn_epoch > 0 ? o.learn_epoch * net.data->size(data::Partition::Learn) : o.learn;
}

/// ConfigError unless the state has a value for each float constant of the network, and no others: what its
/// hashes do not say.
void require_constants(const training::LearningState& state, const graph::Graph& graph,
                       const std::string& folder) {
  size_t expected = 0;
  for (const graph::ValueId id : graph.values())
    expected += graph.value(id).is_constant() && graph.value(id).type.dtype == DataType::F32 ? 1 : 0;
  bool fits = expected == state.trainer.constants.size();
  for (const training::TrainerState::Constant& constant : state.trainer.constants) {
    const auto id = graph.find_value(constant.name);
    fits =
        fits && id && graph.value(*id).is_constant() && graph.value(*id).type.shape == constant.now.shape();
  }
  if (!fits)
    throw ConfigError("learning state: its constants are not those of the network it says", {folder, 0});
}

/// The trainer goes on from the state.
void resume(training::Trainer& trainer, Reporter* reporter, training::LearningState state, int64_t total,
            const std::string& folder) {
  if (state.trainer.done > total)
    throw ConfigError(fmt::format("the state has learnt from {} stimuli, this run ends after {}",
                                  with_thousands(state.trainer.done), with_thousands(total)),
                      {folder, 0}, "a larger -learn-epoch continues it");
  if (state.trainer.done == total)
    log::notice("'{}': the run is over, nothing is left to learn", folder);
  else
    log::info("Learning goes on from '{}': {} of {} stimuli are done", folder,
              with_thousands(state.trainer.done), with_thousands(total));
  if (reporter != nullptr) reporter->restore(state.trainer);
  trainer.resume(std::move(state.trainer));
}

}  // namespace

training::TrainerOptions trainer_options(const loader::Network& net, const Options& o) {
  training::TrainerOptions t;
  t.seed = net.seed;
  t.batch_size = net.batch_size;
  t.window = o.window;
  t.report = o.report;
  t.report_seconds = 0;
  t.log_stimuli = o.log;
  t.log_epochs = o.log_epoch;
  t.stop_valid = static_cast<int>(o.stop_valid);
  t.metric = o.valid_metric;
  t.gradient_stops = net.gradient_stops;
  t.time_nodes = o.bench;
  return t;
}

std::vector<training::LearntConstant> learnt_constants(const loader::Network& net) {
  std::vector<training::LearntConstant> learnt;
  for (const loader::Parameter& parameter : net.parameters)
    if (parameter.solver)
      learnt.push_back({parameter.constant, parameter.solver->clone(),
                        parameter.quantizer ? parameter.quantizer->clone() : nullptr,
                        parameter.step_solver ? parameter.step_solver->clone() : nullptr});
  return learnt;
}

int learn(loader::Network& net, const Options& o, const Seed& seed, const WarningLog& warnings,
          std::optional<training::LearningState> state, const cluster::Cluster& cluster) {
  const training::RunDescription run = describe_run(net, o);
  if (state) {
    require_same_run(*state, run, o.state, false);
    require_constants(*state, net.graph, o.state);
  }
  const StopSignal signal(cluster.is_alone() ? std::chrono::seconds(0) : kPauseOfLaunchers);
  std::optional<Reporter> reporter;
  if (cluster.is_first()) reporter.emplace(net, o, run, state.has_value());
  warn_of_idle_ranks(cluster, net.batch_size);
  IntegerValidation validation(net, o);
  training::TrainerOptions options = trainer_options(net, o);
  options.validated = [&] { return validation(); };
  options.cluster = &cluster;
  training::TrainerCallbacks callbacks;
  callbacks.wants_stop = [&signal] { return signal.came() != 0; };
  if (reporter) callbacks = reporter->callbacks(signal);
  training::Trainer trainer(net.graph, learnt_constants(net), training_targets(net), std::move(options),
                            std::move(callbacks));
  if (reporter) reporter->set_trainer(trainer);
  validation.set_trainer(trainer);
  const training::ProviderSource source(*net.data);
  training::require_learn_samples(source);
  if (reporter) keep_seed(seed, o.output);
  const int64_t total = run_length(net, o);
  const int64_t done = state ? state->trainer.done : 0;
  if (state)
    resume(trainer, reporter ? &*reporter : nullptr, std::move(*state), total, o.state);
  else if (reporter)
    loader::save_weights(net.graph, o.in_output("weights_init"), loader::quantizer_states(net));
  if (reporter && o.log_files) write_schedule(net, o, o.in_output("schedule"));
  if (reporter) reporter->begin(done, total);
  const training::RunResult result = o.learn_epoch > 0 ? trainer.learn_epochs(source, o.learn_epoch)
                                                       : trainer.learn_stimuli(source, o.learn);
  if (reporter) reporter->end();
  const int came = largest_of_ranks(cluster, signal.came());
  if (result.interrupted) {
    if (reporter) reporter->interrupted(result, total, came);
    return came;
  }
  if (!reporter) {
    trainer.take_best();
    loader::set_quantizer_states(net, states_of(trainer.state(), false));
    return came;
  }
  if (o.bench) report_times(net.graph, trainer.node_times(), "learning", o);
  print(fmt::format("Waited for data during {:.1f}% of learning\n", 100 * result.waited));
  if (result.stopped_early)
    print(fmt::format("Stopped after {} stimuli: {} validations without a better one\n", result.stimuli,
                      o.stop_valid));
  reporter->finish(result);
  trainer.take_best();
  loader::set_quantizer_states(net, states_of(trainer.state(), false));
  write_report(learning_report(net, o, trainer.state().curve, result.best, warnings),
               provenance(net, o, hash_of_weights(net.graph)), o.output);
  if (came != 0) print(fmt::format("Interrupted ({}): learning was over\n", signal_name(came)));
  return came;
}

void take_weights(loader::Network& net, const Options& o, const training::LearningState& state) {
  require_same_run(state, describe_run(net, o), o.state, true);
  require_constants(state, net.graph, o.state);
  for (const training::TrainerState::Constant& constant : state.trainer.constants)
    net.graph.mutable_constant(*net.graph.find_value(constant.name)) = constant.now;
  loader::set_quantizer_states(net, states_of(state.trainer, false));
  log::info("Weights: '{}'", o.state);
}

}  // namespace n2d2::app
