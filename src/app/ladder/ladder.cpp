#include "ladder.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "n2d2/base/log.hpp"
#include "n2d2/base/progress.hpp"
#include "n2d2/quantize/diagnose.hpp"
#include "n2d2/quantize/sample_check.hpp"
#include "n2d2/quantize/value_widths.hpp"
#include "n2d2/tensor/integer_types.hpp"

#include "accuracy_judge.hpp"
#include "calibration.hpp"
#include "climb.hpp"
#include "doctor/doctor.hpp"
#include "files.hpp"
#include "ladder_report.hpp"
#include "look/analysis.hpp"
#include "look/statistics.hpp"
#include "score.hpp"

namespace n2d2::app {

namespace {

/// Values of layers whose RAM is planned, each alone; others count as many bytes as they are.
constexpr size_t kMostPlannedAlone = 16;
constexpr int kWideBits = 2 * kBitsOfByte;

using WidthsOfLayers = std::map<std::string, LayerWidths, std::less<>>;

/// Standard error of the difference of two shares of paired decisions, in points.
double error_of_drop(const data::Agreement& a, bool has_labels) {
  const data::PairedCounts& p = a.paired();
  const double n = static_cast<double>(std::max<int64_t>(1, a.decisions()));
  const auto lost = static_cast<double>(has_labels ? p.only_floats : a.decisions() - a.equal());
  const auto won = static_cast<double>(has_labels ? p.only_integers : 0);
  return 100 * std::sqrt(std::max(0.0, lost + won - (lost - won) * (lost - won) / n)) / n;
}

class Ladder {
 public:
  Ladder(const LadderStart& start, const quantize::StoredCalibration& calibration,
         const quantize::Options& options)
      : net_(start.net),
        options_(start.options),
        target_(start.target),
        request_(start.request),
        ranges_(calibration.ranges),
        quantize_(options),
        rounding_(calibration.rounding.value_or(quantize::Rounding{})),
        judge_(start.net, start.options, start.net.graph) {}

  void run() {
    const auto build = export_of({}, nullptr);
    if (!build->runs())
      throw ConfigError(fmt::format("{}: '-export {}' does not run in process", option_names(options_),
                                    options_.export_type),
                        {}, "'-calibOnly' measures it as '-export CPP' would be");
    const Figures asked = figures_of(*build, {});
    judge_.check_floats(last_);
    report_.goal = judge_.goal().text(), report_.samples = judge_.text();
    report_.has_labels = judge_.has_labels();
    add("as it is", {}, asked);
    if (!asked.holds()) learn();
    if (!holds()) widen();
    report_.error = error_of_drop(first_of_classes(last_), judge_.has_labels());
    report_.widths = chosen_;
  }

  bool holds() const { return report_.rungs.back().figures.holds(); }
  const LadderReport& report() const { return report_; }
  quantize::Rounding rounding() const { return mixed(rung_); }

 private:
  /// The export with these widths beside those that are asked for; null where it cannot be.
  std::unique_ptr<const targets::Build> export_of(const Widening& widening, graph::Graph* integers) const {
    const log::Capture said_again_when_it_counts;
    const quantize::Options options = widened(widening);
    graph::Graph graph = net_.graph;
    if (!rounding_.layers.empty()) quantize::apply_rounding(graph, mixed(widening));
    pipeline::quantize(graph, ranges_, options);
    if (integers != nullptr) *integers = graph;
    return pipeline::plan(graph, request_, target_);
  }

  bool is_refused(const Widening& widening) const {
    Diagnostics findings;
    const quantize::Options options = widened(widening);
    quantize::refuse_widths(
        net_.graph, options.widths, options.bits, [](const graph::Node&) { return std::nullopt; }, findings);
    return findings.has_errors();
  }

  std::unique_ptr<const targets::Build> export_or_none(const Widening& widening) const {
    if (is_refused(widening)) return nullptr;
    try {
      return export_of(widening, nullptr);
    } catch (const ExportError&) {  // more than the budget of memory, or a sum beyond its accumulator
      return nullptr;
    }
  }

  WidthsOfLayers widths_of(const Widening& widening) const {
    WidthsOfLayers out;
    for (size_t i = 0; i < widening.values.size(); ++i)
      if (widening.values[i]) out[candidates_.values[i].layer].activations = kWideBits;
    for (size_t i = 0; i < widening.weights.size(); ++i)
      if (widening.weights[i]) out[candidates_.weights[i].layer].weights = kBitsOfByte;
    return out;
  }

  quantize::Options widened(const Widening& widening) const {
    quantize::Options out = quantize_;
    for (const auto& [layer, widths] : widths_of(widening)) out.widths.set(layer, widths);
    return out;
  }

