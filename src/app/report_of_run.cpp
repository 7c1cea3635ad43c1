#include "report_of_run.hpp"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "n2d2/base/text.hpp"
#include "n2d2/report/write.hpp"

#include "float_figures.hpp"
#include "look/statistics.hpp"
#include "pictures.hpp"

namespace n2d2::app {

namespace {

using report::Layer;
using report::Report;
using report::Tile;

constexpr int kBitsOfFloats = 32;

void describe_output(const graph::Graph& graph, const std::vector<graph::ValueId>& outputs, Layer& layer) {
  const TensorType& type = graph.value(outputs.at(0)).type;
  layer.output = {type.shape.c(), type.shape.h(), type.shape.w()};
  layer.bits = type.quant ? type.quant->bits : kBitsOfFloats;
  layer.map_bytes = 0;
  for (const graph::ValueId output : outputs)
    *layer.map_bytes +=
        graph.value(output).type.shape.elements() * size_bytes(graph.value(output).type.dtype);
  if (!type.quant || type.quant->scale.empty()) return;
  layer.scale = type.quant->scale.at(0);
  if (type.quant->zero_point != 0) layer.zero_point = type.quant->zero_point;
}

std::string percent_text(double share) {
  return fmt::format("{:.2f} %", 100 * share);
}

Tile score_tile(std::string name, const data::Score& score, bool is_data) {
  if (is_data)
    return {std::move(name), fmt::format("{:.6g}", score.mean_squared_error()), "mean squared error", "",
            score.mean_squared_error()};
  return {std::move(name), percent_text(score.recognition_rate()),
          fmt::format("recognised of {} Test samples", with_thousands(score.samples())), "",
          rounded(score.recognition_rate(), 1e6)};
}

Tile agreement_tile(const data::Agreement& agreement) {
  const std::string outputs = "SQNR " + decibel_text(agreement.outputs().sqnr());
  if (!agreement.has_classes())
    return {"outputs as of floats", decibel_text(agreement.outputs().sqnr()), "SQNR", "",
            tenths(agreement.outputs().sqnr())};
  return {"classes as of floats", percent_text(agreement.share()),
          fmt::format("{} of {}; {}; {}", with_thousands(agreement.equal()),
                      with_thousands(agreement.decisions()), outputs, verdict(agreement)),
          "", rounded(agreement.share(), 1e6)};
}

/// Members of members are named "options.calib".
void add_facts(const nlohmann::ordered_json& json, const std::string& of, std::vector<report::Fact>& facts) {
  for (const auto& [key, value] : json.items()) {
    const std::string name = of.empty() ? key : of + "." + key;
    if (value.is_object())
      add_facts(value, name, facts);
    else
      facts.push_back({name, value.is_string() ? value.get<std::string>() : value.dump()});
  }
}

Tile macs_tile(const Report& report) {
  int64_t macs = 0;
  for (const Layer& layer : report.layers) macs += layer.macs.value_or(0);
  return {"MACs", with_thousands(macs), "multiply-accumulates of a sample", "", static_cast<double>(macs)};
}

}  // namespace

void add_layers(const graph::Graph& graph, Report& report) {
  for (const graph::ValueId id : graph.inputs()) {
    Layer& layer = report.layers.emplace_back();
    layer.name = graph.value(id).name, layer.type = "Input";
    describe_output(graph, {id}, layer);
  }
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    Layer& layer = report.layers.emplace_back();
    layer.name = node.name, layer.type = node.op->type();
    for (const graph::ValueId input : node.inputs) {
      const graph::Value& value = graph.value(input);
      if (!value.is_constant())
        layer.parents.push_back(value.producer ? graph.node(value.producer).name : value.name);
    }
    describe_output(graph, node.outputs, layer);
    layer.macs = products_of(graph, node);
  }
  report.tiles.push_back(macs_tile(report));
}

