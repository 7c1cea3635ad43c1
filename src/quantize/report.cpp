#include "n2d2/quantize/report.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "n2d2/quantize/sample_check.hpp"

namespace n2d2::quantize {

namespace {

using Json = nlohmann::ordered_json;

Json describe(const LayerReport& layer) {
  Json out = {{"name", layer.name},
              {"type", layer.type},
              {"bits", layer.bits},
              {"signed", layer.is_signed},
              {"threshold", layer.threshold},
              {"scale", layer.scale},
              {"clipping", layer.clipping},
              {"min", layer.min},
              {"max", layer.max},
              {"mean", layer.mean},
              {"stddev", layer.stddev}};
  if (layer.zero_point != 0) out["zero_point"] = layer.zero_point;
  if (!layer.weight_scales.empty()) {
    out["weight_bits"] = layer.weight_bits;
    out["weight_scales"] = layer.weight_scales;
    out["clipped_weights"] = layer.clipped_weights;
    out["bias_correction"] = layer.bias_correction;
    out["dead_outputs"] = layer.dead_outputs;
    out["doubled_outputs"] = layer.doubled_outputs;
  }
  if (layer.accumulator_bits > 0) {
    out["accumulator_bits"] = layer.accumulator_bits;
    out["accumulator_bound"] = layer.accumulator_bound;
    out["accumulator_headroom_bits"] = layer.accumulator_headroom_bits;
  }
  if (!layer.notes.empty()) out["notes"] = layer.notes;
  return out;
}

/// Whole ones: as far as the floats of all processors agree. JSON has no infinity: null.
double whole_decibel(double value) {
  return std::round(value);
}

Json describe(const OutputFigures& output) {
  Json out = {{"name", output.name},
              {"distinct_floats", output.distinct_floats},
              {"distinct_integers", output.distinct_integers},
              {"snr_db", whole_decibel(output.snr)}};
  if (output.varying_snr) out["varying_snr_db"] = whole_decibel(*output.varying_snr);
  if (output.first_class_floats) out["first_class_floats"] = *output.first_class_floats;
  if (output.first_class_integers) out["first_class_integers"] = *output.first_class_integers;
  if (!output.begins.empty()) out["begins"] = output.begins;
  return out;
}

Json describe(const SampleReport& check) {
  Json outputs = Json::array(), findings = Json::array();
  for (const OutputFigures& output : check.outputs) outputs.push_back(describe(output));
  for (const Diagnostic& finding : check.findings)
    findings.push_back({{"message", finding.message}, {"hint", finding.hint}});
  return {{"samples", check.samples}, {"outputs", std::move(outputs)}, {"findings", std::move(findings)}};
}

Json describe(const QuantReport& report) {
  Json layers = Json::array();
  for (const LayerReport& layer : report.layers) layers.push_back(describe(layer));
  Json out = {{"bits", report.options.bits},
              {"samples", report.samples},
              {"rescaling", ValueText<RescaleMode>::print(report.options.rescaling)},
              {"rescale_per_output", report.options.per_output},
              {"weight_clipping", report.options.weight_clipping},
              {"activation_clipping", report.options.activation_clipping},
              {"unsigned_allowed", report.options.allow_unsigned},
              {"layers", std::move(layers)}};
  if (report.options.activation_clipping == "Quantile") out["activation_quantile"] = report.options.quantile;
  return out;
}

std::string text_of_report(const Json& report) {
  return report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(const QuantReport& report) {
  return text_of_report(describe(report));
}

std::string to_json(const QuantReport& report, const SampleReport& check) {
  Json out = describe(report);
  if (check.samples > 0 || !check.findings.empty()) out["check"] = describe(check);
  return text_of_report(out);
}

}  // namespace n2d2::quantize
