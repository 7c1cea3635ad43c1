#include "n2d2/quantize/compare_settings.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/base/log.hpp"
#include "n2d2/quantize/quantize_graph.hpp"

#include "held_out.hpp"
#include "integers/on_grid.hpp"
#include "simulated_graph.hpp"

namespace n2d2::quantize {

namespace {

constexpr int64_t kMostHeld = 64, kMostHeldBytes = int64_t{128} << 20;
constexpr double kMostDecibel = 200;

/// The outputs of a float graph, one tensor each.
std::vector<Tensor> computed_outputs(const graph::Graph& graph, const Tensor& samples,
                                     const compute::ExecutorOptions& options) {
  compute::Executor executor(graph, options);
  executor.forward(samples);
  std::vector<Tensor> out;
  for (const graph::ValueId id : graph.outputs()) out.push_back(executor.read(id));
  return out;
}

double decibel_of(double signal, double error) {
  const double least = signal * std::pow(10, -kMostDecibel / 10);
  return error <= least ? kMostDecibel : 10 * std::log10(signal / error);
}

/// Adds what one output shows.
void add_output(const Tensor& floats, const Tensor& found, const QuantParams& quant, double share,
                OutputSnr& to) {
  const int64_t samples = floats.shape().n(), size = floats.elements() / samples;
  to.of_samples.resize(static_cast<size_t>(samples));
  double all_signal = 0, all_error = 0;
  for (int64_t n = 0; n < samples; ++n) {
    double signal = 0, error = 0;
    for (int64_t i = n * size; i < (n + 1) * size; ++i) {
      const double wanted = floats.data<float>()[i];
      const double off = wanted - on_grid(double{found.data<float>()[i]}, quant);
      signal += wanted * wanted, error += off * off;
    }
    to.of_samples[static_cast<size_t>(n)] += share * decibel_of(signal, error);
    all_signal += signal, all_error += error;
  }
  to.all += share * decibel_of(all_signal, all_error);
}

OutputSnr snr_of(const Setting& setting, const std::vector<Tensor>& wanted, const Tensor& samples,
                 const compute::ExecutorOptions& options) {
  graph::Graph floats = *setting.floats;
  if (setting.rounding != nullptr) apply_rounding(floats, *setting.rounding);
  graph::Graph integers = floats;
  {
    const log::Capture said_again_when_it_counts;
    quantize_graph(integers, *setting.ranges, setting.options);
  }
  const std::vector<Tensor> found = computed_outputs(simulated_graph(floats, integers), samples, options);
  OutputSnr out;
  for (size_t i = 0; i < wanted.size(); ++i)
    add_output(wanted[i], found[i], *integers.value(integers.outputs()[i]).type.quant,
               1 / static_cast<double>(wanted.size()), out);
  return out;
}

}  // namespace

Tensor held_out_samples(const BatchSource& source, int64_t samples) {
  if (samples < SampleChoice::kFewest) return {};
  return read_samples(SampleChoice(samples), source, SampleChoice::is_held_out, kMostHeld, kMostHeldBytes);
}

std::vector<OutputSnr> output_snr(const graph::Graph& floats, std::span<const Setting> settings,
                                  const Tensor& samples, const compute::ExecutorOptions& executor) {
  compute::ExecutorOptions options = executor;
  options.keep = compute::Keep::Outputs;
  const std::vector<Tensor> wanted = computed_outputs(floats, samples, options);
  std::vector<OutputSnr> out;
  for (const Setting& setting : settings) out.push_back(snr_of(setting, wanted, samples, options));
  return out;
}

}  // namespace n2d2::quantize
