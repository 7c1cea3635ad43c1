#include "export_network.hpp"

#include <algorithm>
#include <cctype>
#include <span>
#include <tuple>

#include "n2d2/base/first_few.hpp"
#include "n2d2/base/log.hpp"
#include "n2d2/base/progress.hpp"
#include "n2d2/export/file_tree.hpp"
#include "n2d2/loader/weights_file.hpp"
#include "n2d2/pipeline/pipeline.hpp"
#include "n2d2/quantize/calibration_files.hpp"
#include "n2d2/quantize/check_integers.hpp"
#include "n2d2/quantize/given_scales.hpp"
#include "n2d2/quantize/quantize_graph.hpp"
#include "n2d2/quantize/zero_points.hpp"

#include "calibration.hpp"
#include "check_samples.hpp"
#include "compare_floats.hpp"
#include "doctor/doctor.hpp"
#include "export_steps.hpp"
#include "files.hpp"
#include "judge_export.hpp"
#include "ladder/accuracy_judge.hpp"
#include "ladder/ladder.hpp"
#include "look/log_outputs.hpp"
#include "memory_limits.hpp"
#include "pictures.hpp"
#include "provenance.hpp"
#include "report_of_run.hpp"
#include "score.hpp"
#include "weight_rows.hpp"
#include "weights.hpp"

