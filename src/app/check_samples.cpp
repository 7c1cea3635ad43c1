#include "check_samples.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "n2d2/base/log.hpp"
#include "n2d2/data/batch_loader.hpp"

#include "calibration.hpp"
#include "score.hpp"

namespace n2d2::app {

namespace {

using data::Partition;

/// A score is no better than chance up to so many standard deviations above it, of so many samples.
constexpr double kDeviations = 2;
constexpr int64_t kFewestScored = 30, kMostScored = 100;
/// Multiplications of all samples that are scored: a few seconds.
constexpr double kMostScoredProducts = 1e11;

bool has_samples_to_check(const loader::Network& net) {
  if (net.calibration) return true;
  const auto has = [&](Partition p) { return net.data->size(p) > 0; };
  return has(Partition::Validation) || has(Partition::Learn) || has(Partition::Test);
}

/// N,C,H,W; of the samples that calibrate.
Tensor few_samples(const loader::Network& net, int64_t count) {
  CalibrationSamples samples(net, count, CalibrationSamples::Say::Nothing);
  std::vector<float> values;
  Tensor batch;
  int64_t read = 0;
  for (int64_t i = 0; samples.read(i, batch); ++i) {
    const auto span = batch.span<float>();
    values.insert(values.end(), span.begin(), span.end());
    read += batch.shape().n();
  }
  return Tensor::from(net.graph.value(net.graph.inputs().at(0)).type.shape.with_batch(read),
                      std::move(values));
}

/// Whether an output has one decision a sample, which a label can judge.
bool is_judged(const loader::Network& net, size_t target) {
  const data::TargetOptions& options = net.targets[target].target.options();
  const Shape& shape = net.graph.value(net.graph.outputs().at(target)).type.shape;
  return options.type == data::TargetType::TargetScore && !options.data_as_target &&
         shape.h() * shape.w() == 1;
}

/// FloatScores of the float network on Test samples, and how many classes these are of, for each target.
struct FloatScores {
  std::vector<data::Score> scores;
  std::vector<std::set<int>> classes;
};

int64_t samples_to_score(const loader::Network& net) {
  const double products = std::max(1.0, quantize::products_of_sample(net.graph));
  const auto affordable = static_cast<int64_t>(std::min(kMostScoredProducts / products, double{kMostScored}));
  return std::min(net.data->size(Partition::Test), affordable);
}

FloatScores float_scores(const loader::Network& net, compute::Executor& executor, int64_t count) {
  FloatScores out;
  for (const loader::TargetPlace& place : net.targets) out.scores.emplace_back(place.target);
  out.classes.resize(net.targets.size());
  Rng rng(net.seed, "check");
  std::vector<int64_t> positions = shuffled(net.data->size(Partition::Test), rng);
  positions.resize(static_cast<size_t>(count));
  std::sort(positions.begin(), positions.end());
  data::BatchLoader loader(*net.data, Partition::Test, positions, inference_batch(net), 0);
  for (data::Batch batch; loader.next(batch);) {
    executor.forward(batch.data);
    for (size_t t = 0; t < out.scores.size(); ++t) {
      if (!is_judged(net, t)) continue;
      out.scores[t].add(executor.read(net.graph.outputs()[t]), batch.labels);
      for (const int label : batch.labels)
        if (const int cls = net.targets[t].target.class_of(label); cls >= 0) out.classes[t].insert(cls);
    }
  }
  return out;
}

std::vector<Diagnostic> scores_about_chance(const loader::Network& net, compute::Executor& executor) {
  const int64_t count = samples_to_score(net);
  if (net.database->labels().empty() || count < kFewestScored) return {};
  std::vector<Diagnostic> findings;
  const FloatScores found = float_scores(net, executor, count);
  for (size_t t = 0; t < found.scores.size(); ++t) {
    const auto samples = static_cast<double>(found.scores[t].samples());
    if (samples < kFewestScored || found.classes[t].size() < 2) continue;
    const double chance = 1.0 / net.targets[t].target.classes(), rate = found.scores[t].recognition_rate();
    if (rate > chance + kDeviations * std::sqrt(chance * (1 - chance) / samples)) continue;
    findings.push_back(
        {net.targets[t].where,
         fmt::format("[{}]: the float network recognises {:.0f} of {} samples, which is about chance",
                     presentable(net.targets[t].section), rate * samples, found.scores[t].samples()),
         "the weights must be learnt ones, the input what the network learnt from (-preset, -mean, -std), "
         "labels in "
         "the order of its outputs (LabelsMapping)"});
  }
  return findings;
}

/// A Test sample that cannot be read is of no use here, and the matter of those who need it.
std::vector<Diagnostic> check_scores(const loader::Network& net, compute::Executor& executor) {
  try {
    return scores_about_chance(net, executor);
  } catch (const ConfigError&) {
    return {};
  }
}

std::string figures_text(const quantize::SampleReport& report) {
  std::vector<std::string> texts;
  for (const quantize::OutputFigures& f : report.outputs)
    texts.push_back(fmt::format("'{}' {:.1f} dB, {} of {} distinct", presentable(f.name), f.snr,
                                f.distinct_integers, f.distinct_floats));
  constexpr size_t kMost = 4;
  const size_t more = texts.size() > kMost ? texts.size() - kMost : 0;
  texts.resize(texts.size() - more);
  return join(texts, "; ") + (more > 0 ? fmt::format("; and {} others", more) : "");
}

}  // namespace

CalibrationCheck::CalibrationCheck(const loader::Network& net, const Options& o) {
  if (!has_samples_to_check(net)) return;
  origin_ = CalibrationSamples(net, o.calib, CalibrationSamples::Say::Nothing).origin();
  int64_t count = quantize::samples_to_check(net.graph);
  if (o.calib > 0) count = std::min(count, o.calib);
  compute::ExecutorOptions options = inference_options(net);
  {
    compute::Executor executor(net.graph, options);
    findings_ = check_scores(net, executor);
  }
  options.keep = compute::Keep::All;
  compute::Executor executor(net.graph, options);
  const Tensor batch = few_samples(net, count);
  samples_.emplace(net.graph, executor, batch);
  for (Diagnostic& finding : quantize::check_features(net.graph, batch))
    findings_.push_back(std::move(finding));
}

quantize::SampleReport CalibrationCheck::judge(const loader::Network& net, const quantize::Ranges& ranges,
                                               bool was_quantized, bool strict) const {
  quantize::SampleReport report;
  if (samples_) report = samples_->compare(net.graph);
  if (!report.outputs.empty())
    log::info("Check: {} calibration samples in integers against floats{}: {}", report.samples,
              was_quantized ? " whose activations are not rounded" : "", figures_text(report));
  std::vector<Diagnostic> findings = quantize::check_samples(net.graph, ranges, origin_);
  findings.insert(findings.end(), findings_.begin(), findings_.end());
  report.findings.insert(report.findings.begin(), findings.begin(), findings.end());
  Diagnostics said(strict);
  for (const Diagnostic& finding : report.findings)
    said.warn_key(finding.where, finding.message, finding.hint);
  said.finish<ExportError>();
  return report;
}

}  // namespace n2d2::app
