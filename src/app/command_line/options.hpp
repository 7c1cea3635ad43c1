// What did the user ask for? The command line of `n2d2` as values, every one of them checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/data/confusion_matrix.hpp"

namespace n2d2::app {

/// An option that was given, by its name in the table, and the arguments as they were written.
struct TypedOption {
  std::string name;
  std::vector<std::string> arguments;
};

/// Names in comments are those of the command line.
struct Options {
  /// How the program was called, for commands that are shown.
  std::string program = "n2d2";
  /// The network file.
  std::string model;
  bool help = false, version = false;

  int64_t seed = 0, log = 1000, log_epoch = 1, report = 1, device = 0, verbose = 0;
  std::string devices;
  bool dynamic_allocation = false, test_qat = false, qat_sat = false;
  std::vector<std::string> round_modes;
  /// Test sample whose values are written, from 1 on; 0: none.
  int64_t log_outputs = 0;
  /// The weights of the layers are written and drawn.
  bool log_kernels = false;
  bool memory_curve = false;
  /// Folder for the Test samples as the network sees them.
  std::string save_test_set;
  /// Learn stimulus of which a picture is written after every transformation, by its id; -1: none.
  int64_t pre_samples = -1;
  /// Gradients are compared with differences before learning.
  bool check = false;
  /// The time of each layer is written.
  bool bench = false;

  int64_t learn = 0, learn_epoch = 0, nb_test = -1, test_index = -1, test_id = -1, window = 10000;
  int64_t stop_valid = 0;
  /// Stimuli of a sweep over learning rates; 0: none.
  int64_t find_lr = 0;
  /// Batches that statistics of BatchNorm are measured on once learning is over; 0: they stay.
  int64_t bn_reestimate = 0;
  bool test = false, fuse = false;
  data::Metric valid_metric = data::Metric::Sensitivity;

  /// Files and pictures about data, network and learning besides those that others read.
  bool log_files = false;

  std::string weights;
  /// Folder of a state of learning to go on from.
  std::string state;
  bool ignore_missing_weights = false;

  std::string export_type;
  int64_t nb_bits = 8, calib = 0, db_export = 100, rescale_per_output = 1, quant_effort = 1;
  std::string activation_clipping = "MSE", weight_clipping = "None", rescaling = "Floating-point";
  int graph_bits = 0;               ///< of the integers in a graph file; 0: it has none
  bool is_rescaling_given = false;  ///< else the export may have a rescaling of its own
  double quantile = 0.9999;
  bool no_unsigned = false, no_cle = false, calib_reload = false;
  /// Calibrates and quantizes as `-export CPP` does, and writes no project.
  bool calib_only = false;
  bool doctor = false;
  /// Exports are compared, none is written.
  bool pareto = false;
  /// "i/n": which of the comparisons this process makes; empty: all.
  std::string pareto_part;
  /// Points of the recognition rate, and a share of 1, that an export of integers has to keep; below 0:
  /// nothing is asked for.
  double max_drop = -1, min_accuracy = -1;
  std::string export_parameters;
  /// Formats of packages that are written with a project, between commas.
  std::string export_package;
  bool overwrite = false;

  /// Samples of a lone ONNX file, and how they become its input; as they were written.
  std::string calib_dir, calib_npy, test_dir, sample_type, preset, mean, std_dev, scale, resize, labels;
  bool crop = false, bgr = false, standardize = false;
  /// Tensors of the lone ONNX file that the network begins and ends with, between commas.
  std::string inputs, outputs;
  /// `<output>=<input>` between commas, of the lone ONNX file: its states.
  std::string states;
  /// INI file that says what the lone ONNX file and its options say.
  std::string init;
  /// Arguments that such an INI file does not say.
  std::vector<std::string> rest;
  /// All options of the command line, in their order.
  std::vector<TypedOption> typed;

  /// Shared libraries that add to the program, in order; those of N2D2_MODULES come before.
  std::vector<std::string> modules;