namespace n2d2::app {

namespace {

/// What was asked of calibration and has nothing to act on when all scales come with the model.
std::vector<std::string> idle_options(const Options& o, bool rounds_weights) {
  const quantize::Options usual;
  std::vector<std::string> idle;
  const bool is_of_samples = !o.calib_dir.empty() || !o.calib_npy.empty();
  if (o.calib != 0 && !(is_of_samples && o.calib < 0)) idle.emplace_back("-calib");
  if (!o.calib_dir.empty() && !o.test_dir.empty()) idle.emplace_back("-calib-dir");
  if (!o.calib_npy.empty() && !o.test_dir.empty()) idle.emplace_back("-calib-npy");
  if (o.calib_reload) idle.emplace_back("-calib-reload");
  if (o.activation_clipping != usual.activation_clipping) idle.emplace_back("-act-clipping-mode");
  if (o.weight_clipping != usual.weight_clipping && !rounds_weights) idle.emplace_back("-wt-clipping-mode");
  if (o.quant_effort != usual.effort) idle.emplace_back("-quant-effort");
  if (o.max_drop >= 0) idle.emplace_back("-max-drop");
  if (o.min_accuracy >= 0) idle.emplace_back("-min-accuracy");
  if (!o.rescale_per_output && !rounds_weights) idle.emplace_back("-act-rescale-per-output");
  return idle;
}

/// Where an export keeps what was measured for it, below its folder.
constexpr const char* kCalibration = "statistics/calibration/calibration.txt";

/// Returns the name of the folder for an export of the type that the network is prepared for.
std::string export_folder(const Options& o) {
  return targets::folder_name(o.prepared_type(), static_cast<int>(o.nb_bits));
}

/// What this run makes.
std::string result_folder(const loader::Network& net, const Options& o) {
  const std::string calibration = file_name(fmt::format("calib_{}_int{}", net.name, o.nb_bits));
  return o.in_output(o.calib_only ? calibration : export_folder(o)).string();
}

/// Beside the weights, -calibOnly keeps what the export takes.
CalibrationFile calibration_file(const loader::Network& net, const Options& o) {
  const std::filesystem::path folder = result_folder(net, o), weights = weights_folder(net, o);
  return {folder / kCalibration,
          weights.empty() ? weights : weights / (export_folder(o) + ".calibration.txt"), o.calib_reload};
}

/// Measures what the model brings no scale for: nothing at all when it was quantized before.
quantize::StoredCalibration missing_ranges(loader::Network& net, const Options& o,
                                           const pipeline::Prepared& prepared,
                                           const cluster::Cluster& cluster) {
  std::vector<std::string> missing = quantize::values_without_scale(net.graph, prepared.options.output_bits);
  const std::optional<quantize::ByteGrid> bytes = settled_by_bytes(net, prepared.was_quantized, missing);
  const std::vector<std::string> floats = quantize::weights_without_scale(net.graph);
  if (prepared.was_quantized && !floats.empty())
    log::warn(
        "the model brings no integers for the weights of {}: they are rounded now, which changes its results",
        first_few(floats));
  if (missing.empty()) {
    const std::vector<std::string> idle = idle_options(o, !floats.empty());
    log::info("Scales: all of them come with the model{}",
              idle.empty() ? "" : "; without effect: " + join(idle, ", "));
    if (!bytes) return {};
    return {{}, std::nullopt, quantize::ranges_of_bytes(net.graph, *bytes)};
  }
  if (o.calib == 0)
    throw ConfigError(fmt::format("the model brings no scale for {}", first_few(missing)), {},
                      "'-calib -1' measures what is missing on all stimuli");
  if (prepared.was_quantized)
    log::info("Scales: those of {} are measured, the others come with the model", first_few(missing));
  const bool keeps_scales = prepared.was_quantized || o.no_cle;
  quantize::Options options = quantize_options(o);
  options.widths = prepared.options.widths;
  return calibrated(net, o.calib, options,
                    keeps_scales ? pipeline::Equalization::Off : pipeline::Equalization::On,
                    calibration_file(net, o), AccuracyGoal(o).text(), cluster);
}

/// Histograms with the thresholds of the integers, beside their counts.
void draw_histograms(const graph::Graph& graph, const quantize::Ranges& ranges, exporter::FileTree& tree) {
  for (const auto& [id, stem] : quantize::calibration_stems(graph, ranges)) {
    const auto& histogram = ranges.values.at(id).histogram;
    const graph::Value& value = graph.value(id);
    if (!histogram || !value.type.quant) continue;
    const plot::Canvas canvas = plot::draw(histogram_chart(value.name, *histogram, *value.type.quant));
    const std::string path = "statistics/calibration/outputs_histogram/" + stem;
    canvas.write_svg(tree.reserve(path + ".svg"));
    canvas.write_png(tree.reserve(path + ".png"));
  }
}

}  // namespace

exporter::ExtraFiles choose_setting(loader::Network& net, const graph::Graph* unequalized, const Options& o,
                                    quantize::Options& options, quantize::StoredCalibration& calibration) {
  exporter::ExtraFiles files;
  if (!calibration.rounding) {
    CalibrationSamples samples(net, o.calib, CalibrationSamples::Say::Nothing);
    progress::Task task("Choosing a setting", 0, "samples read");
    const auto source = [&](int64_t index, Tensor& batch) {
      if (!samples.read(index, batch)) return false;
      task.at(task.done() + batch.shape().n());
      return true;
    };
    const pipeline::Choice choice =
        pipeline::choose(net.graph, unequalized, calibration, options, source, inference_options(net));
    if (!choice.blocks.empty()) files.emplace_back("statistics/blocks.csv", quantize::to_csv(choice.blocks));
  } else if (calibration.chosen && !calibration.chosen->name.empty()) {
    log::notice("setting, as measured before: {}", calibration.chosen->name);
  }
  if (calibration.chosen) {
    options.activation_clipping = calibration.chosen->activation_clipping;
    options.effort = calibration.chosen->effort;
    if (!calibration.chosen->tried.empty())
      files.emplace_back("statistics/settings.csv", pipeline::to_csv(*calibration.chosen));
  }
  files.emplace_back("statistics/rounding.csv", quantize::to_csv(*calibration.rounding));
  return files;
}

namespace {

struct Quantized {
  quantize::QuantReport report;
  exporter::ExtraFiles files;                             ///< written below statistics/
  std::vector<std::pair<std::string, std::string>> rows;  ///< of the README
  std::optional<graph::Graph> floats;  ///< with -doctor: what became integers, its weights not rounded
  std::vector<report::Histogram> histograms;
};

/// Scales from the model or from calibration samples, then integers in the graph. What was measured is
/// written to the tree; returns what quantization decided.
Quantized quantize_network(loader::Network& net, const pipeline::Prepared& prepared,
                           std::span<const PrunedLayer> pruned, const Options& o,
                           const targets::Export& target, const pipeline::Request& request,
                           const pipeline::Hooks& hooks, const cluster::Cluster& cluster,
                           exporter::FileTree& tree) {
  std::optional<graph::Graph> unequalized;
  if (prepared.options.effort > 0) unequalized = net.graph;
  quantize::StoredCalibration calibration = missing_ranges(net, o, prepared, cluster);
  const quantize::Ranges& ranges = calibration.ranges;
  const quantize::Ranges measured = ranges.samples > 0 ? ranges : quantize::Ranges{};
  quantize::Options options = prepared.options;
  if (options.zero_points) options.bytes = quantize::byte_grid(table_of_pictures(net));
  exporter::ExtraFiles files;
  const bool chooses = options.effort > 0 && ranges.samples > 0;
  if (chooses) files = choose_setting(net, &*unequalized, o, options, calibration);
  LadderResult climbed;
  if (ranges.samples > 0 && AccuracyGoal(o).is_asked())
    climbed = climb_ladder({net, o, target, request}, calibration, options);
  for (auto& file : climbed.files) files.push_back(std::move(file));
  const CalibrationCheck check(net, o);
  std::optional<graph::Graph> floats;
  if (o.doctor) floats = net.graph;
  if (chooses) pipeline::apply_rounding(net.graph, *calibration.rounding);
  if (ranges.samples > 0)
    tree.write_pieces(kCalibration, [&](const auto& take) { quantize::print(net.graph, calibration, take); });
  quantize::QuantReport report = pipeline::quantize(net.graph, ranges, options, hooks);
  note_pruned(report, pruned);
  const quantize::SampleReport checked = check.judge(net, measured, prepared.was_quantized, o.strict);
  quantize::calibration_files(net.graph, measured, [&](const std::string& path, const std::string& content) {
    tree.write("statistics/calibration/" + path, content);
  });
  if (o.log_files) draw_histograms(net.graph, measured, tree);
  files.emplace_back("statistics/quantization.json", quantize::to_json(report, checked));
  return {std::move(report), std::move(files), std::move(climbed.rows), std::move(floats),
          histograms_of(net.graph, measured)};
}

/// Whether the export runs on the Test samples.
bool is_scored(const Options& o) {
  return o.test || o.learns();
}

/// A network on its way through the pipeline, and what has become of it.
class ExportRun {
 public:
  ExportRun(loader::Network& net, const Options& o, const targets::Export& target, GraphDump& dump,
            const cluster::Cluster& cluster)
      : net_(net),
        o_(o),
        target_(target),
        cluster_(cluster),
        request_(pipeline_request(net, o)),
        hooks_(hooks_of(dump)) {}

