#include "judge_export.hpp"

#include <algorithm>
#include <optional>

#include "n2d2/base/log.hpp"
#include "n2d2/base/parallel.hpp"
#include "n2d2/base/progress.hpp"
#include "n2d2/base/random.hpp"
#include "n2d2/quantize/quantize_graph.hpp"

#include "files.hpp"

namespace n2d2::app {

namespace {

/// The first samples that calibration read, or would read. None where they are not there: what is built needs
/// no data.
std::vector<Tensor> first_samples(const loader::Network& net, int64_t count) {
  using data::Partition;
  const data::StimuliProvider& provider = net.calibration ? *net.calibration : *net.data;
  std::vector<Tensor> out;
  for (const Partition partition : {Partition::Validation, Partition::Learn, Partition::Test}) {
    const int64_t available = std::min(count, provider.size(partition));
    try {
      for (int64_t i = 0; i < available; ++i) {
        std::vector<int> labels;
        Tensor sample;
        provider.read(partition, std::span(&i, 1), 0, sample, labels);
        out.push_back(std::move(sample));
      }
    } catch (const ConfigError& error) {
      log::notice("Judge: random values alone are judged, samples cannot be read: {}",
                  error.findings().front().message);
      return {};
    }
    if (!out.empty()) break;
  }
  return out;
}

/// Every value that the network input can have, in no order: samples seldom reach the bounds.
Tensor random_sample(const TensorType& input) {
  Tensor out(input.shape);
  Rng rng(0, "judge");
  const std::optional<QuantParams>& quant = input.quant;
  const auto real = [&](int64_t q) {
    return (static_cast<double>(q) - quant->zero_point) * static_cast<double>(quant->scale.at(0));
  };
  const double lo = quant ? real(quant->lowest()) : -1, hi = quant ? real(quant->highest()) : 1;
  for (float& value : out.span()) value = static_cast<float>(rng.uniform(lo, hi));
  return out;
}

std::string count_text(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

[[noreturn]] void report(const compute::Difference& d, size_t sample, const loader::Network& net) {
  throw InternalError(
      fmt::format(
          "the kernels of this export do not compute what '{}' means: sample {}, channel {}, row {}, column "
          "{}: "
          "expected {}, found {} ({} of its values differ); please report it with the network '{}' and the "
          "options of this run",
          presentable(d.name), sample, d.channel, d.row, d.column, d.expected, d.found, d.count,
          presentable(net.name)),
      __FILE__, __LINE__);
}

struct Judged {
  size_t layers = 0;  ///< 0: what was built gives no layers
  int64_t values = 0;
  std::optional<compute::Difference> difference;
  std::optional<compute::Difference>
      amplified;  ///< no more than the network makes of the rounding of its input
};

Judged judge_sample(const compute::Judge& judge, const targets::Build& build, const TensorType& input,
                    const Tensor& sample) {
  std::vector<compute::NamedValue> found;
  Judged out;
  for (targets::LayerOutput& layer : build.layers(sample)) {
    out.values += layer.tensor.elements();
    found.push_back({std::move(layer.value), std::move(layer.tensor)});
  }
  if (found.empty()) return out;
  out.layers = found.size() - 1;
  const Tensor steps = judge.has_integers() ? quantize::quantize_input(sample, *input.quant) : sample;
  const std::map<std::string, Tensor> expected = judge.run(steps);
  out.difference = compute::first_difference(found, expected);
  if (out.difference && !judge.has_integers()) {
    const std::optional<compute::Difference> beyond =
        compute::first_difference(found, expected, judge.amplified_rounding(steps, expected));
    if (!beyond) out.amplified = out.difference;
    out.difference = beyond;
  }
  return out;
}

}  // namespace

JudgedExport judge_export(const loader::Network& net, const compute::Judge& judge,
                          const targets::Build& build, int samples) {
  if (!build.runs()) return {};
  if (samples == 0) {
    log::notice("JudgeSamples=0: no independent interpreter has checked what the kernels compute");
    return {};
  }
  const TensorType& input = net.graph.value(net.graph.inputs().at(0)).type;
  const int64_t affordable = std::max<int64_t>(1, kMostJudgedMacs / std::max<int64_t>(1, judge.macs()) - 1);
  const int64_t count = std::min<int64_t>(samples, affordable);
  const progress::Task task("Judging the export");
  std::vector<Tensor> all = first_samples(net, count);
  all.push_back(random_sample(input));
  std::vector<Judged> judged(all.size());
  parallel_for(static_cast<int64_t>(all.size()), [&](int64_t s, int) {
    judged[static_cast<size_t>(s)] = judge_sample(judge, build, input, all[static_cast<size_t>(s)]);
  });
  int64_t values = 0;
  for (size_t s = 0; s < judged.size(); ++s) {
    if (judged[s].difference) report(*judged[s].difference, s, net);
    values += judged[s].values;
  }
  for (const Judged& each : judged)
    if (each.amplified) {
      log::notice(
          "Judge: '{}' is {:.6g} here and {:.6g} in the export; the network amplifies the rounding of float "
          "sums, and other compilers and processors give such values, too",
          presentable(each.amplified->name), each.amplified->expected, each.amplified->found);
      break;
    }
  const size_t layers = judged.front().layers;
  if (layers == 0) return {};
  const std::string fewer =
      count < samples ? fmt::format(" (JudgeSamples={}, {} would take too long)", samples, samples) : "";
  log::info("Judge: {} values of {} in {} and one of random values{}, {}", with_thousands(values),
            count_text(layers, "layer"), count_text(all.size() - 1, "sample"), fewer,
            judge.has_integers() ? "no byte different" : "none different beyond the rounding of sums");
  return {layers, all.size() - 1, values, judge.has_integers()};
}

}  // namespace n2d2::app
