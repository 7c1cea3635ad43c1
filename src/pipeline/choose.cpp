#include <algorithm>
#include <cmath>
#include <deque>

#include "n2d2/base/csv.hpp"
#include "n2d2/base/log.hpp"
#include "n2d2/pipeline/pipeline.hpp"
#include "n2d2/quantize/compare_settings.hpp"
#include "n2d2/quantize/reconstruct.hpp"

namespace n2d2::pipeline {

namespace {

/// What a simpler setting must be better by, in dB and in standard errors of the mean: samples are few.
constexpr double kLeastGain = 0.2, kErrors = 2;
/// The clipping that takes the largest values, which measure() has found.
constexpr const char* kPlain = "None";

constexpr const char* kLearnt = "weights learnt by blocks";

/// A setting with what it points to.
struct Candidate {
  std::string name;
  const graph::Graph* graph;
  quantize::Ranges ranges;
  quantize::Rounding rounding;
  quantize::Options options;
  bool is_equalized = true;
  quantize::OutputSnr snr = {};
};

/// Whether `other` is nearer than `one`, sample by sample.
bool is_nearer(const quantize::OutputSnr& other, const quantize::OutputSnr& one) {
  const auto n = static_cast<double>(one.of_samples.size());
  double sum = 0, squares = 0;
  for (size_t i = 0; i < one.of_samples.size(); ++i) {
    const double gain = other.of_samples[i] - one.of_samples[i];
    sum += gain, squares += gain * gain;
  }
  const double mean = sum / n, variance = std::max(0.0, squares / n - mean * mean);
  return mean > kLeastGain && mean > kErrors * std::sqrt(variance / n);
}

class Comparison {
 public:
  Comparison(const graph::Graph& graph, const graph::Graph* unequalized,
             const quantize::StoredCalibration& calibration, const quantize::Options& options,
             const quantize::BatchSource& samples, const compute::ExecutorOptions& executor)
      : graph_(graph),
        unequalized_(calibration.before ? unequalized : nullptr),
        calibration_(calibration),
        options_(options),
        samples_(samples),
        executor_(executor) {}

  /// Returns the setting to take; all that were tried are kept.
  Candidate& best() {
    Candidate& asked = add("", graph_, calibration_.ranges, options_);
    asked.rounding = quantize::find_rounding(graph_, asked.ranges, options_, samples_, executor_);
    held_out_ = quantize::held_out_samples(samples_, calibration_.ranges.samples);
    if (held_out_.empty()) return asked;
    const bool is_rounded = !asked.rounding.layers.empty();
    if (is_rounded) add("the nearest weights", graph_, asked.ranges, options_);
    if (options_.activation_clipping == quantize::Options().activation_clipping) {
      quantize::Options plain = options_;
      plain.activation_clipping = kPlain;
      if (is_rounded)
        add("the largest values as thresholds", graph_, asked.ranges, plain).rounding = asked.rounding;
      plain.effort = 0;
      Candidate& simple =
          add("the largest values as thresholds, the nearest weights", graph_, asked.ranges, plain);
      if (unequalized_ != nullptr) add_unequalized(simple, plain);
    }
    for (Candidate& candidate : candidates_) measure(candidate);
    Candidate* best = &asked;
    for (Candidate& candidate : candidates_)
      if (is_nearer(candidate.snr, asked.snr) && candidate.snr.all > best->snr.all) best = &candidate;
    if (best->options.effort > 1 && !best->rounding.layers.empty()) best = &rebuilt(*best);
    return *best;
  }
  const std::vector<quantize::RebuiltBlock>& blocks() const { return blocks_; }

  int64_t samples() const { return held_out_.empty() ? 0 : held_out_.shape().n(); }
  const std::deque<Candidate>& candidates() const { return candidates_; }

 private:
  Candidate& add(std::string name, const graph::Graph& graph, quantize::Ranges ranges,
                 quantize::Options options) {
    candidates_.push_back({std::move(name), &graph, std::move(ranges), {}, std::move(options)});
    return candidates_.back();
  }

  /// The setting with weights that are learnt block by block, or as it is where that is not nearer.
  Candidate& rebuilt(Candidate& from) {
    quantize::Reconstruction found =
        learn_blocks(*from.graph, from.ranges, from.options, from.rounding, samples_, executor_);
    blocks_ = std::move(found.blocks);
    Candidate& out = add(from.name.empty() ? kLearnt : fmt::format("{}, {}", from.name, kLearnt), *from.graph,
                         from.ranges, from.options);
    out.is_equalized = from.is_equalized;
    out.rounding = std::move(found.rounding);
    measure(out);
    return out.snr.all > from.snr.all ? out : from;
  }