  /// Folder of a report that is compared with that of the folder `model`.
  std::string compare;
  /// A memory plan to judge, without a network.
  std::string check_memory;

  bool strict = false, print_ini = false;
  /// Folder of everything that a run writes; empty: the working directory.
  std::string output;
  /// "mpi", or "alone" whatever the launcher says; empty: as the surroundings say.
  std::string cluster;
  /// Shows results, warnings and errors; drops information, notices and progress.
  bool quiet = false;
  /// Pictures stay as their rows are stored, whatever their EXIF data say.
  bool no_exif = false;
  std::string dump;
  /// "text", "json" or "html": what would become of the network is told, nothing is made.
  std::string analyze;

  /// What to tell about: a name, "list" for the names, "all" for everything; empty: nothing.
  std::string help_layer, help_database, help_transformation, help_solver, help_filler, help_activation,
      help_quantizer, help_export;
  bool help_mapping = false, help_provider = false, help_target = false, man = false;
  /// Shell to write a completion for.
  std::string completion;

  /// The formats of `export_package`, each once.
  std::vector<std::string> package_formats() const;
  /// Where a file that the run writes belongs.
  std::filesystem::path in_output(const std::filesystem::path& file) const { return output / file; }
  bool learns() const { return learn > 0 || learn_epoch > 0; }
  bool exports() const { return !export_type.empty(); }
  bool finds_rate() const { return find_lr > 0; }
  /// The network is prepared for an export, which is written or not.
  bool prepares_export() const { return exports() || calib_only; }
  /// The type of export that the network is prepared for.
  std::string prepared_type() const { return calib_only ? "CPP" : export_type; }
  /// The weights are those that learning starts with.
  bool begins_learning() const { return learns() || finds_rate() || (check && !test && !prepares_export()); }
  bool is_typed(std::string_view name) const;
  bool analyzes() const { return !analyze.empty(); }
  /// The network is learnt, tested or exported: it needs values of its weights.
  bool uses_network() const { return learns() || test || prepares_export(); }
  /// The network is built and looked at, no more.
  bool only_builds() const {
    return !uses_network() && !begins_learning() && !log_kernels && bn_reestimate == 0;
  }
  /// The network file is an ONNX file.
  bool reads_onnx() const;
  /// The network is a graph that was dumped with its values.
  bool reads_graph() const;
  /// Bits of an integer export; a float export has none.
  bool is_integer() const { return nb_bits > 0; }
  /// Bits of the integers that hold weights and values of an export, or those of a float: below a byte,
  /// -nbbits says how many of it weights have.
  int integer_bits() const;
  /// Asked for help or a printed document: nothing is run.
  bool only_prints() const;
};

/// One of `parts` processes, from 0 on.
struct Part {
  int64_t index = 0, parts = 1;
};
/// "0/2"; nothing where the text is none.
std::optional<Part> part_of(std::string_view text);

struct CommandLine {
  Options options;
  /// "option -x has no effect without -export" for each option that changes nothing of this run, also for the
  /// first of two values and for options that were deleted.
  std::vector<std::string> idle;
};

/// Reads the arguments after the program's name: one network file anywhere, exact names with one
/// or two dashes, values behind them, taken verbatim, or behind `=`. ConfigError with every finding: unknown
/// options with the nearest known one, options of N2D2 that are not supported, missing or bad values, options
/// that exclude each other.
CommandLine parse(const std::vector<std::string>& arguments);

/// An option that is not as by default, and its value; "" of a flag.
struct GivenOption {
  std::string name, value;
};
/// Returns the options that decide what a run makes and differ from their defaults, in the order of the usage
/// text. A path is reduced to its last component, because its folders only say where the file was.
std::vector<GivenOption> given_options(const Options& options);
/// Returns the last component of the path of the network file.
std::string model_name(const Options& options);

}  // namespace n2d2::app
