#include "option_table.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "n2d2/data/database.hpp"
#include "n2d2/data/transformation.hpp"
#include "n2d2/export/packages.hpp"
#include "n2d2/loader/help.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/quantize/clipping.hpp"
#include "n2d2/targets/target.hpp"
#include "n2d2/training/filler.hpp"
#include "n2d2/training/solver.hpp"

namespace n2d2::app {

namespace {

using O = Options;

Option needing(Need need, Option option) {
  option.need = need;
  return option;
}

/// A run with it makes the same as one without.
Option of_run(Option option) {
  option.is_of_run = true;
  return option;
}

Option named_also(std::string_view alias, Option option) {
  option.alias = alias;
  return option;
}

Option choosing(std::vector<std::string> (*choices)(), Option option) {
  option.choices = choices;
  return option;
}

/// An option about the samples of a lone ONNX file.
Option of_samples(Option option) {
  option.is_of_samples = true;
  return option;
}

/// Any letter case.
bool ends_with(std::string_view text, std::string_view lower_end) {
  if (text.size() < lower_end.size()) return false;
  std::string end(text.substr(text.size() - lower_end.size()));
  std::transform(end.begin(), end.end(), end.begin(), [](unsigned char c) { return std::tolower(c); });
  return end == lower_end;
}

bool is_ini(std::string_view next) {
  return !next.starts_with('-') && ends_with(next, ".ini");
}

bool is_text_file(std::string_view next) {
  return !next.starts_with('-') && ends_with(next, ".txt");
}

bool is_form(std::string_view next) {
  return next == "text" || next == "json" || next == "html";
}

/// A subject of help: the next argument, if it is neither an option nor a network file.
bool is_subject(std::string_view next) {
  return !next.starts_with('-') && !ends_with(next, ".ini") && !ends_with(next, ".onnx") &&
         !ends_with(next, ".graph");
}

/// What there is to be told about, by name; without a name the names.
Option telling(std::vector<std::string> (*choices)(), Option option) {
  option.choices = choices;
  option.left_out = LeftOut{"list", is_subject};
  return option;
}

template <class E>
std::vector<std::string> names_of_enum() {
  return {EnumText<E>::names.begin(), EnumText<E>::names.end()};
}

bool is_count(std::string_view next) {
  return !next.empty() && next.find_first_not_of("0123456789") == std::string_view::npos;
}

Option verbose_option() {
  Option option{"verbose", &O::verbose, "n", "also print the time that each step took; 0: as without it"};
  option.left_out = LeftOut{"1", is_count};
  option.choices = [] { return std::vector<std::string>{"0", "1"}; };
  return option;
}

constexpr std::string_view kRoundMode =
    "accepted for command lines of N2D2: what was learnt is exported in integers, always";

std::vector<Option> general_options() {
  return {
      {"seed", &O::seed, "n", "random seed; 0: a drawn one when learning, else the one of seed.dat"},
      of_run(
          needing(Need::Learning, {"report", &O::report, "n",
                                   "number of stimuli between two counts of the progress of learning", 1})),
      of_run({"log-files", &O::log_files, "",
              "also write frames/, map/, schedule/, receptive_fields.log, weights_export/, misclassified "
              "samples and pictures (.svg, .png) of the network, learning, scores and calibration"}),
      {"no-exif", &O::no_exif, "",
       "keep pictures as they are stored; without it EXIF data rotate them upright"},
      {"module", &O::modules, "file", "shared library that extends the program; may be repeated"},
      of_run(needing(
          Need::Bench,
          {"bench", &O::bench, "",
           "write the time of each layer to the console and to timings/learning.dat or timings/test.dat"})),
      of_run({"o", &O::output, "folder",
              "folder where the run writes all files, and reads weights and seed.dat"}),
      of_run(
          {"cluster",
           &O::cluster,
           "how",
           "mpi: share the work with the processes that mpirun or srun has started, alone: do not; without "
           "it as the launcher says",
           0,
           {"mpi", "alone"}}),
      of_run({"quiet", &O::quiet, "",
              "print results, warnings and errors, but no progress, no notices and no next commands"}),
      of_run(verbose_option()),
      of_run({"strict", &O::strict, "", "treat warnings about keys and calibration as errors"}),
      of_run(needing(Need::Cuda, {"dev", &O::device, "id", "CUDA device; there is none, the CPU is used"})),
      of_run(needing(Need::Cuda,
                     {"multidev", &O::devices, "list", "CUDA devices; there are none, the CPU is used"})),
      of_run(needing(Need::Compatibility, {"dynamic-allocation", &O::dynamic_allocation, "",
                                           "accepted for command lines of N2D2; it shares CUDA devices"})),
      named_also("version", {"v", &O::version, "", "print the version"}),
      named_also("help", {"h", &O::help, "", "print this text"}),
  };
}

std::vector<Option> learning_options() {
  return {
      needing(Need::NoEpochs, {"learn", &O::learn, "n", "learn from n stimuli, drawn with replacement"}),
      {"learn-epoch", &O::learn_epoch, "n", "learn for n epochs; overrides -learn"},
      of_run(needing(Need::LearningByCount,
                     {"log", &O::log, "n", "number of stimuli between two validations with -learn", 1})),
      of_run(needing(Need::LearningByEpoch,
                     {"log-epoch", &O::log_epoch, "n",
                      "number of epochs between two validations with -learn-epoch, 0: never"})),
      choosing(names_of_enum<data::Metric>,
               needing(Need::Learning,
                       {"valid-metric", &O::valid_metric, "name",
                        "metric of the best validation: its largest value, but the smallest of MissRate, "
                        "FallOut, FalseDiscoveryRate and FalseOmissionRate, which count mistakes"})),
      needing(Need::Learning, {"stop-valid", &O::stop_valid, "n",
                               "stop after n consecutive validations without a better one, 0: never"}),
      needing(Need::Learning, {"ws", &O::window, "n", "number of stimuli of the running success rate", 1}),
      {"find-lr", &O::find_lr, "n",
       "learn from n stimuli while the learning rate grows from 1e-6 to 10, write find_lr_<target>.dat and "
       "pictures, suggest a rate, and end",
       1},
      {"bn-reestimate", &O::bn_reestimate, "n",
       "after learning, or of the weights of -w, set the means and variances of each BatchNorm to those of n "
       "batches of Learn, run forward only, and write weights_reestimated/; 200 are usual",
       1},
      of_run({"check", &O::check, "",
              "before learning, compare the gradients of each layer with finite differences of its outputs; "
              "a deviation above 0.001 is an error"}),
      {"test", &O::test, "", "score the Test samples; implied after learning"},
      of_run(needing(
          Need::LearntScoring,
          {"testQAT", &O::test_qat, "",
           "of a network that learns with QWeight and QAct, compare the values and classes of the Test "
           "samples as they were learnt, in floats, with those of the integers that an export has"})),
      of_run(needing(Need::LearntScoring,
                     {"qat-sat", &O::qat_sat, "",
                      "of such a network, score the integers, and write what they are made of to "
                      "weights_quantized/; exports always have them"})),
      of_run(needing(Need::Compatibility, {"wt-round-mode", &O::round_modes, "mode", kRoundMode})),
      of_run(needing(Need::Compatibility, {"b-round-mode", &O::round_modes, "mode", kRoundMode})),
      of_run(needing(Need::Compatibility, {"c-round-mode", &O::round_modes, "mode", kRoundMode})),
      needing(Need::Scoring, {"nb-test", &O::nb_test, "n", "score only the first n Test samples", -1}),
      needing(Need::Scoring,
              {"test-index", &O::test_index, "i", "score one Test sample by its position", -1}),
      needing(Need::Scoring,
              {"test-id", &O::test_id, "id", "score one Test sample by its id in the database", -1}),
      of_run(needing(Need::ScoringOrExport, {"log-outputs", &O::log_outputs, "n",
                                             "write the outputs of every layer for Test sample n, from 1 on, "
                                             "as .npy files into outputs_test_<n> or outputs_export_<n>",
                                             1})),
      of_run({"log-kernels", &O::log_kernels, "",
              "write the loaded or learnt weights to kernels/, a picture and a .dat file for each layer"}),
      of_run({"pre-samples", &O::pre_samples, "id",
              "write the Learn stimulus with this id in the database after every transformation, as pictures "
              "and .npy files into pre_samples_<id>",
              -1}),
      of_run({"save-test-set", &O::save_test_set, "folder",
              "write the Test samples as the network reads them, as <label>/<position>.npy"}),
      needing(Need::FloatScoring, {"fuse", &O::fuse, "", "fuse batch normalizations before testing"}),
  };
}

std::vector<Option> weight_options() {
  return {
      needing(Need::Weights,
              {"w", &O::weights, "folder", "folder of weights; /dev/null: the initial weights"}),
      needing(Need::Weights, {"l", &O::state, "folder",
                              "continue the learning run that wrote this state, such as net_state"}),
      needing(Need::MissingWeights, {"w-ignore", &O::ignore_missing_weights, "",
                                     "layers without a weight file keep their initial values"}),
  };
}

std::vector<Option> quantization_options() {
  return {
      choosing(
          quantize::clipping_names,
          needing(Need::IntegerExport, {"act-clipping-mode", &O::activation_clipping, "mode",
                                        "clipping of activations: None, MSE, KL-Divergence or Quantile"})),
      needing(Need::Quantile,
              {"act-quantile-value", &O::quantile, "x", "share of the values that Quantile does not clip"}),
      choosing(quantize::weight_clipping_names,
               needing(Need::IntegerExport, {"wt-clipping-mode", &O::weight_clipping, "mode",
                                             "clipping of weights: None, MSE or KL-Divergence"})),
      choosing(
          [] {
            std::vector<std::string> modes = names_of_enum<RescaleMode>();
            modes.emplace_back("Fixed-point");
            return modes;
          },
          needing(Need::IntegerExport, {"act-rescaling-mode", &O::rescaling, "mode",
                                        "requantization of sums: Floating-point, Fixed-point16, "
                                        "Fixed-point32 (or Fixed-point), Single-shift, Double-shift"})),
      needing(Need::IntegerExport, {"act-rescale-per-output",
                                    &O::rescale_per_output,
                                    "0|1",
                                    "1: a weight scale for each output",
                                    0,
                                    {"0", "1"}}),
      needing(Need::IntegerExport,
              {"quant-effort",
               &O::quant_effort,
               "0|1|2",
               "1: weights are rounded to what errs least at the outputs of their layers, values have zero "
               "points where that errs less; 2: learnt by blocks of layers then, in minutes; 0: nearest "
               "integers, grids about 0",
               0,
               {"0", "1", "2"}}),
      needing(Need::IntegerExport,
              {"no-unsigned", &O::no_unsigned, "", "use signed integers for all values"}),
      needing(Need::Export,
              {"no-cle", &O::no_cle, "", "do not equalize weights and channels between layers"}),
  };
}

std::vector<Option> export_options() {
  std::vector<Option> out{
      choosing([] { return targets::registry().names(); },
               {"export", &O::export_type, "type",
                "export the network to this type of target; -help-export lists them"}),
      {"calibOnly", &O::calib_only, "",
       "calibrate and quantize as '-export CPP' does, write the measurements to calib_<net>_int<n> and no "
       "project; -test tests the integers"},
      needing(Need::Export, {"nbbits", &O::nb_bits, "n",
                             "bits of an integer export (2 to 16; below 8 those of the weights), or -32 or "
                             "-16 for float of 32 bits",
                             -64}),
      needing(Need::IntegerExport,
              {"calib", &O::calib, "n", "number of stimuli for calibration, -1: all of them", -1}),
      of_run(needing(
          Need::IntegerExport,
          {"calib-reload", &O::calib_reload, "",
           "reuse the measurements of an export into the same folder, or of one with these weights"})),
      of_run(needing(Need::IntegerExport,
                     {"doctor", &O::doctor, "",
                      "find the layers whose weights or values cost the outputs most in integers: print the "
                      "ten worst, and write statistics/doctor.json and .csv"})),
      of_run(needing(Need::IntegerExport,
                     {"max-drop", &O::max_drop, "points",
                      "largest loss against floats, in points of the recognition rate: where more is lost, "
                      "weights are learnt, then the fewest values get 16 bits, then weights 8"})),
      of_run(needing(Need::IntegerExport, {"min-accuracy", &O::min_accuracy, "share",
                                           "least recognition rate of the integers, 0 to 1, see -max-drop"})),
  };
  out.push_back(of_run(named_also(
      "explore",
      {"pareto", &O::pareto, "",
       "compare exports of several widths, -quant-effort and MemoryBudget, but those that are given: score "
       "them, print those that no other one beats with their command lines, and write pareto/"})));
  out.push_back(of_run(needing(
      Need::Comparing, {"pareto-part", &O::pareto_part, "i/n",
                        "of -pareto, compute only part i of n, from 0 on, for one of n processes; a run "
                        "without it then gathers what they have found"})));
  for (Option& option : quantization_options()) out.push_back(std::move(option));
  out.push_back(needing(Need::Project, {"db-export", &O::db_export, "n",
                                        "largest number of Test samples in the project; -1: all", -1}));
  out.push_back(needing(Need::Export, {"export-parameters", &O::export_parameters, "file",
                                       "INI file with the parameters of the export"}));
  out.push_back(of_run(choosing(
      [] { return exporter::package_formats(); },
      needing(Need::Sources, {"export-package", &O::export_package, "a,b",
                              "also write the network in the form that these build systems take, into "
                              "packages/: cmake, zephyr, idf, arduino, platformio, cmsis-pack"}))));
  out.push_back(
      of_run(needing(Need::Plan, {"memory-curve", &O::memory_curve, "",
                                  "also plan for decreasing budgets of memory: print bytes, calls of kernels "
                                  "and time, and write statistics/memory/memory_curve.csv, .svg, .png"})));
  out.push_back(of_run(needing(
      Need::Export, {"overwrite", &O::overwrite, "", "export into a folder that holds no earlier export"})));
  return out;
}

std::vector<Option> sample_options() {
  std::vector<Option> out{
      {"calib-dir", &O::calib_dir, "folder",
       "samples to calibrate on, all without -calib; also to test on without -test-dir"},
      {"calib-npy", &O::calib_npy, "file",
       "samples as of -calib-dir in one .npy, .csv or .bin file; 'a.npy,b.npy', 'x=a.npy,y=b.npy': of each "
       "input"},
      {"test-dir", &O::test_dir, "folder", "samples to test on; their folders are the labels"},
      {"sample-type", &O::sample_type, "type", "element type of .bin files: uint8, int16, float32 ..."},
      {"preset",
       &O::preset,
       "name",
       "range of the samples: imagenet-torch, imagenet-tf, unit (0 to 1, default of pictures), none "
       "(unchanged, default of arrays)",
       0,
       {"imagenet-torch", "imagenet-tf", "unit", "none"}},
      {"mean", &O::mean, "a,b,c", "one number, or one a feature: values become (value * scale - mean) / std"},
      {"std", &O::std_dev, "a,b,c", "divisor, see -mean"},
      {"standardize", &O::standardize, "", "take -mean and -std of each feature from calibration samples"},
      {"scale", &O::scale, "s", "factor, see -mean; 1 or 1/255"},
      {"resize", &O::resize, "n|WxH",
       "resize pictures to shorter side n, or to width W and height H; without it to the input size"},
      {"crop", &O::crop, "", "keep the aspect of pictures and cut out their middle"},
      {"bgr", &O::bgr, "", "read channels as blue, green, red; without it as red, green, blue"},
      {"labels", &O::labels, "file", "names of the classes, one a line"},
      {"inputs", &O::inputs, "a,b",
       "tensors of the file that the network begins with; nodes before them are left out"},
      {"outputs", &O::outputs, "a,b",
       "tensors of the file that the network ends with; without it the outputs of the file"},
      {"states", &O::states, "out=in,...",
       "outputs of the file that are inputs of the next run: samples are one sequence, the export keeps "
       "states"},
      {"init", &O::init, "file.ini",
       "write an INI file with the same settings, <net>.ini without a file name, and end"},
  };
  out.back().left_out = LeftOut{kDefaultInit, is_ini};
  for (Option& option : out) option = of_samples(std::move(option));
  return out;
}

std::vector<Option> looking_options() {
  std::vector<Option> out{
      {"analyze",
       &O::analyze,
       "format",
       "analyze the export without samples: layers, sizes, RAM, flash, refused layers; text, json or html",
       0,
       {"text", "json", "html"}},
      {"print-ini", &O::print_ini, "", "print the network file as flat INI text"},
      of_run({"dump",
              &O::dump,
              "what",
              "graph: write graph.NN.<stage>.txt and .json after each stage, .graph where it runs; program: "
              "write the calls of an export",
              0,
              {"graph", "program"}}),
      of_run({"check-memory", &O::check_memory, "file",
              "validate a memory plan (memory_plan.csv) without a network"}),
      of_run({"compare", &O::compare, "folder",
              "write comparison.html of the report.json in this folder and in the one given for the network "
              "file"}),
  };
  out.front().left_out = LeftOut{"text", is_form};
  return out;
}

std::vector<Option> help_options() {
  std::vector<Option> out{
      telling(loader::layer_types, {"help-layer", &O::help_layer, "type", "print the keys of a layer"}),
      telling(loader::activation_types, {"help-activation", &O::help_activation, "name",
                                         "print the parameters of an ActivationFunction"}),
      {"help-mapping", &O::help_mapping, "", "print the keys that connect channels to outputs"},
      {"help-sp", &O::help_provider, "", "print the keys of [sp] and [env], the input of the network"},
      {"help-target", &O::help_target, "", "print the keys of [<layer>.Target]"},
      telling([] { return data::databases().names(); },
              {"help-database", &O::help_database, "type", "print the keys of a database"}),
      telling([] { return data::transformations().names(); },
              {"help-transformation", &O::help_transformation, "type", "print the keys of a transformation"}),
      telling([] { return training::solvers().names(); },
              {"help-solver", &O::help_solver, "type", "print the parameters of a solver"}),
      telling([] { return training::fillers().names(); },
              {"help-filler", &O::help_filler, "type", "print the parameters of a filler"}),
      telling(loader::quantizer_names,
              {"help-quantizer", &O::help_quantizer, "name", "print the parameters of a QWeight and a QAct"}),
      named_also(
          "help-export-parameters",
          choosing([] { return targets::registry().names(); },
                   {"help-export", &O::help_export, "type",
                    "print the keys of -export-parameters files of a type of export; without one, of all"})),
      {"completion",
       &O::completion,
       "shell",
       "print the script that completes command lines in this shell",
       0,
       {"bash", "fish", "zsh"}},
      {"man", &O::man, "", "print the manual page"},
  };
  const auto exports =
      std::find_if(out.begin(), out.end(), [](const Option& option) { return option.name == "help-export"; });
  exports->left_out = LeftOut{"all", is_subject};
  return out;
}

constexpr std::string_view kTitles[] = {"General",
                                        "Learning and testing",
                                        "Weights",
                                        "Quantization and export",
                                        "Samples of an ONNX file without an INI file",
                                        "Inspection of files",
                                        "Help; without a name it prints a list of names"};
static_assert(std::size(kTitles) == kGroups);

constexpr std::string_view kSpikes = "spikes are not simulated";
constexpr OtherOption kOther[] = {
    {"cfg", false, "-print-ini and -dump graph show what a network consists of"},
    {"log-db-stats", false, "stats/ and the sizes a run prints are all there is"},
    {"log-json", false, "test annotations are not written"},
    {"pruning", true, "weights are not pruned"},
    {"pruning-threshold", true, "weights are not pruned"},
    {"finetuning", true, "weights are not pruned"},
    {"testAdv", true, "there are no adversarial attacks"},
    {"learn-stdp", true, kSpikes},
    {"present-time", true, kSpikes},
    {"ts", true, kSpikes}};

constexpr DeletedOption kDeleted[] = {
    {"tune", is_text_file, "Kernel=<form> in the file of -export-parameters chooses the form of a kernel"}};

}  // namespace

std::string_view title(Group group) {
  return kTitles[static_cast<size_t>(group)];
}

std::span<const OtherOption> other_options() {
  return kOther;
}

std::span<const DeletedOption> deleted_options() {
  return kDeleted;
}

const std::vector<Option>& options() {
  static const std::vector<Option> table = [] {
    const std::array groups{general_options, learning_options, weight_options, export_options,
                            sample_options,  looking_options,  help_options};
    static_assert(groups.size() == kGroups);
    std::vector<Option> all;
    for (size_t i = 0; i < groups.size(); ++i)
      for (Option& option : groups[i]()) {
        option.group = static_cast<Group>(i);
        all.push_back(std::move(option));
      }
    return all;
  }();
  return table;
}

const Option* find_option(std::string_view name) {
  for (const Option& option : options())
    if (name == option.name || (!option.alias.empty() && name == option.alias)) return &option;
  return nullptr;
}

std::string value_text(const Option& option, const Options& options) {
  return std::visit(
      [&](auto member) -> std::string {
        using T = std::decay_t<decltype(options.*member)>;
        return ValueText<T>::print(options.*member);
      },
      option.member);
}

}  // namespace n2d2::app