  /// Where equalization errs more among plain settings, all else is tried without it, too.
  void add_unequalized(Candidate& simple, const quantize::Options& plain) {
    Candidate& other = add("no equalization, the largest values as thresholds, the nearest weights",
                           *unequalized_, *calibration_.before, plain);
    other.is_equalized = false;
    measure(simple), measure(other);
    if (!is_nearer(other.snr, simple.snr)) return;
    compute::Executor executor(*unequalized_, executor_);
    Candidate& full =
        add("no equalization", *unequalized_,
            quantize::with_histograms(*unequalized_, executor, *calibration_.before, samples_, options_),
            options_);
    full.is_equalized = false;
    full.rounding = quantize::find_rounding(*unequalized_, full.ranges, options_, samples_, executor_);
  }

  void measure(Candidate& candidate) const {
    if (!candidate.snr.of_samples.empty()) return;
    const quantize::Setting setting{candidate.name, candidate.graph, &candidate.ranges,
                                    candidate.rounding.layers.empty() ? nullptr : &candidate.rounding,
                                    candidate.options};
    const graph::Graph& floats = unequalized_ != nullptr ? *unequalized_ : graph_;
    candidate.snr = quantize::output_snr(floats, {&setting, 1}, held_out_, executor_).front();
  }

  const graph::Graph& graph_;
  const graph::Graph* unequalized_;
  const quantize::StoredCalibration& calibration_;
  const quantize::Options& options_;
  const quantize::BatchSource& samples_;
  const compute::ExecutorOptions& executor_;
  Tensor held_out_;
  std::deque<Candidate> candidates_;
  std::vector<quantize::RebuiltBlock> blocks_;
};

void tell(const Choice& choice) {
  if (choice.samples == 0) return;
  const quantize::TriedSetting& asked = choice.tried.front();
  const quantize::TriedSetting& taken = choice.tried[choice.taken];
  if (choice.tried.back().name.ends_with(kLearnt))
    log::info(
        "Settings: {:.1f} dB at the outputs on {} samples held out; {:.1f} with weights learnt by blocks",
        asked.snr, choice.samples, choice.tried.back().snr);
  else if (choice.taken == 0)
    log::info("Settings: {:.1f} dB at the outputs on {} samples held out; nothing simpler does better",
              asked.snr, choice.samples);
  else
    log::notice(
        "{}: {:.1f} dB at the outputs on {} samples held out, where the default has {:.1f}: that is taken",
        taken.name, taken.snr, choice.samples, asked.snr);
}

}  // namespace

quantize::Reconstruction learn_blocks(const graph::Graph& graph, const quantize::Ranges& ranges,
                                      const quantize::Options& options, const quantize::Rounding& rounding,
                                      const quantize::BatchSource& samples,
                                      const compute::ExecutorOptions& executor) {
  return quantize::reconstruct(graph, ranges, options, rounding, samples, executor);
}

Choice choose(graph::Graph& graph, const graph::Graph* unequalized, quantize::StoredCalibration& calibration,
              const quantize::Options& options, const quantize::BatchSource& samples,
              const compute::ExecutorOptions& executor) {
  Comparison comparison(graph, unequalized, calibration, options, samples, executor);
  Candidate& best = comparison.best();
  Choice out{comparison.samples(), {}, 0, comparison.blocks()};
  for (const Candidate& candidate : comparison.candidates()) {
    if (&candidate == &best) out.taken = out.tried.size();
    out.tried.push_back({candidate.name, candidate.snr.all});
  }
  tell(out);
  if (options.effort > 1 && out.blocks.empty())
    log::notice("-quant-effort 2: nothing is learnt: {}",
                best.rounding.why_not.empty() ? "the nearest weights err least" : best.rounding.why_not);
  calibration.chosen = {best.name, best.options.activation_clipping, best.options.effort, {}};
  if (out.samples > 0) calibration.chosen->tried = out.tried;
  calibration.rounding = std::move(best.rounding);
  if (!best.name.empty()) calibration.ranges = std::move(best.ranges);
  if (!best.is_equalized) {
    calibration.before.reset();
    graph = *unequalized;
  }
  return out;
}

std::string to_csv(const quantize::ChosenSetting& setting) {
  std::string out = "setting,snr_db,taken\n";
  for (const quantize::TriedSetting& tried : setting.tried)
    out += csv_line({tried.name.empty() ? "as asked for" : tried.name, fmt::format("{:.2f}", tried.snr),
                     tried.name == setting.name ? "1" : "0"});
  return out;
}

}  // namespace n2d2::pipeline