  /// Weights of 8 bits are rounded for themselves.
  quantize::Rounding mixed(const Widening& widening) const {
    const WidthsOfLayers widths = widths_of(widening);
    quantize::Rounding out = rounding_;
    std::erase_if(out.layers, [&](const quantize::RoundedLayer& layer) {
      const auto found = widths.find(layer.name);
      return found != widths.end() && found->second.weights > 0;
    });
    for (const quantize::RoundedLayer& layer : of_bytes_.layers)
      if (const auto found = widths.find(layer.name); found != widths.end() && found->second.weights > 0)
        out.layers.push_back(layer);
    return out;
  }

  const data::Agreement& first_of_classes(const std::vector<data::Agreement>& all) const {
    return *std::find_if(all.begin(), all.end(), [](const data::Agreement& a) { return a.has_classes(); });
  }

  Figures figures_of(const targets::Build& build, const Widening& widening) {
    last_ = judge_.agreements(build);
    const data::Agreement& first = first_of_classes(last_);
    report_.floats = judge_.right(first);
    Figures out{report_.floats.integers, report_.floats.all, judge_.lacking(last_), first.outputs().sqnr()};
    if (const program::Program* program = build.program()) {
      const ExportSizes sizes = sizes_of(*program);
      out.ram = sizes.ram, out.flash = sizes.weights + sizes.other_constants;
    }
    const quantize::Options options = widened(widening);
    const auto widths = quantize::value_widths(net_.graph, options.widths, options.bits);
    for (const graph::NodeId id : net_.graph.schedule()) {
      const graph::Node& node = net_.graph.node(id);
      const int64_t products = products_of(net_.graph, node);
      out.products += products;
      if (products > 0 && widths.at(node.inputs[0]).held > kBitsOfByte) out.of_wide += products;
    }
    return out;
  }

  void add(std::string what, const Widening& widening, const Figures& figures) {
    report_.rungs.push_back({std::move(what), widening, figures});
  }

  quantize::BatchSource source(CalibrationSamples& samples) const {
    return [&samples](int64_t index, Tensor& batch) { return samples.read(index, batch); };
  }

  /// Weights are learnt by blocks, and kept where more is right then.
  void learn() {
    if (quantize_.effort != 1 || rounding_.layers.empty()) return;
    log::info("Accuracy: {} decisions are missing; weights are learnt by blocks (-quant-effort 2)",
              report_.rungs.back().figures.lacking);
    quantize::Options options = quantize_;
    options.effort = 2;
    CalibrationSamples samples(net_, options_.calib, CalibrationSamples::Say::Nothing);
    quantize::Rounding before = rounding_;
    rounding_ =
        pipeline::learn_blocks(net_.graph, ranges_, options, before, source(samples), inference_options(net_))
            .rounding;
    const Figures& asked = report_.rungs.front().figures;
    const Figures learnt = figures_of(*export_of({}, nullptr), {});
    const bool helps = std::tuple(-learnt.lacking, learnt.snr) > std::tuple(-asked.lacking, asked.snr);
    add("weights learnt by blocks", {}, learnt);
    if (helps) return;
    rounding_ = std::move(before);
    add("without learning, which does not help", {}, figures_of(*export_of({}, nullptr), {}));
  }

  void widen() {
    find_candidates();
    log::info("Accuracy: {} decisions are missing; {} values may have 16 bits, {} weights 8",
              report_.rungs.back().figures.lacking, candidates_.values.size(), candidates_.weights.size());
    progress::Task task("Choosing bits", 0, "choices");
    const Measure measure = [&](const Widening& widening) -> std::optional<Figures> {
      const auto build = export_or_none(widening);
      if (!build) return {};
      const Figures out = figures_of(*build, widening);
      task.at(task.done() + 1,
              [&] { return fmt::format("the last one has {} right of {}", out.right, out.decisions); });
      return out;
    };
    Climbed climbed = climb(candidates_, report_.rungs.back().figures, measure);
    for (Rung& rung : climbed.rungs) report_.rungs.push_back(std::move(rung));
    report_.is_fewest = climbed.is_fewest;
    rung_ = report_.rungs.back().widening;
    chosen_ = widths_of(rung_);
    if (holds()) last_ = judge_.agreements(*export_of(rung_, nullptr));
  }

