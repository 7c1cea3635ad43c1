#include "n2d2/quantize/sample_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "n2d2/compute/integer.hpp"
#include "n2d2/ops/fc.hpp"
#include "n2d2/passes/weight_indices.hpp"
#include "n2d2/quantize/quantize_graph.hpp"

#include "real_values.hpp"

namespace n2d2::quantize {

namespace {

using graph::ValueId;

constexpr double kMostProducts = 1e9;
constexpr int64_t kMostBytes = int64_t{128} << 20, kMostSamples = 16;
constexpr double kLeastSnr = 10, kLeastVaryingSnr = 3;
constexpr int64_t kFewestSamples = 32, kUsualSamples = 100, kSamplesForClasses = 10;
constexpr double kNearlyAll = 0.9;
constexpr int kFeatureRatio = 64, kFeatureShare = 16;
/// Floats that vary by less, relative to what they are, do so by rounding alone.
constexpr double kFloatRounding = 1e-6;
constexpr const char* kRemedies =
    "the input must be what the network learnt from (-preset, -mean, -std; -standardize for features of "
    "different size), the calibration samples of all kinds; '-no-cle' shows whether equalization is the "
    "cause";

/// Sums over the elements of a value and the samples. What varies is summed as the distance from the first
/// sample, so that a large constant adds no rounding to it.
class Difference {
 public:
  void add(std::span<const float> floats, std::span<const double> reals) {
    if (++samples_ == 1) {
      first_.assign(floats.begin(), floats.end());
      first_errors_.resize(floats.size());
      for (size_t i = 0; i < floats.size(); ++i) first_errors_[i] = first_[i] - reals[i];
      sums_.resize(floats.size());
      error_sums_.resize(floats.size());
    }
    for (size_t i = 0; i < floats.size(); ++i) {
      double x = floats[i];
      if (std::abs(x - first_[i]) <= kFloatRounding * std::abs(first_[i])) x = first_[i];
      const double error = x - reals[i], moved = x - first_[i], error_moved = error - first_errors_[i];
      signal_ += x * x;
      error_ += error * error;
      varying_ += moved * moved;
      error_varying_ += error_moved * error_moved;
      sums_[i] += moved;
      error_sums_[i] += error_moved;
    }
  }

  double snr() const { return decibel(signal_, error_); }
  /// Each element counts as its distance from its own mean over the samples.
  std::optional<double> varying_snr() const {
    const double signal = around_mean(varying_, sums_);
    if (samples_ < 2 || signal <= 0) return {};
    return decibel(signal, around_mean(error_varying_, error_sums_));
  }
  bool is_too_large() const {
    const std::optional<double> varies = varying_snr();
    return snr() < kLeastSnr || (varies && *varies < kLeastVaryingSnr);
  }

 private:
  static double decibel(double signal, double error) {
    if (error <= 0) return std::numeric_limits<double>::infinity();
    return signal > 0 ? 10 * std::log10(signal / error) : -std::numeric_limits<double>::infinity();
  }
  double around_mean(double squares, const std::vector<double>& sums) const {
    double of_means = 0;
    for (const double sum : sums) of_means += sum * sum;
    return std::max(0.0, squares - of_means / static_cast<double>(samples_));
  }

  int64_t samples_ = 0;
  double signal_ = 0, error_ = 0, varying_ = 0, error_varying_ = 0;
  std::vector<double> first_, first_errors_, sums_, error_sums_;
};

/// How many samples differ, and how many get the class that most get.
class Variety {
 public:
  void add(const Shape& shape, std::span<const double> values) {
    seen_.emplace(values.begin(), values.end());
    ++samples_;
    has_classes_ = shape.c() >= 3 && shape.h() * shape.w() == 1;
    if (has_classes_) ++classes_[std::max_element(values.begin(), values.end()) - values.begin()];
  }
  int64_t distinct() const { return static_cast<int64_t>(seen_.size()); }
  std::optional<double> first_class() const {
    if (!has_classes_) return {};
    int64_t most = 0;
    for (const auto& [cls, count] : classes_) most = std::max(most, count);
    return static_cast<double>(most) / static_cast<double>(samples_);
  }

