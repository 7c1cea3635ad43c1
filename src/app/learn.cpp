#include "learn.hpp"

#include <fmt/format.h>

#include "n2d2/loader/weights_file.hpp"
#include "n2d2/training/trainer.hpp"

#include "files.hpp"
#include "score.hpp"

namespace n2d2::app {

namespace {

constexpr const char* kValidated = "weights_validation";
constexpr const char* kLatest = "weights";

std::string duration(double seconds) {
  const auto s = static_cast<int64_t>(seconds + 0.5);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s / 60 % 60);
}

/// Prints and writes what the trainer reports.
class Reporter {
 public:
  Reporter(const loader::Network& net, const Options& options) : net_(net), options_(options) {}

  training::TrainerCallbacks callbacks() {
    return {[this](const training::Progress& p) { progress(p); },
            [this](int64_t done, int64_t total) { validating(done, total); },
            [this](const training::LogPoint& point) { log(point); }};
  }
  /// Folder with the weights to go on with.
  const std::string& saved() const { return saved_; }

 private:
  void progress(const training::Progress& p) {
    print(fmt::format("Learning #{:<8}   {:6.2f}% at {:7.2f} p./s ({:7.0f} p./min)   {} left\n",
                      p.done / options_.report * options_.report, 100 * p.success, p.per_second,
                      60 * p.per_second, duration(p.seconds_left)));
  }

  /// One dot for each twentieth.
  void validating(int64_t done, int64_t total) {
    if (dots_ < 0) {
      print("Validation");
      dots_ = 0;
    }
    for (; total > 0 && dots_ < done * 20 / total; ++dots_) print(".");
  }

  void log(const training::LogPoint& point) {
    const std::filesystem::path folder = net_.targets.front().folder;
    if (point.learning != nullptr) point.learning->write(folder, "learning");
    if (!point.validation) return save(kLatest);
    if (dots_ >= 0) print("\n");
    dots_ = -1;
    const training::Validation& v = *point.validation;
    v.score.write(folder, "validation");
    const std::string name = ValueText<data::Metric>::print(options_.valid_metric);
    if (v.is_best) {
      print(fmt::format("+++ BEST validation score: {:.2f}% [{}]\n", 100 * v.metric, name));
      return save(kValidated);
    }
    print(fmt::format("--- LOWER validation score: {:.2f}% [{}] (best was {:.2f}%)\n", 100 * v.metric, name,
                      100 * v.best));
  }

  void save(const char* folder) {
    loader::save_weights(net_.graph, folder);
    saved_ = folder;
    print(fmt::format("    '{}' saved!\n", folder));
  }

  const loader::Network& net_;
  const Options& options_;
  int64_t dots_ = -1;
  std::string saved_;
};

training::TrainerOptions trainer_options(const loader::Network& net, const Options& o) {
  training::TrainerOptions t;
  t.seed = net.seed;
  t.batch_size = net.batch_size;
  t.window = o.window;
  t.report = o.report;
  t.log_stimuli = o.log;
  t.log_epochs = o.log_epoch;
  t.stop_valid = static_cast<int>(o.stop_valid);
  t.metric = o.valid_metric;
  t.gradient_stops = net.gradient_stops;
  return t;
}

std::vector<training::LearntConstant> learnt_constants(const loader::Network& net) {
  std::vector<training::LearntConstant> learnt;
  for (const loader::Parameter& parameter : net.parameters)
    if (parameter.solver) learnt.push_back({parameter.constant, parameter.solver->clone()});
  return learnt;
}

}  // namespace

void learn(loader::Network& net, const Options& o) {
  loader::save_weights(net.graph, "weights_init");
  Reporter reporter(net, o);
  training::Trainer trainer(net.graph, learnt_constants(net), training_targets(net), trainer_options(net, o),
                            reporter.callbacks());
  const training::ProviderSource source(*net.data);
  const training::RunResult result = o.learn_epoch > 0 ? trainer.learn_epochs(source, o.learn_epoch)
                                                       : trainer.learn_stimuli(source, o.learn);
  print(fmt::format("Waited for data during {:.1f}% of learning\n", 100 * result.waited));
  if (result.stopped_early)
    print(fmt::format("Stopped after {} stimuli: {} validations without a better one\n", result.stimuli,
                      o.stop_valid));
  if (reporter.saved() == kValidated) loader::load_weights(net.graph, kValidated, false);
}

}  // namespace n2d2::app