void add_quantization(const quantize::QuantReport& decided, Report& report) {
  std::map<std::string, Layer*> layers;
  for (Layer& layer : report.layers) layers.emplace(layer.name, &layer);
  for (const quantize::LayerReport& from : decided.layers) {
    const auto found = layers.find(from.name);
    if (found == layers.end()) continue;
    Layer& layer = *found->second;
    if (from.weight_bits > 0) layer.weight_bits = from.weight_bits;
    layer.clipping = from.clipping, layer.notes = from.notes;
    layer.threshold = from.threshold, layer.min = from.min, layer.max = from.max;
    if (from.accumulator_bits > 0) layer.headroom_bits = rounded(from.accumulator_headroom_bits, 100);
  }
}

std::vector<report::Histogram> histograms_of(const graph::Graph& graph, const quantize::Ranges& measured) {
  constexpr int64_t kBins = 64;
  std::vector<report::Histogram> out;
  for (const auto& [id, statistics] : measured.values) {
    const graph::Value& value = graph.value(id);
    if (!statistics.histogram || !value.type.quant) continue;
    const quantize::Histogram& from = *statistics.histogram;
    const QuantParams& quant = *value.type.quant;
    const auto real = [&](int64_t q) {
      return (static_cast<double>(q) - quant.zero_point) * static_cast<double>(quant.scale.at(0));
    };
    report::Histogram& to = out.emplace_back();
    to.name = value.producer ? graph.node(value.producer).name : value.name;
    to.min = from.min(), to.max = from.max();
    to.low = real(quant.lowest()), to.high = real(quant.highest());
    const int64_t bins = std::min(kBins, from.bins());
    to.counts.assign(static_cast<size_t>(bins), 0);
    for (int64_t i = 0; i < from.bins(); ++i) {
      const uint64_t count = from.counts()[static_cast<size_t>(i)];
      to.counts[static_cast<size_t>(i * bins / from.bins())] += static_cast<int64_t>(count);
    }
    to.clipped = rounded(clipped_share(from, quant), 1e6);
  }
  return out;
}

void add_histograms(std::vector<report::Histogram> histograms, Report& report) {
  for (Layer& layer : report.layers)
    for (const report::Histogram& histogram : histograms)
      if (histogram.name == layer.name) layer.clipped = histogram.clipped;
  report.histograms = std::move(histograms);
}

void add_diagnosis(const DoctorReport& found, Report& report) {
  for (Layer& layer : report.layers)
    for (const quantize::LayerFigures& figures : found.diagnosis.layers) {
      if (figures.name != layer.name) continue;
      layer.own_sqnr_db = tenths(figures.own.sqnr()), layer.sqnr_db = tenths(figures.accumulated.sqnr());
      double blame = 0;
      for (const auto* part : {&figures.weights, &figures.values})
        if (*part) blame += (*part)->without.share;
      layer.blame = rounded(blame, 1000);
    }
  for (const quantize::RankedPart& part : quantize::ranked(found.diagnosis))
    report.blame.push_back({part.layer->name, name_of(part),
                            bits_of(found, part.layer->name, part.is_weights()),
                            rounded(part.part->without.share, 1000), rounded(part.part->without.error, 1000),
                            rounded(part.part->alone.share, 1000), rounded(part.part->alone.error, 1000)});
}

void add_feed(const exporter::Samples& samples, Report& report) {
  const PixelTable& pixels = samples.pixels;
  std::vector<report::Fact>& facts = report.feed.facts;
  if (!pixels.mean.empty()) {
    for (size_t c = 0; c < pixels.mean.size(); ++c)
      facts.push_back({fmt::format("channel {}", c),
                       fmt::format("(value - {}) / {}", pixels.mean[c], pixels.deviation.at(c))});
  } else if (!pixels.reason.empty()) {
    facts.push_back({"bytes of pictures", "not taken: " + pixels.reason});
  } else {
    facts.push_back({"a pixel", join(pixels.channels, ", ")});
    const std::span<const float> values = pixels.values.span<float>();
    for (size_t c = 0; c * PixelTable::kValues < values.size(); ++c)
      facts.push_back(
          {fmt::format("channel {}", c),
           fmt::format("{}: byte 0 means {:.6g}, byte 255 means {:.6g}",
                       pixels.channels.at(static_cast<size_t>(pixels.source.at(c))),
                       values[c * PixelTable::kValues], values[(c + 1) * PixelTable::kValues - 1])});
  }
  if (!samples.labels.empty()) report.feed.labels = samples.labels.front();
}