 private:
  std::set<std::vector<double>> seen_;
  std::map<std::ptrdiff_t, int64_t> classes_;
  int64_t samples_ = 0;
  bool has_classes_ = false;
};

Tensor sample_of(const Tensor& batch, int64_t n) {
  Tensor out(batch.shape().with_batch(1));
  const int64_t size = out.elements();
  std::copy_n(batch.data<float>() + n * size, size, out.data<float>());
  return out;
}

/// The first value that differs too much, in schedule order; the input is one.
std::string begin_of(const graph::Graph& graph, const std::map<ValueId, Difference>& differences) {
  std::vector<ValueId> order = graph.inputs();
  for (const graph::NodeId id : graph.schedule()) {
    const auto& outputs = graph.node(id).outputs;
    order.insert(order.end(), outputs.begin(), outputs.end());
  }
  for (const ValueId id : order)
    if (const auto found = differences.find(id); found != differences.end() && found->second.is_too_large())
      return graph.value(id).name;
  return {};
}

/// What is wrong with an output; empty: nothing.
std::string complaint(const OutputFigures& f, int64_t samples) {
  if (samples >= 3 && f.distinct_integers == 1 && f.distinct_floats > 1)
    return fmt::format("the integers are the same for all {} samples, the floats are not", samples);
  if (samples >= 4 && f.varying_snr && *f.varying_snr < kLeastVaryingSnr)
    return fmt::format(
        "the integers hardly follow what varies between {} samples ({:.1f} dB above the difference)", samples,
        *f.varying_snr);
  if (f.snr < kLeastSnr)
    return fmt::format("the integers are far from the floats (signal {:.1f} dB above the difference)", f.snr);
  if (samples >= kSamplesForClasses && f.first_class_integers && *f.first_class_integers >= kNearlyAll &&
      *f.first_class_floats < 0.75)
    return fmt::format("{:.0f} % of {} samples get one class in integers, {:.0f} % in floats",
                       100 * *f.first_class_integers, samples, 100 * *f.first_class_floats);
  return {};
}

void add_finding(std::vector<Diagnostic>& findings, std::string message, std::string hint) {
  Diagnostic& finding = findings.emplace_back();
  finding.message = std::move(message);
  finding.hint = std::move(hint);
}

void judge(SampleReport& report, const OutputFigures& f) {
  std::string what = complaint(f, report.samples);
  if (!what.empty() && !f.begins.empty())
    what += fmt::format("; it begins at '{}'", f.begins);
  else if (what.empty() && report.samples >= 3 && f.distinct_floats == 1)
    what = fmt::format("it is the same for all {} samples, in floats, too", report.samples);
  else if (what.empty() && report.samples >= kSamplesForClasses && f.first_class_floats &&
           *f.first_class_floats == 1)
    what = fmt::format("all {} samples get one class, in floats, too", report.samples);
  if (!what.empty()) add_finding(report.findings, fmt::format("output '{}': {}", f.name, what), kRemedies);
}

/// Whether a layer has one weight for each channel: a Conv that a BatchNorm has become.
bool scales_channels(const graph::Graph& graph, const graph::Node& node) {
  return graph.value(node.inputs.at(1)).type.shape.elements() ==
         graph.value(node.outputs.at(0)).type.shape.c();
}

/// Whether an Fc reads the input, or what layers make of its elements one by one: views, scalings, a
/// BatchNorm.
bool is_read_by_fc(const graph::Graph& graph, ValueId input) {
  const int64_t elements = graph.value(input).type.shape.elements();
  std::set<ValueId> rows{input};
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    if (node.inputs.empty() || !rows.contains(node.inputs.front())) continue;
    if (graph::as<ops::Fc>(node) != nullptr) return true;
    if (passes::has_weights(graph, node) && !scales_channels(graph, node)) continue;
    for (const ValueId out : node.outputs)
      if (graph.value(out).type.shape.elements() == elements) rows.insert(out);
  }
  return false;
}

/// Largest less smallest value of each of `count` features over the samples.
std::vector<double> feature_ranges(const Tensor& batch, int64_t count) {
  const auto values = batch.span<float>();
  const auto features = static_cast<size_t>(count);
  const size_t elements = static_cast<size_t>(batch.shape().with_batch(1).elements()) / features;
  std::vector<double> low(features, std::numeric_limits<double>::infinity()), high(features, -low[0]);
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t f = i / elements % features;
    low[f] = std::min(low[f], double{values[i]});
    high[f] = std::max(high[f], double{values[i]});
  }
  for (size_t f = 0; f < features; ++f) high[f] -= low[f];
  return high;
}

}  // namespace