  /// The graph as the target takes it, with integers when the export has them.
  void prepare(exporter::FileTree& tree) {
    const std::vector<PrunedLayer> pruned = pruned_layers(net_);
    const pipeline::Prepared prepared = pipeline::prepare(net_.graph, request_, target_, hooks_);
    Quantized made;
    if (o_.is_integer() && !prepared.has_integers)
      made = quantize_network(net_, prepared, pruned, o_, target_, request_, hooks_, cluster_, tree);
    files = std::move(made.files);
    rows = weight_rows(made.report, pruned);
    add_layers(net_.graph, report);
    add_quantization(made.report, report);
    add_histograms(std::move(made.histograms), report);
    for (auto& row : made.rows) rows.push_back(std::move(row));
    if (made.floats) doctor_.emplace(net_, o_, *std::move(made.floats), net_.graph, std::move(made.report));
    if (o_.doctor && prepared.has_integers)
      log::notice("-doctor: a graph of integers has no floats to compare with");
    if (o_.log_outputs > 0) log_outputs(net_, o_.log_outputs, o_.in_output("outputs_export").string());
    judge_.emplace(net_.graph);
  }
  const targets::Build& plan() {
    build_ = pipeline::plan(net_.graph, request_, target_, hooks_);
    build_->describe(report);
    return *build_;
  }
  void judge() { add_judged(judge_export(net_, *judge_, *build_, target_.judge_samples()), report); }
  void diagnose() {
    if (!doctor_) return;
    const std::optional<DoctorReport> found = doctor_->run(*build_);
    if (!found) return;
    files.emplace_back("statistics/doctor.json", doctor_json(*found));
    files.emplace_back("statistics/doctor.csv", doctor_csv(*found));
    add_diagnosis(*found, report);
  }
  /// Returns the rows of the README about it.
  std::vector<std::pair<std::string, std::string>> score() {
    std::optional<FloatsBeside> beside;
    if (floats_ && build_->runs()) beside.emplace(net_, *std::move(floats_));
    ScoredExport scored = score_export(net_, *build_, o_, beside ? &*beside : nullptr);
    if (beside && !scored.rows.empty()) files.emplace_back("statistics/score.json", beside->json());
    add_scores(net_, scored, beside ? &*beside : nullptr, report);
    return std::move(scored.rows);
  }
  void write(exporter::Samples samples, exporter::FileTree& tree) const {
    const progress::Task task("Writing the export");
    samples.judge = [this](const Tensor& sample) { return judge_->run(sample); };
    build_->write(samples, tree);
  }

  exporter::ExtraFiles files;                             ///< written below statistics/
  std::vector<std::pair<std::string, std::string>> rows;  ///< of the README, about the weights
  report::Report report;