  void find_candidates() {
    graph::Graph integers = net_.graph;
    export_of({}, &integers);
    const Tensor samples = first_of(judge_.data(), samples_to_examine(net_.graph, integers));
    const quantize::Diagnosis diagnosis =
        quantize::diagnose(net_.graph, integers, samples, inference_options(net_));
    for (const quantize::LayerFigures& layer : diagnosis.layers) add_candidates(layer);
    plan_values();
    if (candidates_.weights.empty() || rounding_.layers.empty()) return;
    quantize::Options of_bytes = quantize_;
    for (const Candidate& candidate : candidates_.weights)
      of_bytes.widths.set(candidate.layer, {kBitsOfByte, 0});
    CalibrationSamples calibrates(net_, options_.calib, CalibrationSamples::Say::Nothing);
    of_bytes_ =
        quantize::find_rounding(net_.graph, ranges_, of_bytes, source(calibrates), inference_options(net_));
  }

  void add_candidates(const quantize::LayerFigures& layer) {
    const graph::Value& value = net_.graph.value(net_.graph.find_value(layer.name).value());
    if (!value.producer) return;
    const graph::Node& node = net_.graph.node(value.producer);
    if (layer.may_widen && layer.values && target_.takes_mixed_widths())
      candidates_.values.push_back(
          {node.name, layer.values->without.share, value.type.shape.with_batch(1).elements()});
    if (!layer.weights) return;
    const auto widths = quantize::value_widths(net_.graph, quantize_.widths, quantize_.bits);
    const int bits = quantize::weight_bits(net_.graph, node, quantize_.widths, quantize_.bits,
                                           widths.at(node.inputs.at(0)));
    const int64_t weights = net_.graph.value(node.inputs.at(1)).type.shape.elements();
    if (bits < kBitsOfByte)
      candidates_.weights.push_back(
          {node.name, layer.weights->without.share, weights * (kBitsOfByte - bits) / 8});
  }

  /// Leaves out values that no kernel takes in 16 bits, and plans memory with each of the others.
  void plan_values() {
    Candidates left{{}, candidates_.weights};
    const int64_t before = report_.rungs.back().figures.ram;
    std::vector<Candidate> values = std::move(candidates_.values);
    std::stable_sort(values.begin(), values.end(),
                     [](const Candidate& a, const Candidate& b) { return a.gain > b.gain; });
    for (size_t i = 0; i < values.size(); ++i) {
      candidates_ = {{values[i]}, {}};
      const Widening alone{{true}, {}};
      if (is_refused(alone)) continue;
      left.values.push_back(values[i]);
      if (i >= kMostPlannedAlone || values[i].gain <= 0) continue;
      const auto build = export_or_none(alone);
      if (!build) left.values.pop_back();
      if (build && build->program() != nullptr)
        left.values.back().bytes = std::max<int64_t>(0, sizes_of(*build->program()).ram - before);
    }
    candidates_ = std::move(left);
  }

  const loader::Network& net_;
  const Options& options_;
  const targets::Export& target_;
  const pipeline::Request& request_;
  const quantize::Ranges& ranges_;
  const quantize::Options& quantize_;
  quantize::Rounding rounding_, of_bytes_;
  const AccuracyJudge judge_;
  Candidates candidates_;
  Widening rung_;
  WidthsOfLayers chosen_;
  std::vector<data::Agreement> last_;  // of the export that was measured last
  LadderReport report_;
};

}  // namespace

LadderResult climb_ladder(const LadderStart& start, quantize::StoredCalibration& calibration,
                          quantize::Options& quantize) {
  if (!calibration.chosen)
    calibration.chosen = {"", quantize.activation_clipping, quantize.effort, {}, std::nullopt};
  LadderResult out;
  if (calibration.chosen->widths) {
    log::info(
        "Accuracy: the bits of {} layers, as chosen before; statistics/ladder.json is not written again",
        calibration.chosen->widths->size());
  } else {
    Ladder ladder(start, calibration, quantize);
    ladder.run();
    const LadderReport& report = ladder.report();
    print(console_text(report));
    if (!ladder.holds())
      throw ExportError(fmt::format("{} is asked for, on {}: no rung is enough, the best has {} of {} right",
                                    report.goal, report.samples, most_right(report), report.floats.all),
                        {start.options.model, 0},
                        "'-doctor' names the layers that cost most; '-nbbits 16' has 16 bits everywhere");
    if (calibration.rounding) calibration.rounding = ladder.rounding();
    calibration.chosen->widths = report.widths;
    out.files.emplace_back("statistics/ladder.json", ladder_json(report));
    const Figures& last = report.rungs.back().figures;
    out.rows.emplace_back("accuracy that was asked for",
                          fmt::format("{}; {} of {} right on {}, floats {}", report.goal, last.right,
                                      last.decisions, report.samples, report.floats.floats));
  }
  for (const auto& [layer, widths] : *calibration.chosen->widths) quantize.widths.set(layer, widths);
  return out;
}

}  // namespace n2d2::app