double products_of_sample(const graph::Graph& graph) {
  double products = 0;
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    if (!passes::has_weights(graph, node)) continue;
    const Shape& weights = graph.value(node.inputs.at(1)).type.shape;
    products += static_cast<double>(graph.value(node.outputs.at(0)).type.shape.with_batch(1).elements()) *
                static_cast<double>(weights.elements() / weights[0]);
  }
  return products;
}

int64_t samples_to_check(const graph::Graph& graph) {
  int64_t bytes = 1;
  for (const graph::NodeId id : graph.schedule())
    for (const ValueId out : graph.node(id).outputs)
      bytes += graph.value(out).type.shape.with_batch(1).elements() * static_cast<int64_t>(sizeof(float));
  const double products = std::max(1.0, products_of_sample(graph));
  const auto affordable = static_cast<int64_t>(std::min(kMostProducts / products, double{kMostSamples}));
  return std::clamp(std::min(affordable, kMostBytes / bytes), int64_t{1}, kMostSamples);
}

SampleCheck::SampleCheck(const graph::Graph& floats, compute::Executor& executor, const Tensor& batch) {
  for (int64_t n = 0; n < batch.shape().n(); ++n) {
    samples_.push_back(sample_of(batch, n));
    executor.forward(samples_.back());
    Values& values = floats_.emplace_back();
    for (const ValueId id : floats.values())
      if (!floats.value(id).is_constant()) values.emplace(id, executor.read(id));
  }
}

SampleReport SampleCheck::compare(const graph::Graph& graph) const {
  const compute::IntegerExecutor executor(graph);
  const QuantParams& quant = *graph.value(graph.inputs().at(0)).type.quant;
  std::map<ValueId, Difference> differences;
  std::map<ValueId, std::pair<Variety, Variety>> varieties;
  for (size_t n = 0; n < samples_.size(); ++n) {
    const Values integers = executor.run(quantize_input(samples_[n], quant));
    for (const auto& [id, floats] : floats_[n]) {
      const auto found = integers.find(id);
      if (found == integers.end() || !graph.value(id).type.quant) continue;
      const std::vector<double> reals = real_values(found->second, *graph.value(id).type.quant);
      if (reals.size() != floats.span<float>().size()) continue;
      differences[id].add(floats.span<float>(), reals);
      if (!graph.is_output(id)) continue;
      const auto values = floats.span<float>();
      varieties[id].first.add(floats.shape(), std::vector<double>(values.begin(), values.end()));
      varieties[id].second.add(floats.shape(), reals);
    }
  }
  SampleReport report;
  report.samples = static_cast<int64_t>(samples_.size());
  for (const ValueId id : graph.outputs()) {
    if (!varieties.contains(id)) continue;
    const auto& [floats, integers] = varieties.at(id);
    OutputFigures f{graph.value(id).name,
                    floats.distinct(),
                    integers.distinct(),
                    differences.at(id).snr(),
                    differences.at(id).varying_snr(),
                    floats.first_class(),
                    integers.first_class(),
                    {}};
    if (!complaint(f, report.samples).empty()) f.begins = begin_of(graph, differences);
    judge(report, f);
    report.outputs.push_back(std::move(f));
  }
  return report;
}

