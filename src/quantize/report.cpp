#include "n2d2/quantize/report.hpp"

#include <nlohmann/json.hpp>

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

}  // namespace

std::string to_json(const QuantReport& report) {
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
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace n2d2::quantize
