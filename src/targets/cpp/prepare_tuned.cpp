#include "prepare_tuned.hpp"

#include <utility>

#include "n2d2/base/log.hpp"

#include "tuning.hpp"
#include "tuning_trial.hpp"

namespace n2d2::targets::cpp {

namespace {

/// Builds a project for each trial.
class Trials {
 public:
  Trials(const graph::Graph& graph, const std::vector<Output>& outputs, const Options& options)
      : graph_(graph), outputs_(outputs), options_(options) {
    options_.parameters.check_memory = false;
    options_.memory_curve = false;
    options_.quiet = true;
  }

  std::map<std::string, TimeRange> operator()(const Assignment& forms) const {
    Options options = options_;
    for (const auto& [layer, form] : forms) options.timed[layer] = {form, "a trial"};
    const Project project = prepare(graph_, outputs_, options);
    log::info("Tuning: {} layers in a project of their own", forms.size());
    const std::map<std::string, TimeRange> times = times_of_cells(project);
    std::map<std::string, TimeRange> out;
    for (const auto& [layer, form] : forms)
      if (const auto time = times.find(cell_of_layer(project.program(), layer)); time != times.end())
        out.emplace(layer, time->second);
    return out;
  }

 private:
  const graph::Graph& graph_;
  const std::vector<Output>& outputs_;
  Options options_;
};

}  // namespace

Project prepare_tuned(const graph::Graph& graph, const std::vector<Output>& outputs, Options options,
                      const Tuning& tuning) {
  if (!runs_here(options.parameters.machine))
    throw ConfigError(fmt::format("option -tune: Target={} is not the machine that it would measure",
                                  ValueText<Machine>::print(options.parameters.machine)),
                      {}, "Kernel=<form> chooses by hand");
  TuningCache cache = read_tuning(tuning.file, this_machine(tuning.version));
  const bool wants_curve = std::exchange(options.memory_curve, false);  // of the last one alone
  Project own = prepare(graph, outputs, options);
  const std::vector<TunedLayer> layers = layers_to_tune(own.program(), options.parameters);
  options.memory_curve = wants_curve;
  options.quiet = true;
  if (layers.empty()) {
    log::notice("option -tune has no effect: no layer has several forms and Kernel=auto");
    return wants_curve ? prepare(graph, outputs, options) : std::move(own);
  }
  const Tuned tuned = tune(layers, cache.timings, Trials(graph, outputs, options));
  if (tuned.measured > 0) write_tuning(tuning.file, cache);
  log::info("Tuned: {} layers measured, {} known from '{}'; {} in another form than without -tune",
            tuned.measured, tuned.known, tuning.file, tuned.changed);
  options.timed = tuned.forms;
  return prepare(graph, outputs, options);
}

}  // namespace n2d2::targets::cpp