std::vector<Diagnostic> check_features(const graph::Graph& graph, const Tensor& batch) {
  const graph::Value& input = graph.value(graph.inputs().at(0));
  const Shape& shape = batch.shape();
  const bool are_columns = shape.c() == 1 && shape.h() == 1 && is_read_by_fc(graph, graph.inputs().at(0));
  const int64_t count = are_columns ? shape.w() : shape.c();
  const std::vector<double> ranges = feature_ranges(batch, count);
  const auto largest = static_cast<size_t>(std::max_element(ranges.begin(), ranges.end()) - ranges.begin());
  int64_t small = 0, changing = 0;
  size_t least = largest;
  for (size_t f = 0; f < ranges.size(); ++f) {
    if (ranges[f] <= 0) continue;
    ++changing;
    if (ranges[f] < ranges[least]) least = f;
    if (ranges[f] * kFeatureRatio < ranges[largest]) ++small;
  }
  if (small == 0 || small * kFeatureShare < changing) return {};
  std::vector<Diagnostic> findings;
  add_finding(
      findings,
      fmt::format(
          "the input '{}': {} of {} features vary by less than a {}th of the largest (feature {} by {:.3g}, "
          "feature {} by {:.3g}), and have one scale",
          input.name, small, count, kFeatureRatio, least, ranges[least], largest, ranges[largest]),
      "'-standardize', or -mean and -std with a number a feature, for a network that learnt from "
      "standardized "
      "features; '-inputs' begins one that standardizes them itself behind that");
  return findings;
}

namespace {

void find_constant_samples(const Ranges& ranges, const SampleOrigin& origin,
                           std::vector<Diagnostic>& findings) {
  constexpr size_t kNamed = 3;
  const std::vector<int64_t>& constant = ranges.constant_samples;
  if (constant.empty()) return;
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(kNamed, constant.size()); ++i)
    names.push_back("'" + presentable(origin.name(constant[i])) + "'");
  if (constant.size() > kNamed) names.emplace_back("...");
  add_finding(
      findings,
      fmt::format("{} of {} calibration samples {} constant, all pixels are equal: {}", constant.size(),
                  ranges.samples, constant.size() == 1 ? "is" : "are", join(names, ", ")),
      "such pictures show no range of any layer: take them out, or see why they are read as empty");
}

void find_few_samples(int64_t samples, const SampleOrigin& origin, std::vector<Diagnostic>& findings) {
  if (samples <= 0 || samples >= kFewestSamples) return;
  add_finding(findings,
              fmt::format("calibrated on {} sample{}: others may go beyond what these reach", samples,
                          samples == 1 ? "" : "s"),
              origin.available > samples
                  ? fmt::format("'-calib {}' takes more of the {} that there are; 100 of all kinds are usual",
                                origin.available > kUsualSamples ? kUsualSamples : -1, origin.available)
                  : "there are no more: '-calib-dir' or CalibrationPath takes pictures without labels; 100 "
                    "of all kinds are usual");
}

}  // namespace

std::vector<Diagnostic> check_samples(const graph::Graph& graph, const Ranges& ranges,
                                      const SampleOrigin& origin) {
  std::vector<Diagnostic> findings;
  for (const ValueId id : graph.inputs()) {
    const auto found = ranges.values.find(id);
    if (found == ranges.values.end()) continue;
    const Statistics& s = found->second;
    const double mean = s.mean(), power = s.count > 0 ? s.sum_of_squares / static_cast<double>(s.count) : 0;
    if (power - mean * mean <= kFloatRounding * kFloatRounding * power)
      add_finding(
          findings,
          fmt::format(
              "the input '{}' is {:g} in all {} calibration samples: ranges of the layers are those of "
              "one picture without content",
              graph.value(id).name, mean, ranges.samples),
          "calibrate on samples as the network will see them");
  }
  if (findings.empty()) find_constant_samples(ranges, origin, findings);
  find_few_samples(ranges.samples, origin, findings);
  if (origin.only_class && ranges.samples > 1)
    add_finding(
        findings,
        fmt::format("all {} calibration samples have the class '{}': others may reach further",
                    ranges.samples, presentable(*origin.only_class)),
        "'-calib' with more samples draws from all classes; CalibrationPath names pictures of all kinds");
  return findings;
}

}  // namespace n2d2::quantize