void add_judged(const JudgedExport& judged, Report& report) {
  if (judged.layers == 0) {
    report.tiles.push_back({"bytes equal", "not judged", "no independent interpreter has run", "", {}});
    return;
  }
  report.tiles.push_back(
      {judged.has_integers ? "bytes equal" : "floats equal", "yes",
       fmt::format(
           "{} values of {} layers, {} samples and one of random values, against an independent interpreter",
           with_thousands(judged.values), judged.layers, judged.samples),
       "good", static_cast<double>(judged.values)});
}

namespace {

/// The counts of more classes would be most of the page.
constexpr int kMostClasses = 128;
constexpr size_t kMostDiffering = 100;

std::vector<int64_t> counts_of(const data::ConfusionMatrix& confusion) {
  std::vector<int64_t> out;
  for (int row = 0; row < confusion.classes(); ++row)
    for (int column = 0; column < confusion.classes(); ++column) out.push_back(confusion.count(row, column));
  return out;
}

report::Confusion confusion_of(const loader::TargetPlace& place, const data::Score& integers,
                               const data::Score* floats, const std::vector<DifferingSample>& differing) {
  report::Confusion out;
  out.target = place.section;
  const std::vector<std::string> names = place.target.class_names();
  const auto name = [&](int cls) {
    return cls < 0                                   ? std::string()
           : static_cast<size_t>(cls) < names.size() ? names[static_cast<size_t>(cls)]
                                                     : std::to_string(cls);
  };
  const int classes = integers.confusion().classes();
  if (classes <= kMostClasses) {
    for (int cls = 0; cls < classes; ++cls) out.classes.push_back(name(cls));
    out.integers = counts_of(integers.confusion());
    if (floats != nullptr) out.floats = counts_of(floats->confusion());
  }
  out.differing_in_all = static_cast<int64_t>(differing.size());
  for (size_t i = 0; i < std::min(kMostDiffering, differing.size()); ++i)
    out.differing.push_back({differing[i].name, name(differing[i].expected), name(differing[i].floats),
                             name(differing[i].integers)});
  return out;
}

}  // namespace

void add_scores(const loader::Network& net, const ScoredExport& scored, const FloatsBeside* floats,
                Report& report) {
  for (size_t t = 0; t < scored.scores.size(); ++t) {
    const data::Score& score = scored.scores[t];
    const std::string of = scored.scores.size() > 1 ? " of " + net.targets[t].section : "";
    const bool is_data = net.targets[t].target.options().data_as_target;
    if (!is_data)
      report.confusions.push_back(confusion_of(
          net.targets[t], score, floats != nullptr ? &floats->scores()[t] : nullptr, scored.differing[t]));
    report.tiles.push_back(score_tile("score" + of, score, is_data));
    if (floats == nullptr) continue;
    report.tiles.push_back(score_tile("score of floats" + of, floats->scores()[t], is_data));
    report.tiles.push_back(agreement_tile(floats->agreements()[t]));
  }
}

void begin_report(const loader::Network& net, const Options& o,
                  const std::vector<std::pair<std::string, std::string>>& about, const WarningLog& warnings,
                  Report& report) {
  report.kind = "export", report.network = net.name;
  report.title =
      fmt::format("{}, {}", o.prepared_type(),
                  o.is_integer() ? fmt::format("int{}", o.nb_bits) : fmt::format("float{}", -o.nb_bits));
  std::stable_partition(report.tiles.begin(), report.tiles.end(), [](const Tile& tile) {
    return tile.name.starts_with("score") || tile.name.ends_with("of floats");
  });
  std::vector<report::Fact> facts;
  for (const auto& [what, value] : about) facts.push_back({what, value});
  report.about.insert(report.about.begin(), facts.begin(), facts.end());
  report.warnings = warnings.texts(o);
}

exporter::ExtraFiles report_files(Report report, const std::string& provenance) {
  add_facts(nlohmann::ordered_json::parse(provenance), "", report.provenance);
  return {{"report.html", report::write_html(report)}, {"report.json", report::write_json(report)}};
}

}  // namespace n2d2::app
