#include "doctor_report.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "n2d2/base/csv.hpp"
#include "n2d2/base/text.hpp"

#include "float_figures.hpp"

namespace n2d2::app {

namespace {

using Json = nlohmann::ordered_json;
using quantize::LayerFigures;
using quantize::NoiseShare;
using quantize::PartFigures;
using quantize::RankedPart;

constexpr size_t kWorst = 10;

double thousandths(double share) {
  return rounded(share, 1000);
}

std::string noise_text(const NoiseShare& share) {
  return fmt::format("{:.1f} +- {:.1f}", 100 * share.share, 100 * share.error);
}

/// The columns of a part behind its name.
struct Columns {
  std::string bits = "bits", own = "own dB", all = "all dB", clipped = "clipped %", without = "without %",
              alone = "alone %";
};

std::string table_row(const char* part, const std::string& layer, size_t width, const Columns& columns) {
  return fmt::format("    {:<8} {:<{}} {:>4} {:>10} {:>10} {:>9} {:>14} {:>14}\n", part, layer, width,
                     columns.bits, columns.own, columns.all, columns.clipped, columns.without, columns.alone);
}

std::string table_text(const DoctorReport& report) {
  std::vector<RankedPart> parts = quantize::ranked(report.diagnosis);
  parts.resize(std::min(kWorst, parts.size()));
  size_t width = 8;
  for (const RankedPart& part : parts) width = std::max(width, presentable(part.layer->name).size());
  std::string out = table_row("part", "of", width, {});
  for (const RankedPart& ranked : parts) {
    const auto& [layer, part] = ranked;
    out += table_row(
        name_of(ranked), presentable(layer->name), width,
        {std::to_string(bits_of(report, layer->name, ranked.is_weights())),
         decibel_text(layer->own.sqnr(), ""), decibel_text(layer->accumulated.sqnr(), ""),
         fmt::format("{:.3f}", 100 * layer->clipped), noise_text(part->without), noise_text(part->alone)});
  }
  return out;
}

/// The outputs as a whole: those of the integers that ship, and of the simulation.
std::string whole_text(const DoctorReport& report) {
  std::string out = "    Outputs:";
  for (const data::Agreement& a : report.shipped) {
    out +=
        fmt::format(" {} in integers, cosine {:.4f}", decibel_text(a.outputs().sqnr()), a.outputs().cosine());
    if (a.has_classes()) out += fmt::format(", classes agree in {} of {}", a.equal(), a.decisions());
    out += ";";
  }
  const quantize::Diagnosis& d = report.diagnosis;
  return out + fmt::format(" simulated {}, with weights alone {}, with values alone {}\n",
                           decibel_text(d.all), decibel_text(d.weights), decibel_text(d.values));
}

/// What 16 bits for some values would gain, one layer after the other.
std::string widened_text(const quantize::Diagnosis& diagnosis) {
  if (diagnosis.widened.empty()) return {};
  std::vector<std::string> steps;
  for (const quantize::WidenedLayer& layer : diagnosis.widened)
    steps.push_back(fmt::format("{} ({} bytes) {}", presentable(layer.name), with_thousands(layer.values),
                                decibel_text(layer.snr)));
  return fmt::format("    ActivationNbBits=16, simulated, for {}\n", join(steps, "; and "));
}

/// What so few samples do not show.
std::string limits_text(const quantize::Diagnosis& diagnosis) {
  return fmt::format(
      "    'without': share of the noise that is gone when all else is integers; 'alone': share that this "
      "makes "
      "by itself\n    +- is one standard error over {} samples. One of them is {:.1f} points of agreement; "
      "what "
      "fewer samples than that do, and samples of other kinds, is not seen here\n",
      diagnosis.samples, 100.0 / static_cast<double>(diagnosis.samples));
}

Json share_json(const NoiseShare& share) {
  return {{"share", thousandths(share.share)}, {"error", thousandths(share.error)}};
}

Json part_json(const PartFigures& part, int bits) {
  return {{"bits", bits}, {"without", share_json(part.without)}, {"alone", share_json(part.alone)}};
}

Json layer_json(const DoctorReport& report, const LayerFigures& layer) {
  Json out = {{"name", layer.name},
              {"type", layer.type},
              {"own_sqnr_db", tenths(layer.own.sqnr())},
              {"own_cosine", rounded(layer.own.cosine(), 1e4)},
              {"accumulated_sqnr_db", tenths(layer.accumulated.sqnr())},
              {"accumulated_cosine", rounded(layer.accumulated.cosine(), 1e4)},
              {"amplification_db", tenths(layer.amplification())},
              {"clipped", rounded(layer.clipped, 1e6)}};
  if (layer.weights) out["weights"] = part_json(*layer.weights, bits_of(report, layer.name, true));
  if (layer.values) out["values"] = part_json(*layer.values, bits_of(report, layer.name, false));
  return out;
}

Json shipped_json(const data::Agreement& a) {
  Json out = {{"sqnr_db", tenths(a.outputs().sqnr())}, {"cosine", rounded(a.outputs().cosine(), 1e4)}};
  if (a.has_classes()) out["decisions"] = a.decisions(), out["agree"] = a.equal();
  return out;
}

}  // namespace

const char* name_of(const quantize::RankedPart& part) {
  return part.is_weights() ? "weights" : "values";
}

int bits_of(const DoctorReport& report, const std::string& layer, bool is_weights) {
  const auto found = report.bits.find(layer);
  if (found == report.bits.end()) return 0;
  return is_weights ? found->second.weights : found->second.activations;
}

std::string console_text(const DoctorReport& report) {
  return whole_text(report) + table_text(report) + widened_text(report.diagnosis) +
         limits_text(report.diagnosis);
}

std::string doctor_json(const DoctorReport& report) {
  const quantize::Diagnosis& d = report.diagnosis;
  Json layers = Json::array(), outputs = Json::array(), worst = Json::array(), widened = Json::array();
  for (const quantize::WidenedLayer& layer : d.widened)
    widened.push_back({{"layer", layer.name}, {"bytes", layer.values}, {"sqnr_db", tenths(layer.snr)}});
  for (const LayerFigures& layer : d.layers) layers.push_back(layer_json(report, layer));
  for (const data::Agreement& a : report.shipped) outputs.push_back(shipped_json(a));
  for (const RankedPart& part : quantize::ranked(d))
    worst.push_back({{"layer", part.layer->name}, {"part", name_of(part)}});
  const Json out = {{"samples", d.samples},
                    {"which", report.samples},
                    {"runs", d.runs},
                    {"outputs", std::move(outputs)},
                    {"simulated_sqnr_db", tenths(d.all)},
                    {"weights_sqnr_db", tenths(d.weights)},
                    {"values_sqnr_db", tenths(d.values)},
                    {"ranked", std::move(worst)},
                    {"widened", std::move(widened)},
                    {"layers", std::move(layers)}};
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string doctor_csv(const DoctorReport& report) {
  std::string out =
      "part,layer,type,bits,own_sqnr_db,accumulated_sqnr_db,amplification_db,clipped,without,without_error,"
      "alone,"
      "alone_error\n";
  const auto number = [](double value) { return fmt::format("{}", value); };
  for (const RankedPart& ranked : quantize::ranked(report.diagnosis)) {
    const auto& [layer, part] = ranked;
    out += csv_line({name_of(ranked), layer->name, layer->type,
                     std::to_string(bits_of(report, layer->name, ranked.is_weights())),
                     number(tenths(layer->own.sqnr())), number(tenths(layer->accumulated.sqnr())),
                     number(tenths(layer->amplification())), number(rounded(layer->clipped, 1e6)),
                     number(thousandths(part->without.share)), number(thousandths(part->without.error)),
                     number(thousandths(part->alone.share)), number(thousandths(part->alone.error))});
  }
  return out;
}

}  // namespace n2d2::app
