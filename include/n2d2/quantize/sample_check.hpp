// Do the integers still do what the floats do, and do the floats do anything, on a few samples?
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "n2d2/base/error.hpp"
#include "n2d2/compute/executor.hpp"
#include "n2d2/graph/graph.hpp"
#include "n2d2/quantize/calibrate.hpp"
#include "n2d2/quantize/report.hpp"

namespace n2d2::quantize {

/// One output of the network over the samples, integers against floats.
struct OutputFigures {
  std::string name;
  int64_t distinct_floats = 0, distinct_integers = 0;
  /// Signal against difference in dB: of all values, and of what varies between samples. Infinite where there
  /// is no difference; none of what varies where no float does.
  double snr = 0;
  std::optional<double> varying_snr;
  /// Share of the samples that get the class that most of them get; none for maps and for less than three
  /// channels.
  std::optional<double> first_class_floats, first_class_integers;
  /// The value at which a difference begins that is too large; empty: there is none.
  std::string begins;
};

struct SampleReport {
  int64_t samples = 0;
  std::vector<OutputFigures> outputs;
  /// What is likely to be wrong, with the usual remedies.
  std::vector<Diagnostic> findings;
};

/// Text of quantization.json as to_json(report), with an object "check" where samples were run or something
/// was found.
std::string to_json(const QuantReport& report, const SampleReport& check);

/// Multiplications by weights that the network does for one sample.
double products_of_sample(const graph::Graph& graph);

/// The number of samples whose integers take at most 10^9 multiplications by weights and whose float values,
/// all layers together, take at most 128 MiB: at least 1, at most 16.
int64_t samples_to_check(const graph::Graph& graph);

/// What the float network makes of a few samples, kept until there are integers to compare with.
class SampleCheck {
 public:
  /// Runs the samples N,C,H,W, N >= 1, one after the other. The executor runs `floats` and keeps all values.
  SampleCheck(const graph::Graph& floats, compute::Executor& executor, const Tensor& batch);

  /// Runs the same samples in integers; values are those of the float graph by their id, in logical layout.
  /// Findings, each with the layer where the difference begins and with remedies:
  ///   an output that is the same for all samples, and not in floats (three samples or more)
  ///   what varies between samples is less than 3 dB above the difference (four or more)
  ///   all values are less than 10 dB above it
  ///   nine of ten samples or more get one class, and not in floats
  ///   an output that is the same for all samples, or one class for ten samples or more, in floats
  /// A difference begins at the first value, in schedule order, whose own figures are below 10 and 3 dB.
  SampleReport compare(const graph::Graph& integers) const;

 private:
  using Values = std::map<graph::ValueId, Tensor>;
  std::vector<Tensor> samples_;
  std::vector<Values> floats_;  // of each sample
};

/// A finding where at least one feature, and one in 16, varies over these samples by less than a 64th of what
/// the largest varies by: all of the input has one scale. Features are channels, or the columns of a row that
/// an Fc reads, behind layers without weights, too; those that never change do not count.
std::vector<Diagnostic> check_features(const graph::Graph& graph, const Tensor& batch);

/// What is known of the samples that calibrated, beside what was measured.
struct SampleOrigin {
  /// How many there are to draw from.
  int64_t available = 0;
  /// What a sample is called, by its number.
  std::function<std::string(int64_t)> name = [](int64_t n) { return std::to_string(n); };
  /// The class that all of them have, where each has one and the database knows others.
  std::optional<std::string> only_class = {};
};

/// Findings about the samples themselves: an input that never changed, samples that are fewer than 32, of one
/// class, or without content.
std::vector<Diagnostic> check_samples(const graph::Graph& graph, const Ranges& ranges,
                                      const SampleOrigin& origin);

}  // namespace n2d2::quantize