 private:
  pipeline::Hooks hooks_of(GraphDump& dump) {
    return {dump.context(net_), [this, &dump](pipeline::Form form, const graph::Graph& graph) {
              if (form == pipeline::Form::Floats && o_.log_files)
                loader::save_weights(graph, o_.in_output("weights_export"));
              if (form == pipeline::Form::Floats && o_.is_integer() && is_scored(o_)) floats_ = graph;
              if (form == pipeline::Form::Integers) dump.network("quantize_graph", net_);
            }};
  }

  loader::Network& net_;
  const Options& o_;
  const targets::Export& target_;
  const cluster::Cluster& cluster_;
  const pipeline::Request request_;
  const pipeline::Hooks hooks_;
  std::optional<graph::Graph> floats_;  // before integers, where both are scored
  std::optional<Doctor> doctor_;
  std::optional<compute::Judge> judge_;
  std::unique_ptr<const targets::Build> build_;
};

/// Whether nothing is compared with the outputs, and no class of theirs has a name.
bool counts_no_classes(const loader::Network& net) {
  return net.database->labels().empty() &&
         std::all_of(net.targets.begin(), net.targets.end(), [](const loader::TargetPlace& place) {
           const data::TargetOptions& options = place.target.options();
           return !options.data_as_target && options.labels_file.empty() && options.labels_mapping.empty();
         });
}

}  // namespace

std::optional<quantize::ByteGrid> settled_by_bytes(const loader::Network& net, bool was_quantized,
                                                   std::vector<std::string>& missing) {
  const std::string& input = net.graph.value(net.graph.inputs().at(0)).name;
  const auto found = std::find(missing.begin(), missing.end(), input);
  if (!was_quantized || found == missing.end()) return std::nullopt;
  const std::optional<quantize::ByteGrid> grid = quantize::byte_grid(table_of_pictures(net));
  if (grid) missing.erase(found);
  return grid;
}

pipeline::Request pipeline_request(const loader::Network& net, const Options& o) {
  // A state is an input in the order of its map.
  const bool has_states = std::any_of(net.inputs.begin(), net.inputs.end(),
                                      [](const JoinedInput& input) { return !input.state_of.empty(); });
  return {o.prepared_type(),
          quantize_options(o),
          net.widths,
          outputs_of(net),
          o.model,
          o.reads_onnx(),
          !has_states && counts_no_classes(net)};
}

quantize::Options quantize_options(const Options& o) {
  quantize::Options q;
  q.bits = o.integer_bits();
  if (o.nb_bits < q.bits) q.widths.others.weights = static_cast<int>(o.nb_bits);
  q.weight_clipping = o.weight_clipping;
  q.activation_clipping = o.activation_clipping;
  q.quantile = o.quantile;
  q.rescaling = quantize::rescale_mode(o.rescaling);
  q.per_output = o.rescale_per_output != 0;
  q.effort = static_cast<int>(o.quant_effort);
  q.allow_unsigned = !o.no_unsigned;
  return q;
}

Options options_for(const graph::Graph& graph, const Options& o) {
  const int bits = quantize::quantized_bits(graph);
  if (bits == 0) return o;
  if (o.calib_only) throw ConfigError("option -calibOnly: the graph holds integers already", {o.model, 0});
  if (o.test && !o.exports())
    throw ConfigError("option -test: the graph holds integers, which run in an export only", {o.model, 0},
                      "'-test' beside '-export CPP' scores them");
  if (o.exports() && o.nb_bits != bits)
    throw ConfigError(
        fmt::format("option -nbbits: the graph holds integers of {} bits, got '{}'", bits, o.nb_bits),
        {o.model, 0}, fmt::format("'-nbbits {}'", bits));
  std::vector<std::string> idle = idle_options(o, false);
  if (o.no_unsigned) idle.emplace_back("-no-unsigned");
  if (o.no_cle) idle.emplace_back("-no-cle");
  Options settled = o;
  settled.graph_bits = bits;
  settled.rescaling = ValueText<RescaleMode>::print(quantize::rescaling_of(graph));
  if (o.rescaling != Options().rescaling && o.rescaling != settled.rescaling)
    idle.emplace_back("-act-rescaling-mode");
  if (o.exports())
    log::info("Scales: all of them come with the model{}",
              idle.empty() ? "" : "; without effect: " + join(idle, ", "));
  return settled;
}

void check_calibration(const loader::Network& net, const Options& o) {
  if (!o.prepares_export() || !o.is_integer() || o.calib != 0 || quantize::has_given_scales(net.graph) ||
      loader::has_learnt_quantizers(net))
    return;
  if (o.calib_only)
    throw ConfigError("option -calibOnly: missing -calib, which says how many stimuli are measured", {},
                      "'-calib -1' calibrates on all stimuli");
  throw ConfigError(
      fmt::format("-export {} -nbbits {}: an integer export needs calibration", o.export_type, o.nb_bits), {},
      o.reads_onnx()
          ? "'-calib-dir <folder of pictures>' or '-calib-npy <file>' gives samples to calibrate on, "
            "'-nbbits -32' exports floats"
          : "'-calib -1' calibrates on all stimuli, '-nbbits -32' exports floats");
}

namespace {

exporter::Foreign foreign_files(const Options& o) {
  return o.overwrite ? exporter::Foreign::Overwrite : exporter::Foreign::Refuse;
}

/// The files with those that say where all of it comes from, then everything into place.
void finish(const loader::Network& net, const Options& o, const std::string& made_of,
            exporter::ExtraFiles files, report::Report report, exporter::FileTree& tree) {
  files.emplace_back("provenance.json", made_of);
  for (auto& file : report_files(std::move(report), made_of)) files.push_back(std::move(file));
  files.emplace_back("statistics/transformations/transformations.dot", net.data->describe());
  for (const auto& [path, content] : files) tree.write(path, content);
  tree.commit();
  keep_beside_weights(calibration_file(net, o));
}

}  // namespace

void share_calibration(loader::Network& net, const Options& o, const targets::Export& target,
                       const cluster::Cluster& cluster) {
  const pipeline::Prepared prepared = pipeline::prepare(net.graph, pipeline_request(net, o), target);
  if (o.is_integer() && !prepared.has_integers) missing_ranges(net, o, prepared, cluster);
}

void calibrate_network(loader::Network& net, const Options& o, const targets::Export& target,
                       const WarningLog& warnings, GraphDump& dump, Summary& summary,
                       const cluster::Cluster& cluster) {
  const std::string folder = result_folder(net, o);
  exporter::FileTree tree(folder, foreign_files(o));
  const std::string weights = hash_of_weights(net.graph);
  ExportRun run(net, o, target, dump, cluster);
  run.prepare(tree);
  if (is_scored(o) || o.doctor) {
    run.plan();
    run.judge();
    run.diagnose();
    if (is_scored(o)) run.score();
  }
  begin_report(net, o, origin_rows(o), warnings, run.report);
  finish(net, o, provenance(net, o, weights), std::move(run.files), std::move(run.report), tree);
  summary.wrote(fmt::format("Calibrated and quantized, in '{}'", folder));
  summary.wrote_report(std::filesystem::path(folder) / "report.html");
}

void export_network(loader::Network& net, const Options& o, const targets::Export& target,
                    const WarningLog& warnings, GraphDump& dump, Summary& summary,
                    const cluster::Cluster& cluster) {
  const std::string folder = result_folder(net, o);
  exporter::FileTree tree(folder, foreign_files(o));
  expect_memory(net, o, target);
  const std::string weights = hash_of_weights(net.graph);
  ExportRun run(net, o, target, dump, cluster);
  run.prepare(tree);
  const targets::Build& build = run.plan();
  if (build.program() != nullptr) dump.program(*build.program());
  print(build.summary());
  std::vector<std::pair<std::string, std::string>> rows = origin_rows(o);
  for (const auto& [what, value] : run.rows) {
    print(fmt::format("{}{}: {}\n", static_cast<char>(std::toupper(what[0])), what.substr(1), value));
    rows.emplace_back(what, value);
  }
  run.judge();
  run.diagnose();
  if (is_scored(o))
    for (auto& row : run.score()) rows.push_back(std::move(row));
  exporter::Samples samples;
  if (build.takes_stimuli()) samples = export_samples(net, o);
  const size_t stimuli = samples.stimuli.size();
  begin_report(net, o, rows, warnings, run.report);
  add_feed(samples, run.report);
  samples.about = std::move(rows);
  const std::string made_of = provenance(net, o, weights);
  samples.provenance = made_of;
  run.write(std::move(samples), tree);
  finish(net, o, made_of, std::move(run.files), std::move(run.report), tree);
  const std::string with = build.takes_stimuli() ? fmt::format(" with {} stimuli", stimuli) : "";
  summary.wrote(fmt::format("Exported to '{}'{}", folder, with));
  if (const auto formats = o.package_formats(); !formats.empty() && build.program() != nullptr)
    summary.wrote(fmt::format("Packages for {} in '{}'", join(formats, ", "), folder + "/packages"));
  summary.wrote_report(std::filesystem::path(folder) / "report.html");
  suggest_project(folder, stimuli, o, summary);
}

}  // namespace n2d2::app
