#include "summary.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "n2d2/base/log.hpp"
#include "n2d2/quantize/given_scales.hpp"

#include "command_line/option_table.hpp"
#include "command_line/shell_word.hpp"
#include "export_network.hpp"
#include "export_type.hpp"
#include "files.hpp"
#include "weights.hpp"

namespace n2d2::app {

namespace {

constexpr size_t kMostCommands = 3;

/// Options that any other run of the network needs, too; those of the samples of an ONNX file are known by
/// the table.
constexpr std::array<std::string_view, 4> kOfAnyRun{"o", "module", "no-exif", "seed"};
/// Where the weights of a run that does not learn come from.
constexpr std::array<std::string_view, 3> kOfWeights{"w", "w-ignore", "l"};

bool contains(const auto& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string command_of(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + shell_word(word);
  return out;
}

/// The program and the network, with the arguments that other runs need, too, and `added`.
std::string other_run(const Options& o, const std::vector<std::string>& added) {
  std::vector<std::string> words{o.program, o.model};
  const bool has_other_weights = o.begins_learning() || o.bn_reestimate > 0;
  for (const TypedOption& option : o.typed) {
    const Option* known = find_option(option.name);
    const bool is_of_samples = known != nullptr && known->is_of_samples && option.name != "init";
    if (is_of_samples || contains(kOfAnyRun, option.name) ||
        (!has_other_weights && contains(kOfWeights, option.name)))
      words.insert(words.end(), option.arguments.begin(), option.arguments.end());
  }
  if (o.bn_reestimate > 0 && !o.begins_learning())
    words.insert(words.end(), {"-w", o.in_output("weights_reestimated").string()});
  words.insert(words.end(), added.begin(), added.end());
  return command_of(words);
}

/// The program that looks at a network file without samples.
std::string look_at(const Options& o, const std::string& model) {
  std::vector<std::string> words{o.program, model};
  for (const TypedOption& option : o.typed)
    if (option.name == "module") words.insert(words.end(), option.arguments.begin(), option.arguments.end());
  words.emplace_back("-analyze");
  return command_of(words);
}

bool has_samples(const loader::Network& net) {
  using data::Partition;
  return net.calibration != nullptr || net.data->size(Partition::Validation) > 0 ||
         net.data->size(Partition::Learn) > 0 || net.data->size(Partition::Test) > 0;
}

bool can_learn(const loader::Network& net) {
  return !net.targets.empty() && net.data->size(data::Partition::Learn) > 0 &&
         std::any_of(net.parameters.begin(), net.parameters.end(),
                     [](const loader::Parameter& parameter) { return parameter.solver != nullptr; });
}

/// Whether there are weights for a run that does not learn.
bool has_weights_at_hand(const loader::Network& net, const Options& o) {
  if (o.uses_network() || o.bn_reestimate > 0 || brings_weights(net)) return true;
  std::error_code error;
  return std::filesystem::is_directory(weights_folder(net, o), error);
}

/// What exports the network as integers where there are scales or samples to calibrate on, else as floats.
std::vector<std::string> options_of_export(const loader::Network& net, const Options& o) {
  std::vector<std::string> out{"-export", "CPP"};
  const auto add = [&](const std::string& name, const std::string& value) {
    out.insert(out.end(), {name, value});
  };
  if (o.graph_bits > 0)
    add("-nbbits", std::to_string(o.graph_bits));
  else if (!has_samples(net) && !quantize::has_given_scales(net.graph) && !loader::has_learnt_quantizers(net))
    add("-nbbits", "-32");
  else if (has_samples(net) && !o.is_typed("calib-dir") && !o.is_typed("calib-npy"))
    add("-calib", "-1");
  if (net.data->size(data::Partition::Test) > 0) out.emplace_back("-test");
  return out;
}

/// Whether `-export CPP` takes all layers.
bool is_exported(const loader::Network& net, Options o) {
  if (targets::registry().find("CPP") == nullptr) return false;
  o.export_type = "CPP", o.calib_only = false, o.no_cle = true, o.export_parameters.clear();
  const log::Capture unsaid;
  try {
    const auto target = configure_export(o);
    graph::Graph copy = net.graph;
    pipeline::prepare(copy, pipeline_request(net, o), *target);
  } catch (const std::exception&) {  // an Error, or what has no memory
    return false;
  }
  return true;
}

std::string learning_again(const Options& o, const std::string& state) {
  const bool by_epochs = o.learn_epoch > 0;
  const int64_t length = by_epochs ? o.learn_epoch : o.learn;
  const int64_t longer = state.empty() ? 2 * length : length;
  return same_run_with(
      o, {"learn", "learn-epoch", "l", "w", "w-ignore", "test", "export", "quiet", "verbose", "check"},
      {"-l", state.empty() ? o.in_output("net_state").string() : state, by_epochs ? "-learn-epoch" : "-learn",
       std::to_string(longer)});
}

}  // namespace

void Summary::print(bool is_quiet) const {
  std::string out = written_;
  if (!is_quiet && !commands_.empty()) {
    out += "Next:\n";
    for (size_t i = 0; i < std::min(kMostCommands, commands_.size()); ++i) out += "  " + commands_[i] + "\n";
  }
  app::print(out);
}

std::string same_run_with(const Options& o, const std::vector<std::string>& left_out,
                          const std::vector<std::string>& added) {
  std::vector<std::string> words{o.program, o.model};
  for (const TypedOption& option : o.typed)
    if (!contains(left_out, option.name))
      words.insert(words.end(), option.arguments.begin(), option.arguments.end());
  words.insert(words.end(), added.begin(), added.end());
  return command_of(words);
}

void suggest_project(const std::string& folder, size_t stimuli, const Options& o, Summary& summary) {
  const std::filesystem::path place(folder);
  const auto has = [&](const char* file) {
    std::error_code error;
    return std::filesystem::exists(place / file, error);
  };
  const std::string word = shell_word(folder);
  if (has("model.onnx")) summary.next(look_at(o, (place / "model.onnx").string()));
  if (!has("Makefile")) return;
  const bool is_firmware = has("driver/Makefile");
  summary.next(fmt::format("make -C {}{}", word, is_firmware ? " desk" : ""));
  summary.next(fmt::format("(cd {} && bin/run_export{})", word, stimuli > 0 ? "" : " -time 100"));
  if (is_firmware && o.is_integer()) summary.next(fmt::format("make -C {} qemu", word));
}

void suggest_runs(const loader::Network& net, const Options& o, Summary& summary, const std::string& state) {
  if (!state.empty()) summary.next(learning_again(o, state));
  if (o.prepares_export() && o.is_integer() && !o.learns() && !o.doctor)
    summary.next(same_run_with(o, {}, {"-doctor"}));
  if (o.calib_only) summary.next(same_run_with(o, {"calibOnly"}, {"-export", "CPP"}));
  const bool has_weights = state.empty() && has_weights_at_hand(net, o);
  if (has_weights && !o.quiet && !o.prepares_export() && is_exported(net, o))
    summary.next(other_run(o, options_of_export(net, o)));
  if (o.learns() && state.empty()) summary.next(learning_again(o, state));
  if (!o.learns() && !has_weights && can_learn(net)) summary.next(other_run(o, {"-learn-epoch", "10"}));
  if (has_weights && !o.test && !o.learns() && o.graph_bits == 0 && net.data->size(data::Partition::Test) > 0)
    summary.next(other_run(o, {"-test"}));
  summary.next(look_at(o, o.model));
  summary.next(look_at(o, o.model) + " html > " +
               shell_word(std::filesystem::path(o.model).stem().string() + ".html"));
  summary.next(command_of({o.program, o.model, "-print-ini"}));
}

}  // namespace n2d2::app
