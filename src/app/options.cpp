#include "options.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "n2d2/base/error.hpp"
#include "n2d2/base/text.hpp"

#include "option_table.hpp"

namespace n2d2::app {

namespace {

/// What -init names until the network file is known.
constexpr const char* kDefaultInit = ".ini";

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string value_text(const Option& option, const Options& options) {
  return std::visit(
      [&](auto member) -> std::string {
        using T = std::decay_t<decltype(options.*member)>;
        return ValueText<T>::print(options.*member);
      },
      option.member);
}

/// Options that decide which values a network and its export have, not how many.
constexpr std::string_view kOfValues[] = {"seed",
                                          "w",
                                          "w-ignore",
                                          "calib",
                                          "calib-reload",
                                          "act-clipping-mode",
                                          "wt-clipping-mode",
                                          "no-unsigned",
                                          "db-export",
                                          "calib-dir",
                                          "calib-npy",
                                          "test-dir",
                                          "overwrite",
                                          "dump"};

class Parser {
 public:
  explicit Parser(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  CommandLine run() {
    for (next_ = 0; next_ < arguments_.size();) argument(arguments_[next_++]);
    if (!findings_.has_errors()) check();
    findings_.finish<ConfigError>();
    find_idle();
    return std::move(line_);
  }

 private:
  void error(std::string message, std::string hint = {}) {
    findings_.error({}, std::move(message), std::move(hint));
  }

  void argument(const std::string& text) {
    if (text.size() < 2 || text[0] != '-') return positional(text);
    const std::string name = text.substr(1);
    for (const Option& option : options())
      if (option.name == name) return known(option);
    for (const LaterOption& later : later_options())
      if (later.name == name) {
        if (later.has_value && next_ < arguments_.size()) ++next_;
        return error(fmt::format("option -{} is not supported yet", name));
      }
    std::vector<std::string> names;
    for (const Option& option : options()) names.emplace_back(option.name);
    const auto guess = nearest(name, names);
    error(fmt::format("Unknown option(s): {}{}", text, guess ? "; did you mean '-" + *guess + "'?" : ""),
          "n2d2 -h lists the options");
  }

  void positional(const std::string& text) {
    if (!line_.options.model.empty())
      return error(fmt::format("Unknown option(s): {}", text),
                   fmt::format("the network file is '{}' already", line_.options.model));
    line_.options.model = text;
  }

  void known(const Option& option) {
    const size_t from = next_ - 1;
    const bool is_init = option.name == "init";
    const bool is_optional = is_init || option.name == "analyze";
    const bool has_value =
        !option.value.empty() && (!is_optional || (is_init ? next_is_ini() : next_is(option.words)));
    if (is_init && !has_value) line_.options.init = kDefaultInit;
    if (is_optional && !is_init && !has_value) line_.options.analyze = option.words.front();
    if (has_value && next_ == arguments_.size())
      return error(fmt::format("option -{}: missing value <{}>", option.name, option.value));
    const std::string text = has_value ? arguments_[next_++] : "";
    if (has_value || !is_optional)
      if (!std::visit([&](auto member) { return set(option, member, text); }, option.member)) return;
    given_.push_back(&option);
    if (!option.is_of_samples)
      line_.options.rest.insert(line_.options.rest.end(),
                                arguments_.begin() + static_cast<std::ptrdiff_t>(from),
                                arguments_.begin() + static_cast<std::ptrdiff_t>(next_));
    line_.echo.push_back(has_value ? fmt::format("Option -{}: {} [{}]", option.name, option.help,
                                                 value_text(option, line_.options))
                                   : fmt::format("Option -{}: {}", option.name, option.help));
  }

  /// -init takes the next argument when it names an INI file.
  bool next_is_ini() const {
    return next_ < arguments_.size() && !arguments_[next_].starts_with('-') &&
           lower_case(arguments_[next_]).ends_with(".ini");
  }

  bool next_is(const std::vector<std::string>& words) const {
    return next_ < arguments_.size() &&
           std::find(words.begin(), words.end(), arguments_[next_]) != words.end();
  }

  bool set(const Option&, bool Options::*member, const std::string&) {
    line_.options.*member = true;
    return true;
  }

  bool set(const Option&, std::vector<std::string> Options::*member, const std::string& text) {
    (line_.options.*member).push_back(text);
    return true;
  }

  template <class T>
  bool set(const Option& option, T Options::*member, const std::string& text) {
    if (!option.words.empty() &&
        std::find(option.words.begin(), option.words.end(), text) == option.words.end()) {
      error(fmt::format("option -{}: expected {}, got '{}'", option.name, join(option.words, " or "), text));
      return false;
    }
    T value{};
    if (!ValueText<T>::parse(text, value)) {
      error(fmt::format("option -{}: expected {}, got '{}'", option.name, ValueText<T>::kind(), text));
      return false;
    }
    if constexpr (std::is_same_v<T, int64_t>)
      if (value < option.min || !parse_whole(text)) {
        error(fmt::format("option -{}: expected an integer >= {}, got '{}'", option.name, option.min, text));
        return false;
      }
    line_.options.*member = value;
    return true;
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
    if (o.model.empty()) return error("no network file", "n2d2 <net>.ini [options]; n2d2 -h lists them");
    const std::string lower = lower_case(o.model);
    if (!lower.ends_with(".ini") && !lower.ends_with(".onnx") && !o.reads_graph())
      error(fmt::format("{}: expected a network file that ends in .ini, .onnx or .graph", o.model));
    if (o.reads_graph()) check_graph();
    if (!o.reads_onnx())
      refuse_samples();
    else
      check_onnx();
    if (o.nb_test >= 0 && (o.test_index >= 0 || o.test_id >= 0))
      error("option -nb-test cannot stand beside -test-index or -test-id");
    check_export();
    if (o.analyzes())
      for (const auto& [name, given] :
           {std::pair{"learn", o.learn > 0}, {"learn-epoch", o.learn_epoch > 0}, {"test", o.test}})
        if (given) error(fmt::format("option -{} cannot stand beside -analyze, which only looks", name));
  }

  /// What a network of values without layers has no place for.
  void check_graph() {
    const Options& o = line_.options;
    for (const auto& [name, given] : {std::pair{"learn", o.learn > 0}, {"learn-epoch", o.learn_epoch > 0}})
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
      error(fmt::format("option -{} goes with an ONNX file alone", name),
            "in an INI file [database] and the transformations say it, CalibrationPath what calibrates");
  }

  /// An ONNX file without an INI.
  void check_onnx() {
    Options& o = line_.options;
    if (o.learns())
      error("option -learn, -learn-epoch: an ONNX file alone has no samples to learn from",
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
    exclude("preset", {"mean", "std", "scale"});
    if (o.preset == "imagenet-torch") exclude("preset", {"bgr"});
    exclude("calib-npy", {"resize", "crop", "bgr"});
    if ((has("mean") || has("std")) && !has("scale"))
      error("option -mean, -std: missing -scale, which says of what values they are",
            "'-scale 1' for those of bytes, such as 123.675, '-scale 1/255' for 0.485");
    const bool has_samples = has("calib-dir") || has("calib-npy") || has("test-dir");
    for (const std::string_view name :
         {"sample-type", "preset", "mean", "std", "scale", "resize", "crop", "bgr"})
      if (has(name) && !has_samples)
        error(fmt::format("option -{} has no effect without -calib-dir, -calib-npy or -test-dir", name));
    for (const std::string_view name : {"calib-dir", "calib-npy", "test-dir"})
      if (has(name) && !o.exports() && !o.test && o.init.empty() && !o.print_ini && o.dump.empty() &&
          !o.analyzes())
        error(fmt::format("option -{} has no effect without -export, -test, -dump or -init", name));
    if (has("calib-dir") || has("calib-npy")) settle_calibration();
  }

  /// Where samples to calibrate on are given, all of them count unless -calib says how many.
  void settle_calibration() {
    Options& o = line_.options;
    const bool is_given = std::find(o.rest.begin(), o.rest.end(), "-calib") != o.rest.end();
    if (is_given && o.calib == 0)
      error("option -calib: expected how many samples of -calib-dir or -calib-npy, or -1 for all, got '0'");
    if (is_given || !o.exports() || !o.is_integer()) return;
    o.calib = -1;
    o.rest.insert(o.rest.end(), {"-calib", "-1"});
  }

  void check_export() {
    const Options& o = line_.options;
    if (o.nb_bits == -16 || o.nb_bits == -64)
      error(fmt::format("option -nbbits: {} is not supported yet", o.nb_bits),
            "8 for integers, -32 for float");
    else if (o.nb_bits != -32 && (o.nb_bits < 2 || o.nb_bits > 16))
      error(fmt::format("option -nbbits: expected 2 to 16, or -32 for float, got '{}'", o.nb_bits));
    if (o.calib_reload && o.calib == 0)
      error("option -calib-reload: expected '-calib' with the stimuli that were measured");
    for (const auto& [name, given] : {std::pair{"calib", o.calib != 0},
                                      {"calib-reload", o.calib_reload},
                                      {"export-parameters", !o.export_parameters.empty()},
                                      {"overwrite", o.overwrite}})
      if (given && !o.exports())
        error(fmt::format("option -{} has no effect without -export", name), "'-export CPP'");
  }

  /// Options that this run has no use for. An INI file that -init writes is for other runs.
  void find_idle() {
    const Options& o = line_.options;
    if ((o.only_prints() && !o.analyzes()) || !o.check_memory.empty() || !o.init.empty()) return;
    if (o.analyzes())
      for (const Option* option : given_)
        if (std::find(std::begin(kOfValues), std::end(kOfValues), option->name) != std::end(kOfValues))
          line_.idle.push_back(fmt::format("option -{} has no effect beside -analyze", option->name));
    for (const Option* option : given_)
      if (const std::string text = missing(option->need, o); !text.empty())
        line_.idle.push_back(fmt::format("option -{} has no effect {}", option->name, text));
  }

  const std::vector<std::string>& arguments_;
  std::vector<const Option*> given_;
  size_t next_ = 0;
  CommandLine line_;
  Diagnostics findings_;
};

}  // namespace

bool Options::only_prints() const {
  return help || version || print_ini || analyze == "json" || help_export || !help_layer.empty() ||
         !help_database.empty() || !help_transformation.empty() || !help_solver.empty() ||
         !help_filler.empty();
}

bool Options::reads_onnx() const {
  return lower_case(model).ends_with(".onnx");
}

bool Options::reads_graph() const {
  return lower_case(model).ends_with(".graph");
}

CommandLine parse(const std::vector<std::string>& arguments) {
  return Parser(arguments).run();
}

std::string usage() {
  std::string out =
      "n2d2 <net>.ini [options]\n"
      "  learns, tests and exports the network that the file describes\n"
      "n2d2 <net>.onnx [options]\n"
      "  tests and exports an ONNX file alone; -calib-dir, -test-dir and what stands beside them say which "
      "samples\n"
      "n2d2 <net>.graph [options]\n"
      "  tests and exports what '-dump graph' wrote: weights, data sections and seed are in the file\n\n";
  const Options defaults;
  for (const Option& option : options()) {
    std::string left = fmt::format("  -{}", option.name);
    if (!option.value.empty()) left += fmt::format(" <{}>", option.value);
    const std::string value = option.value.empty() ? "" : value_text(option, defaults);
    out += fmt::format("{:<32} {}{}\n", left, option.help, value.empty() ? "" : " [" + value + "]");
  }
  return out;
}

namespace {

/// What a run says, not what it makes.
/// What a run makes is the same with and without them.
constexpr std::string_view kOfTheRun[] = {"log",      "log-epoch",    "report",       "dev",
                                          "multidev", "verbose",      "overwrite",    "dump",
                                          "strict",   "check-memory", "calib-reload", "log-files"};

/// "a/b.ini" as "b.ini"; /dev/null, which is no file, stays.
std::string without_folder(const std::string& path) {
  return path == "/dev/null" ? path : std::filesystem::path(path).lexically_normal().filename().string();
}

}  // namespace

std::vector<GivenOption> given_options(const Options& o) {
  const Options defaults;
  std::vector<GivenOption> out;
  for (const Option& option : options()) {
    if (std::find(std::begin(kOfTheRun), std::end(kOfTheRun), option.name) != std::end(kOfTheRun)) continue;
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
