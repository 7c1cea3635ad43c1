#include "options.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "n2d2/base/error.hpp"
#include "n2d2/base/text.hpp"
#include "n2d2/export/packages.hpp"
#include "n2d2/tensor/integer_types.hpp"

#include "look/analyze.hpp"
#include "option_table.hpp"
#include "parse_arguments.hpp"

namespace n2d2::app {

namespace {

/// Whether an option prints something about the program, and nothing is run.
bool tells(const Option& option) {
  return option.group == Group::Help || option.name == "h" || option.name == "v";
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// Options that decide which values a network and its export have, not how many.
constexpr std::string_view kOfValues[] = {"seed",
                                          "w",
                                          "l",
                                          "w-ignore",
                                          "bn-reestimate",
                                          "calib",
                                          "calib-reload",
                                          "act-clipping-mode",
                                          "act-quantile-value",
                                          "wt-clipping-mode",
                                          "no-unsigned",
                                          "db-export",
                                          "calib-dir",
                                          "calib-npy",
                                          "test-dir",
                                          "overwrite",
                                          "dump",
                                          "log-files",
                                          "bench",
                                          "check",
                                          "pre-samples",
                                          "log-outputs",
                                          "save-test-set"};

/// Options about what an export writes beside its program, or makes of it.
constexpr std::string_view kOfResults[] = {"calib-reload", "db-export",    "doctor",   "export-package",
                                           "log-outputs",  "memory-curve", "overwrite"};

/// What makes an ONNX file of a network of another framework; "" where its ending says nothing.
std::string how_to_onnx(const std::string& file) {
  struct Maker {
    std::string_view ending, command;
  };
  static constexpr Maker kMakers[] = {
      {".tflite", "'python -m tf2onnx.convert --tflite <file> --output net.onnx' makes an ONNX file of it"},
      {".h5", "'python -m tf2onnx.convert --keras <file> --output net.onnx' makes an ONNX file of it"},
      {".keras", "'model.export(\"net.onnx\", format=\"onnx\")' of Keras makes an ONNX file of it"},
      {".pb",
       "'python -m tf2onnx.convert --saved-model <folder> --output net.onnx' makes an ONNX file of it"},
      {".pt", "'torch.onnx.export(model, sample, \"net.onnx\")' of PyTorch makes an ONNX file of it"},
      {".pth", "'torch.onnx.export(model, sample, \"net.onnx\")' of PyTorch makes an ONNX file of it"},
  };
  for (const Maker& maker : kMakers)
    if (file.ends_with(maker.ending)) return std::string(maker.command);
  return {};
}

class Parser {
 public:
  CommandLine run(const std::vector<std::string>& arguments) {
    ParsedArguments parsed = parse_arguments(arguments, findings_);
    line_.options = std::move(parsed.options);
    given_ = std::move(parsed.given);
    for (const DeletedOption* option : parsed.deleted)
      note(fmt::format("option -{}: an option that was deleted, it changes nothing: {}", option->name,
                       option->instead));
    line_.options.is_rescaling_given = is_given("act-rescaling-mode");
    take_rest();
    if (line_.options.pareto && !line_.options.exports()) line_.options.export_type = kAnalyzedExport;
    if (!findings_.has_errors()) check();
    findings_.finish<ConfigError>();
    find_idle();
    return std::move(line_);
  }

 private:
  void error(std::string message, std::string hint = {}) {
    findings_.error({}, std::move(message), std::move(hint));
  }

  /// What an INI file for the ONNX file would not say.
  void take_rest() {
    for (const ParsedOption& found : given_) {
      if (!found.option->is_of_samples)
        line_.options.rest.insert(line_.options.rest.end(), found.arguments.begin(), found.arguments.end());
      line_.options.typed.push_back({std::string(found.option->name), found.arguments});
    }
  }

  bool is_given(std::string_view name) const {
    return std::any_of(given_.begin(), given_.end(),
                       [&](const ParsedOption& found) { return found.option->name == name; });
  }

  /// What the options say together.
  void check() {
    const Options& o = line_.options;
    if (o.only_prints() && !o.print_ini && !o.analyzes()) return;
    if (!o.check_memory.empty()) {
      if (!o.model.empty())
        error("option -check-memory takes no network file", fmt::format("'{}' is one", o.model));
      return;
    }
    if (!o.compare.empty()) {
      if (o.model.empty())
        error("option -compare takes two folders with a report.json", "n2d2 -compare export_a export_b");
      return;
    }
    if (o.model.empty()) return error("no network file", "n2d2 <net>.ini [options]; n2d2 -h lists them");
    const std::string lower = lower_case(o.model);
    if (!lower.ends_with(".ini") && !lower.ends_with(".onnx") && !o.reads_graph())
      error(fmt::format("{}: expected a network file that ends in .ini, .onnx or .graph", o.model),
            how_to_onnx(lower));
    if (o.reads_graph()) check_graph();
    if (!o.reads_onnx())
      refuse_samples();
    else
      check_onnx();
    if (o.nb_test >= 0 && (o.test_index >= 0 || o.test_id >= 0))
      error("option -nb-test cannot stand beside -test-index or -test-id");
    if (o.quiet && o.verbose > 0) error("option -verbose cannot stand beside -quiet");
    check_export();
    check_ends();
  }

  /// What a run that ends in its own way does not come to.
  void check_ends() {
    const Options& o = line_.options;
    const std::pair<std::string_view, bool> all[] = {{"learn", o.learn > 0},
                                                     {"learn-epoch", o.learn_epoch > 0},
                                                     {"test", o.test},
                                                     {"export", o.exports() && !o.pareto},
                                                     {"find-lr", o.finds_rate()},
                                                     {"calibOnly", o.calib_only},
                                                     {"bn-reestimate", o.bn_reestimate > 0}};
    const auto refuse = [&](std::span<const std::string_view> names, std::string_view beside) {
      for (const auto& [name, given] : all)
        if (given && std::find(names.begin(), names.end(), name) != names.end())
          error(fmt::format("option -{} cannot stand beside {}", name, beside));
    };
    static constexpr std::string_view kWork[] = {"learn",   "learn-epoch", "test",
                                                 "find-lr", "calibOnly",   "bn-reestimate"};
    static constexpr std::string_view kBehindSweep[] = {"learn",  "learn-epoch", "test",
                                                        "export", "calibOnly",   "bn-reestimate"};
    static constexpr std::string_view kProject[] = {"export"};
    static constexpr std::string_view kBeforeExports[] = {"learn", "learn-epoch", "find-lr", "calibOnly",
                                                          "bn-reestimate"};
    if (o.analyzes()) return refuse(kWork, "-analyze, which only looks");
    if (o.pareto) refuse(kBeforeExports, "-pareto, which compares exports of weights that are there");
    if (o.finds_rate()) refuse(kBehindSweep, "-find-lr, which ends the run");
    if (o.calib_only) refuse(kProject, "-calibOnly, which writes no project");
  }

  /// What a network of values without layers has no place for.
  void check_graph() {
    const Options& o = line_.options;
    for (const auto& [name, given] : {std::pair{"learn", o.learn > 0},
                                      {"learn-epoch", o.learn_epoch > 0},
                                      {"find-lr", o.finds_rate()},
                                      {"bn-reestimate", o.bn_reestimate > 0},
                                      {"check", o.check}})
      if (given)
        error(fmt::format("option -{}: a graph file does not learn, it has no solvers", name),
              "learn with the INI file, then '-dump graph'");
    for (const auto& [name, given] :
         {std::pair{"w", !o.weights.empty()}, {"w-ignore", o.ignore_missing_weights}})
      if (given) error(fmt::format("option -{}: a graph file has its weights", name), "leave the option out");
  }

  /// Options about samples that are there.
  std::vector<std::string_view> given_of_samples() const {
    std::vector<std::string_view> out;
    for (const Option& option : options())
      if (option.is_of_samples && value_text(option, line_.options) != value_text(option, Options()))
        out.push_back(option.name);
    return out;
  }

  void refuse_samples() {
    for (const std::string_view name : given_of_samples())
      error(
          fmt::format("option -{} goes with an ONNX file alone", name),
          name == "inputs" || name == "outputs" || name == "states"
              ? "in an INI file Inputs=, Outputs= and States= of the ONNX section say it"
              : "in an INI file [database] and the transformations say it, CalibrationPath what calibrates");
  }

  /// An ONNX file without an INI.
  void check_onnx() {
    Options& o = line_.options;
    if (o.learns() || o.finds_rate() || o.check || o.bn_reestimate > 0)
      error(o.learns() ? "option -learn, -learn-epoch: an ONNX file alone has no samples to learn from"
                       : fmt::format("option -{}: an ONNX file alone has no samples to learn from",
                                     o.finds_rate() ? "find-lr"
                                     : o.check      ? "check"
                                                    : "bn-reestimate"),
            "'-init' writes an INI file to begin with");
    if (o.init == kDefaultInit) o.init = std::filesystem::path(o.model).stem().string() + ".ini";
    const auto names = given_of_samples();
    const auto has = [&](std::string_view name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    const auto exclude = [&](std::string_view name, std::initializer_list<std::string_view> others) {
      for (const std::string_view other : others)
        if (has(name) && has(other)) error(fmt::format("option -{} cannot stand beside -{}", name, other));
    };
    exclude("calib-dir", {"calib-npy"});
    exclude("preset", {"mean", "std", "scale", "standardize"});
    exclude("standardize", {"mean", "std", "scale"});
    if (o.preset == "imagenet-torch") exclude("preset", {"bgr"});
    exclude("calib-npy", {"resize", "crop", "bgr"});
    if ((has("mean") || has("std")) && !has("scale"))
      error("option -mean, -std: missing -scale, which says of what values they are",
            "'-scale 1' for those of bytes, such as 123.675, '-scale 1/255' for 0.485");
    const bool has_samples = has("calib-dir") || has("calib-npy") || has("test-dir");
    for (const std::string_view name :
         {"sample-type", "preset", "mean", "std", "standardize", "scale", "resize", "crop", "bgr"})
      if (has(name) && !has_samples)
        error(fmt::format("option -{} has no effect without -calib-dir, -calib-npy or -test-dir", name));
    for (const std::string_view name : {"calib-dir", "calib-npy", "test-dir"})
      if (has(name) && !o.prepares_export() && !o.test && o.init.empty() && !o.print_ini && o.dump.empty() &&
          !o.analyzes())
        error(
            fmt::format("option -{} has no effect without -export, -calibOnly, -test, -dump or -init", name));
    if (has("calib-dir") || has("calib-npy")) settle_calibration();
  }

  /// Where samples to calibrate on are given, all of them count unless -calib says how many.
  void settle_calibration() {
    Options& o = line_.options;
    if (is_given("calib") && o.calib == 0)
      error("option -calib: expected how many samples of -calib-dir or -calib-npy, or -1 for all, got '0'");
    if (is_given("calib") || !o.prepares_export() || !o.is_integer()) return;
    o.calib = -1;
    o.rest.insert(o.rest.end(), {"-calib", "-1"});
  }

  void check_export() {
    const Options& o = line_.options;
    if (o.nb_bits == -64)
      error("option -nbbits: -64 is not supported: exports compute in floats of 32 bits",
            "8 for integers, -32 for float");
    else if (o.nb_bits != -32 && o.nb_bits != -16 && (o.nb_bits < 2 || o.nb_bits > 16))
      error(fmt::format("option -nbbits: expected 2 to 16, or -32 for float, got '{}'", o.nb_bits));
    else if (o.calib_only && !o.is_integer())
      error(
          fmt::format("option -calibOnly: expected the bits of integers with -nbbits, got '{}'", o.nb_bits));
    if (o.pareto) check_pareto();
    for (const std::string& format : o.package_formats())
      if (const auto& known = exporter::package_formats();
          std::find(known.begin(), known.end(), format) == known.end())
        error(fmt::format("option -export-package: unknown format '{}'{}", presentable(format),
                          did_you_mean(format, known)),
              "known are " + join(known, ", "));
    if (is_given("max-drop") && !(o.max_drop >= 0 && o.max_drop <= 100))
      error(fmt::format("option -max-drop: expected points from 0 to 100, got '{}'", print_real(o.max_drop)));
    if (is_given("min-accuracy") && !(o.min_accuracy >= 0 && o.min_accuracy <= 1))
      error(fmt::format("option -min-accuracy: expected a share from 0 to 1, got '{}'",
                        print_real(o.min_accuracy)),
            "'-min-accuracy 0.9' asks for 90 %");
    if (o.calib_reload && o.calib == 0)
      error("option -calib-reload: expected '-calib' with the stimuli that were measured");
    for (const auto& [name, given] : {std::pair{"calib", o.calib != 0},
                                      {"calib-reload", o.calib_reload},
                                      {"export-parameters", !o.export_parameters.empty()},
                                      {"overwrite", o.overwrite}})
      if (given && !o.prepares_export() && !o.analyzes())
        error(fmt::format("option -{} has no effect without -export or -calibOnly", name), "'-export CPP'");
  }

  void check_pareto() {
    const Options& o = line_.options;
    if (!plans_memory(o.export_type))
      error(fmt::format("option -pareto: '-export {}' plans no memory", o.export_type), "'-export CPP'");
    if (!o.is_integer())
      error(fmt::format("option -pareto: expected the bits of integers with -nbbits, got '{}'", o.nb_bits),
            "without -nbbits several widths are compared");
    if (o.analyzes()) error("option -pareto cannot stand beside -analyze, which only looks");
    for (const std::string_view name : {"max-drop", "min-accuracy"})
      if (is_given(name))
        error(fmt::format("option -{} cannot stand beside -pareto, which chooses the bits itself", name));
    if (!o.pareto_part.empty() && !part_of(o.pareto_part))
      error(fmt::format("option -pareto-part: expected i/n with 0 <= i < n, got '{}'", o.pareto_part),
            "'-pareto-part 0/2' and '-pareto-part 1/2' for two processes");
  }

  /// Options that this run has no use for. An INI file that -init writes is for other runs.
  void find_idle() {
    find_replaced();
    const Options& o = line_.options;
    if (!o.init.empty() && !o.only_prints()) return;
    const std::string_view printing = printing_option();
    for (const ParsedOption& found : given_) {
      const Option& option = *found.option;
      std::string text = !printing.empty() ? beside(printing, option) : missing(option.need, looked_at());
      if (o.analyzes() &&
          std::find(std::begin(kOfValues), std::end(kOfValues), option.name) != std::end(kOfValues))
        text = "beside -analyze";
      if (o.pareto &&
          std::find(std::begin(kOfResults), std::end(kOfResults), option.name) != std::end(kOfResults))
        text = "beside -pareto, which writes no project";
      if (!text.empty()) idle(option.name, text);
    }
    if (printing.empty() && o.test_id >= 0 && o.test_index >= 0) idle("test-index", "beside -test-id");
    if (printing.empty() && o.dump == "program" && !o.exports())
      line_.idle.emplace_back("option -dump: 'program' has no effect without -export");
  }

  /// The options as they count: an analysis looks at an export, the usual one where none is named.
  Options looked_at() const {
    Options out = line_.options;
    if (out.analyzes() && !out.exports()) out.export_type = kAnalyzedExport;
    return out;
  }

  void idle(std::string_view name, std::string_view text) {
    note(fmt::format("option -{} has no effect {}", name, text));
  }

  /// Adds the line once.
  void note(const std::string& line) {
    if (std::find(line_.idle.begin(), line_.idle.end(), line) == line_.idle.end()) line_.idle.push_back(line);
  }

  /// An option that stands twice with two values: one of them is lost.
  void find_replaced() {
    for (size_t i = 0; i < given_.size(); ++i)
      for (size_t later = i + 1; later < given_.size(); ++later) {
        const ParsedOption &first = given_[i], &second = given_[later];
        if (first.option != second.option || first.value == second.value || is_repeatable(*first.option))
          continue;
        line_.idle.push_back(fmt::format("option -{}: '{}' has no effect, '{}' comes later",
                                         first.option->name, presentable(first.value),
                                         presentable(second.value)));
        break;
      }
  }

  static bool is_repeatable(const Option& option) {
    return std::holds_alternative<std::vector<std::string> Options::*>(option.member);
  }

  /// The option for which this run only prints something; empty: it does more.
  std::string_view printing_option() const {
    const Options& o = line_.options;
    if (!o.check_memory.empty()) return "check-memory";
    if (!o.compare.empty()) return "compare";
    for (const ParsedOption& found : given_)
      if (tells(*found.option)) return found.option->name;
    return o.print_ini ? "print-ini" : "";
  }

  /// "beside -h" for an option that does nothing there: all but modules and other texts, of a printed
  /// document also what it is made from.
  static std::string beside(std::string_view printing, const Option& option) {
    if (option.name == printing || option.name == "module" || tells(option)) return "";
    if (printing == "print-ini" && (option.is_of_samples || option.name == "calib")) return "";
    return fmt::format("beside -{}", printing);
  }

  std::vector<ParsedOption> given_;
  CommandLine line_;
  Diagnostics findings_;
};

}  // namespace

bool Options::only_prints() const {
  const Options defaults;
  const std::vector<Option>& all = app::options();
  return print_ini || analyze == "json" || analyze == "html" ||
         std::any_of(all.begin(), all.end(), [&](const Option& option) {
           return tells(option) && value_text(option, *this) != value_text(option, defaults);
         });
}

bool Options::is_typed(std::string_view name) const {
  return std::any_of(typed.begin(), typed.end(), [&](const TypedOption& each) { return each.name == name; });
}

int Options::integer_bits() const {
  if (graph_bits > 0) return graph_bits;
  const auto bits = static_cast<int>(nb_bits);
  return bits > 0 ? std::max(bits, kBitsOfByte) : bits;
}

std::vector<std::string> Options::package_formats() const {
  std::vector<std::string> out;
  if (export_package.empty()) return out;
  for (const std::string& piece : split(export_package, ','))
    if (const std::string format(trim(piece)); std::find(out.begin(), out.end(), format) == out.end())
      out.push_back(format);
  return out;
}

bool Options::reads_onnx() const {
  return lower_case(model).ends_with(".onnx");
}

bool Options::reads_graph() const {
  return lower_case(model).ends_with(".graph");
}

std::optional<Part> part_of(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto index = parse_integer(text.substr(0, slash)), parts = parse_integer(text.substr(slash + 1));
  if (!index || !parts || *index < 0 || *index >= *parts) return std::nullopt;
  return Part{*index, *parts};
}

CommandLine parse(const std::vector<std::string>& arguments) {
  return Parser().run(arguments);
}

namespace {

/// "a/b.ini" as "b.ini"; /dev/null, which is no file, stays.
std::string without_folder(const std::string& path) {
  return path == "/dev/null" ? path : std::filesystem::path(path).lexically_normal().filename().string();
}

}  // namespace

std::vector<GivenOption> given_options(const Options& o) {
  const Options defaults;
  std::vector<GivenOption> out;
  for (const Option& option : options()) {
    if (option.is_of_run) continue;
    std::string text = value_text(option, o);
    if (text == value_text(option, defaults)) continue;
    const std::string name(option.name);
    if (option.value.empty()) {
      out.push_back({name, ""});
    } else if (option.name == "module") {
      for (const std::string& file : o.modules) out.push_back({name, without_folder(file)});
    } else {
      const bool is_path = option.value == "file" || option.value == "folder";
      out.push_back({name, is_path ? without_folder(text) : std::move(text)});
    }
  }
  return out;
}

std::string model_name(const Options& o) {
  return without_folder(o.model);
}

}  // namespace n2d2::app
