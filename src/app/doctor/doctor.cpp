#include "doctor.hpp"

#include <algorithm>

#include "n2d2/base/log.hpp"
#include "n2d2/quantize/compare_settings.hpp"
#include "n2d2/quantize/sample_check.hpp"

#include "calibration.hpp"
#include "doctor_report.hpp"
#include "files.hpp"
#include "score.hpp"

namespace n2d2::app {

namespace {

/// Multiplications by weights of all runs together: a minute or two.
constexpr double kMostProducts = 8e11;
constexpr int64_t kMostSamples = 100, kFewSamples = 16, kFewestOthers = 8;

struct Examined {
  Tensor samples;
  std::string text;
};

/// Others than those that calibrated, else those that no weight was rounded by, else those that calibrated.
Examined examined_samples(const loader::Network& net, const Options& o, int64_t most) {
  CalibrationSamples samples(net, o.calib, CalibrationSamples::Say::Nothing);
  const auto said = [&](Tensor batch, const char* which) {
    const int64_t count = batch.shape().n();
    return Examined{std::move(batch), fmt::format("{} {} samples {}", count, samples.part(), which)};
  };
  Tensor batch = samples.others(most).data;
  if (!batch.empty() && batch.shape().n() >= kFewestOthers)
    return said(std::move(batch), "that did not calibrate");
  const auto source = [&](int64_t index, Tensor& to) { return samples.read(index, to); };
  batch = quantize::held_out_samples(source, samples.size());
  if (!batch.empty())
    return said(first_of(batch, most), "that set ranges and rounded no weights, for all samples calibrated");
  if (!samples.read(0, batch)) return {};
  return said(first_of(batch, most), "that calibrated: there are too few to hold any out");
}

std::vector<data::Agreement> shipped_outputs(const loader::Network& net, const graph::Graph& floats,
                                             const targets::Build& build, const Tensor& samples) {
  std::vector<data::Agreement> out;
  if (!build.runs()) return out;
  compute::Executor executor(floats, inference_options(net));
  executor.forward(samples);
  const std::vector<Tensor> integers = build.run(samples);
  const Tensor seen = build.seen(samples);
  const std::vector<int> no_labels(static_cast<size_t>(samples.shape().n() * net.data->labels_of_sample()),
                                   -1);
  for (size_t t = 0; t < net.targets.size(); ++t) {
    const data::Target& target = net.targets[t].target;
    const Tensor wanted = executor.read(floats.outputs().at(t));
    data::Score of_floats(target), of_integers(target);
    of_floats.add(wanted, no_labels, samples);
    of_integers.add(integers.at(t), no_labels, seen, build.step(t));
    out.emplace_back(target).add(of_floats, of_integers, no_labels, wanted, integers.at(t), build.step(t));
  }
  return out;
}

}  // namespace

int64_t samples_to_examine(const graph::Graph& floats, const graph::Graph& integers) {
  const double products = quantize::products_of_sample(floats) *
                          static_cast<double>(quantize::runs_of_diagnosis(floats, integers));
  return std::clamp(static_cast<int64_t>(kMostProducts / std::max(1.0, products)), kFewSamples, kMostSamples);
}

Tensor first_of(const Tensor& batch, int64_t most) {
  const int64_t count = std::min(most, batch.shape().n());
  const int64_t size = batch.shape().with_batch(1).elements();
  return Tensor::from(batch.shape().with_batch(count),
                      {batch.data<float>(), batch.data<float>() + count * size});
}

std::optional<DoctorReport> Doctor::run(const targets::Build& build) const {
  const Examined examined = examined_samples(net_, options_, samples_to_examine(floats_, integers_));
  if (examined.samples.empty()) {
    log::notice("-doctor: there are no samples to examine");
    return std::nullopt;
  }
  log::info("Doctor: {}", examined.text);
  DoctorReport report;
  report.samples = examined.text;
  for (const quantize::LayerReport& layer : decided_.layers)
    report.bits[layer.name] = {layer.weight_bits, layer.bits};
  report.diagnosis = quantize::diagnose(floats_, integers_, examined.samples, inference_options(net_));
  report.shipped = shipped_outputs(net_, floats_, build, examined.samples);
  print(console_text(report));
  return report;
}

}  // namespace n2d2::app
