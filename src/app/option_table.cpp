#include "option_table.hpp"

namespace n2d2::app {

namespace {

/// An option about the samples of a lone ONNX file.
Option of_samples(std::string_view name, Member member, std::string_view value, std::string_view help,
                  std::vector<std::string> words = {}) {
  return {name, member, value, help, 0, std::move(words), true};
}

Option needing(Need need, Option option) {
  option.need = need;
  return option;
}

constexpr LaterOption kLater[] = {{"cfg", false},
                                  {"bench", false},
                                  {"check", false},
                                  {"dynamic-allocation", false},
                                  {"save-test-set", true},
                                  {"pre-samples", true},
                                  {"log-db-stats", false},
                                  {"log-json", false},
                                  {"log-kernels", false},
                                  {"log-outputs", true},
                                  {"testQAT", false},
                                  {"find-lr", true},
                                  {"pruning", true},
                                  {"pruning-threshold", true},
                                  {"finetuning", true},
                                  {"testAdv", true},
                                  {"learn-stdp", true},
                                  {"present-time", true},
                                  {"ts", true},
                                  {"calibOnly", false},
                                  {"act-quantile-value", true},
                                  {"qat-sat", false},
                                  {"wt-round-mode", true},
                                  {"b-round-mode", true},
                                  {"c-round-mode", true},
                                  {"quant-report", false},
                                  {"quant-effort", true},
                                  {"max-drop", true},
                                  {"min-accuracy", true}};

}  // namespace

std::span<const LaterOption> later_options() {
  return kLater;
}

std::string missing(Need need, const Options& o) {
  const bool scores = o.test || o.learns();
  switch (need) {
    case Need::Nothing:
      return "";
    case Need::Learning:
      return o.learns() ? "" : "without -learn or -learn-epoch";
    case Need::LearningByCount:
      return o.learn > 0 && o.learn_epoch == 0 ? "" : "without -learn, or beside -learn-epoch";
    case Need::LearningByEpoch:
      return o.learn_epoch > 0 ? "" : "without -learn-epoch";
    case Need::Scoring:
      return scores ? "" : "without -test, -learn or -learn-epoch";
    case Need::FloatScoring:
      return scores && !o.exports() ? ""
             : o.exports()          ? "beside -export, which always fuses"
                                    : "without -test";
    case Need::Export:
      return o.exports() ? "" : "without -export";
    case Need::IntegerExport:
      return o.exports() && o.is_integer() ? "" : o.exports() ? "with '-nbbits -32'" : "without -export";
  }
  return "";
}

const std::vector<Option>& options() {
  using O = Options;
  static const std::vector<Option> table{
      {"seed", &O::seed, "n", "random seed; 0: drawn when learning, else that of seed.dat"},
      needing(Need::LearningByCount, {"log", &O::log, "n", "stimuli between two validations with -learn", 1}),
      needing(Need::LearningByEpoch, {"log-epoch", &O::log_epoch, "n",
                                      "epochs between two validations with -learn-epoch, 0: never"}),
      {"report", &O::report, "n", "stimuli between two lines of progress, at most one line a second", 1},
      {"log-files", &O::log_files, "",
       "also write frames/, map/, schedule/, receptive_fields.log, weights_export/, misclassified samples "
       "and pictures "
       "(.svg, .png) of the network, of learning, of scores and of what calibration measured"},
      {"dev", &O::device, "id", "CUDA device; there is none, the CPU is used"},
      {"multidev", &O::devices, "list", "CUDA devices; there are none, the CPU is used"},
      {"verbose", &O::verbose, "n", "accepted for compatibility; the output is the same"},
      {"v", &O::version, "", "print the version"},
      {"h", &O::help, "", "print this text"},
      {"learn", &O::learn, "n", "learn from n stimuli, drawn with replacement"},
      {"learn-epoch", &O::learn_epoch, "n", "learn for n epochs; wins over -learn"},
      {"test", &O::test, "", "score the Test samples; implied after learning"},
      needing(Need::Scoring, {"nb-test", &O::nb_test, "n", "score only the first n Test samples", -1}),
      needing(Need::Scoring,
              {"test-index", &O::test_index, "i", "score one Test sample by its position", -1}),
      needing(Need::Scoring,
              {"test-id", &O::test_id, "id", "score one Test sample by its id in the database", -1}),
      needing(Need::Learning,
              {"valid-metric", &O::valid_metric, "name", "figure that decides which validation is the best"}),
      needing(Need::Learning, {"stop-valid", &O::stop_valid, "n",
                               "stop after n validations in a row without a better one, 0: never"}),
      needing(Need::Learning, {"ws", &O::window, "n", "stimuli of the running success rate", 1}),
      needing(Need::FloatScoring, {"fuse", &O::fuse, "", "fuse batch normalizations before testing"}),
      {"w", &O::weights, "folder", "folder of weights; /dev/null: the initial ones"},
      {"l", &O::state, "folder", "go on with the learning run that left this state, such as net_state"},
      {"w-ignore", &O::ignore_missing_weights, "", "layers without a weight file keep their initial values"},
      {"export", &O::export_type, "type", "write the network in another form; -help-export lists them"},
      needing(Need::Export,
              {"nbbits", &O::nb_bits, "n", "bits of an integer export (2 to 16), or -32 for float", -64}),
      {"calib", &O::calib, "n", "stimuli for calibration, -1: all of them", -1},
      {"calib-reload", &O::calib_reload, "",
       "what an export into the same folder measured, not measured again"},
      needing(Need::IntegerExport, {"act-clipping-mode", &O::activation_clipping, "mode",
                                    "thresholds of activations: None or MSE"}),
      needing(Need::IntegerExport,
              {"wt-clipping-mode", &O::weight_clipping, "mode", "thresholds of weights: None"}),
      needing(Need::IntegerExport,
              {"act-rescaling-mode", &O::rescaling, "mode", "Floating-point or Fixed-point32"}),
      needing(Need::IntegerExport, {"act-rescale-per-output",
                                    &O::rescale_per_output,
                                    "0|1",
                                    "a weight scale for each output",
                                    0,
                                    {"0", "1"}}),
      needing(Need::IntegerExport, {"no-unsigned", &O::no_unsigned, "", "signed integers everywhere"}),
      needing(Need::Export,
              {"no-cle", &O::no_cle, "", "no equalization of weights and channels between layers"}),
      needing(Need::Export,
              {"db-export", &O::db_export, "n", "Test samples written with the project, -1: all", -1}),
      {"overwrite", &O::overwrite, "", "export into a folder that holds no earlier export"},
      of_samples(
          "calib-dir", &O::calib_dir, "folder",
          "ONNX file alone: samples to calibrate on, all without -calib; to test on without -test-dir"),
      of_samples("calib-npy", &O::calib_npy, "file", "the same, one .npy, .csv or .bin file of samples"),
      of_samples("test-dir", &O::test_dir, "folder", "samples to test on; their folders are the labels"),
      of_samples("sample-type", &O::sample_type, "type", "elements of .bin files: uint8, int16, float32 ..."),
      of_samples("preset", &O::preset, "name",
                 "values of the samples: imagenet-torch, imagenet-tf, unit (0 to 1, that of pictures), none "
                 "(as they "
                 "are, that of arrays)",
                 {"imagenet-torch", "imagenet-tf", "unit", "none"}),
      of_samples("mean", &O::mean, "a,b,c",
                 "one or one a channel: values become (value * scale - mean) / std"),
      of_samples("std", &O::std_dev, "a,b,c", "see -mean"),
      of_samples("scale", &O::scale, "s", "see -mean; 1 or 1/255"),
      of_samples(
          "resize", &O::resize, "n|WxH",
          "pictures: the shorter side becomes n, or width and height W and H; without it those of the input"),
      of_samples("crop", &O::crop, "", "pictures: keep their aspect, the middle is cut out"),
      of_samples("bgr", &O::bgr, "", "channels are blue, green, red; without it red, green, blue"),
      of_samples("labels", &O::labels, "file", "names of the classes, one a line"),
      of_samples("init", &O::init, "file.ini",
                 "write the INI file that says the same, <net>.ini without a file name, and end"),
      {"export-parameters", &O::export_parameters, "file", "INI file with the parameters of the export"},
      {"module", &O::modules, "file", "shared library that adds to the program; may stand several times"},
      {"check-memory", &O::check_memory, "file", "judge a memory plan (memory_plan.csv), without a network"},
      {"strict", &O::strict, "", "warnings about keys are errors"},
      {"dump",
       &O::dump,
       "what",
       "graph: graph.NN.<stage>.txt and .json after each stage, .graph where it runs; program: the calls of "
       "an export",
       0,
       {"graph", "program"}},
      {"analyze",
       &O::analyze,
       "form",
       "what would become of it, without samples: layers, sizes, RAM, flash, what is refused; text or json",
       0,
       {"text", "json"}},
      {"print-ini", &O::print_ini, "", "print the network file as flat INI text"},
      {"help-layer", &O::help_layer, "type", "keys of a layer type, or 'list'"},
      {"help-database", &O::help_database, "type", "keys of a database, or 'list'"},
      {"help-transformation", &O::help_transformation, "type", "keys of a transformation, or 'list'"},
      {"help-solver", &O::help_solver, "type", "parameters of a solver, or 'list'"},
      {"help-filler", &O::help_filler, "type", "parameters of a filler, or 'list'"},
      {"help-export", &O::help_export, "", "types of export and the keys of their -export-parameters files"},
      {"help-export-parameters", &O::help_export, "", "the same"},
  };
  return table;
}

}  // namespace n2d2::app
