#include "joined_inputs.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "n2d2/base/log.hpp"
#include "n2d2/base/progress.hpp"
#include "n2d2/base/text.hpp"
#include "n2d2/compute/executor.hpp"
#include "n2d2/tensor/npy.hpp"

#include "files.hpp"
#include "standardize.hpp"

namespace n2d2::app {

namespace {

constexpr std::string_view kZeros = "0";

[[noreturn]] void refuse(const std::string& option, const std::string& message,
                         const std::string& hint = {}) {
  throw ConfigError(fmt::format("option {}: {}", option, message), {}, hint);
}

std::vector<std::string> names_of(const onnx::Model& model) {
  std::vector<std::string> out;
  for (const onnx::GraphInput& input : model.inputs()) out.push_back(input.name);
  return out;
}

/// What prepares a picture, or one input alone.
void refuse_options(const Options& o, size_t inputs) {
  const std::string why = fmt::format("the file has {} inputs, which get arrays as they are", inputs);
  const std::string hint = "'-calib-npy a.npy,b.npy' has a file for each input";
  if (!o.calib_dir.empty()) refuse("-calib-dir", why, hint);
  if (!o.test_dir.empty()) refuse("-test-dir", why, hint);
  for (const auto& [given, name] : {std::pair{!o.mean.empty(), "-mean"},
                                    {!o.std_dev.empty(), "-std"},
                                    {!o.scale.empty(), "-scale"},
                                    {o.standardize, "-standardize"},
                                    {!o.preset.empty() && o.preset != "none", "-preset"}})
    if (given) refuse(name, why, "prepare the values before they are saved");
}

/// "<input>=<file>" of an input of the file: both; nothing for other texts.
std::optional<std::pair<size_t, std::string>> named_file(const std::string& item,
                                                         const std::vector<std::string>& names) {
  for (size_t i = 0; i < names.size(); ++i)
    if (item.starts_with(names[i] + "=")) return std::pair{i, item.substr(names[i].size() + 1)};
  return std::nullopt;
}

/// Fills the files of the inputs that are named; false when none is.
bool take_named(const std::vector<std::string>& items, const std::vector<std::string>& names,
                std::vector<std::string>& files) {
  size_t named = 0;
  for (const std::string& item : items) {
    const auto found = named_file(std::string(trim(item)), names);
    if (!found) continue;
    ++named;
    if (!files[found->first].empty())
      refuse("-calib-npy", fmt::format("input '{}' has two files", names[found->first]));
    files[found->first] = found->second;
  }
  if (named != 0 && named < items.size())
    refuse("-calib-npy", fmt::format("expected '<input>=<file>' for all files or for none, inputs are '{}'",
                                     join(names, "', '")));
  return named != 0;
}

/// Files in the order of the inputs, or of those that are no states.
void take_in_order(const std::vector<std::string>& items, const std::vector<std::string>& names,
                   const std::vector<bool>& are_states, std::vector<std::string>& files) {
  std::vector<size_t> places;
  for (size_t i = 0; i < names.size(); ++i)
    if (!are_states[i] || items.size() == names.size()) places.push_back(i);
  if (items.size() != places.size()) {
    std::vector<std::string> wanted;
    for (const size_t i : places) wanted.push_back(names[i]);
    refuse("-calib-npy",
           fmt::format("expected {} files between commas, for the inputs '{}', got {}", places.size(),
                       join(wanted, "', '"), items.size()),
           fmt::format("'-calib-npy {}=<file>' has one, the others are zeros then", names.front()));
  }
  for (size_t i = 0; i < items.size(); ++i) files[places[i]] = std::string(trim(items[i]));
}

std::string list_of(const std::vector<int64_t>& values) {
  std::vector<std::string> texts;
  for (const int64_t value : values) texts.push_back(std::to_string(value));
  return join(texts, " ");
}

/// Divides the elements of each input by its factor.
DocumentedSection step_section(const std::vector<int64_t>& sizes, const std::vector<double>& factors) {
  std::vector<std::string> divisors;
  for (size_t i = 0; i < factors.size(); ++i)
    divisors.insert(divisors.end(), static_cast<size_t>(sizes[i]),
                    print_real(static_cast<float>(factors[i])));
  DocumentedSection out;
  out.values.name = "sp.Transformation-1";
  out.values.keys = {{"Type", "RangeAffineTransformation"},
                     {"FirstOperator", factors.empty() ? "Plus" : "Divides"},
                     {"FirstValue", factors.empty() ? "0" : join(divisors, " ")}};
  out.comment =
      "Each input is divided by its largest magnitude: one scale of integers holds all of them.\n"
      "InputFactors of [net] multiplies it again.";
  return out;
}

}  // namespace

std::string take_constants(Options& o, const onnx::Model& model) {
  const std::vector<std::string> names = names_of(model);
  std::vector<std::string> constants, others, left = names;
  for (const std::string& item : split(o.calib_npy, ',')) {
    const auto found = named_file(std::string(trim(item)), names);
    if (!found || !model.inputs()[found->first].is_number()) {
      others.push_back(item);
      continue;
    }
    const std::string& name = names[found->first];
    if (!parse_real(found->second))
      refuse("-calib-npy", fmt::format("input '{}' is one number, got '{}'", name, found->second),
             fmt::format("'{}=<number>' makes it a constant", name));
    constants.push_back(std::string(trim(item)));
    std::erase(left, name);
  }
  if (constants.empty()) return "";
  if (left.size() == 1 && others.size() == 1)
    if (const auto file = named_file(std::string(trim(others[0])), left)) others[0] = file->second;
  o.calib_npy = join(others, ",");
  return join(constants, ",");
}

std::vector<int64_t> sizes_of_inputs(const onnx::Model& model, const std::string& path) {
  std::vector<int64_t> out;
  for (const onnx::GraphInput& input : model.inputs()) {
    if (input.is_number())
      throw ModelError(
          fmt::format("input '{}' is one number without a batch", input.name), {path, 0},
          fmt::format("'-calib-npy <files>,{}=<number>' makes it a constant; '-inputs <others>' leaves out "
                      "an input that nothing reads",
                      input.name));
    int64_t size = 1;
    for (size_t axis = 1; axis < input.dims.size(); ++axis) {
      const int64_t extent = input.dims[axis];
      constexpr int64_t kMost = int64_t{1} << 31;
      if (extent < 1 || size > kMost / extent)
        throw ModelError(
            fmt::format("input '{}': axis {} is {}, only the batch may be", input.name, axis,
                        extent == -1 ? "open (dynamic)" : std::to_string(extent)),
            {path, 0},
            "export the model with fixed extents, or fix them (onnxruntime.tools.make_dynamic_shape_fixed)");
      size *= extent;
    }
    out.push_back(size);
  }
  return out;
}

InputFiles input_files(const Options& o, const onnx::Model& model) {
  refuse_options(o, model.inputs().size());
  InputFiles out;
  const std::vector<std::string> names = names_of(model);
  std::vector<bool> are_states(names.size());
  for (const auto& [output, input] : onnx::state_pairs(model, o.states))
    are_states[static_cast<size_t>(std::find(names.begin(), names.end(), input) - names.begin())] = true;
  if (o.calib_npy.empty()) return out;
  const std::vector<std::string> items = split(o.calib_npy, ',');
  out.paths.resize(names.size());
  out.are_made.resize(names.size());
  if (!take_named(items, names, out.paths)) take_in_order(items, names, are_states, out.paths);
  std::vector<std::string> zeros;
  for (size_t i = 0; i < names.size(); ++i) {
    out.are_made[i] = out.paths[i].empty() && are_states[i];
    if (out.paths[i].empty()) out.paths[i] = kZeros;
    if (out.paths[i] == kZeros && !out.are_made[i]) zeros.push_back(names[i]);
  }
  const bool has_file =
      std::any_of(out.paths.begin(), out.paths.end(), [](const std::string& p) { return p != kZeros; });
  if (!has_file) refuse("-calib-npy", "expected a file for one of the inputs");
  if (!zeros.empty())
    log::notice("-calib-npy: zeros are the samples of '{}': scales behind such an input are those of zeros",
                join(zeros, "', '"));
  return out;
}

std::vector<DocumentedSection> joined_sections(const Options& o, const onnx::Model& model,
                                               const InputFiles& files, const std::vector<double>& factors) {
  const std::vector<int64_t> sizes = sizes_of_inputs(model, o.model);
  int64_t elements = 0;
  for (const int64_t size : sizes) elements += size;
  const bool has_samples = !files.paths.empty();
  std::vector<DocumentedSection> out(2);
  out[0].values.name = "database";
  out[0].comment = "No samples.";
  if (has_samples) {
    auto& keys = out[0].values.keys;
    keys = {{"Type", "Joined_Database"}, {"Files", join(files.paths, ",")}, {"Sizes", list_of(sizes)}};
    if (!o.sample_type.empty()) keys.emplace_back("SampleType", o.sample_type);
    out[0].comment =
        "A sample has the elements of all inputs of the ONNX file, one input behind the other, each in the "
        "order "
        "of the file.\nFiles: one for each input, 0 for zeros. Sizes: elements of each.";
  } else {
    log::notice("{}: no INI file, so no database; -calib-npy gives samples", o.model);
  }
  out[1].values = {
      "sp", {{"SizeX", "1"}, {"SizeY", "1"}, {"NbChannels", std::to_string(elements)}, {"BatchSize", "1"}}};
  out[1].comment = "The input of the network: the elements of all inputs of the ONNX file.";
  if (has_samples) out.push_back(step_section(sizes, factors));
  return out;
}

std::vector<double> input_factors(const Options& o, const loader::Network& raw) {
  const bool calibrates = o.prepares_export() && o.is_integer() && o.calib != 0;
  const FeatureStatistics features = feature_statistics(raw, calibrates ? o.calib : -1);
  std::vector<double> out;
  for (const JoinedInput& input : raw.inputs) {
    const auto from = features.largest.begin() + input.first;
    const double largest = *std::max_element(from, from + input.size);
    out.push_back(largest > 0 ? largest : 1);
  }
  return out;
}

InputFiles with_states(const Options& o, InputFiles files, const loader::Network& raw) {
  const graph::Graph& graph = raw.graph;
  const int64_t samples = raw.data->size(data::Partition::Test);
  std::vector<size_t> made;
  std::vector<std::string> names;
  std::vector<Tensor> states;
  for (size_t i = 0; i < raw.inputs.size(); ++i) {
    if (!files.are_made[i]) continue;
    made.push_back(i);
    names.push_back(raw.inputs[i].name);
    states.emplace_back(Shape{samples, raw.inputs[i].size});
  }
  compute::Executor executor(graph, {.backend = compute::Backend::OneDnn});
  Tensor input;
  std::vector<int> labels;
  progress::Task task("Making the states of the samples", samples, "samples");
  for (int64_t sample = 0; sample < samples; ++sample) {
    raw.data->read(data::Partition::Test, std::span(&sample, 1), 0, input, labels);
    for (size_t k = 0; k < made.size(); ++k) {
      const JoinedInput& state = raw.inputs[made[k]];
      const float* from = states[k].data<float>() + sample * state.size;
      std::copy_n(from, state.size, input.data<float>() + state.first);
    }
    executor.forward(input);
    for (size_t k = 0; k < made.size() && sample + 1 < samples; ++k) {
      const JoinedInput& state = raw.inputs[made[k]];
      const auto target =
          std::find_if(raw.targets.begin(), raw.targets.end(),
                       [&](const loader::TargetPlace& t) { return t.layer == state.state_of; });
      const Tensor values =
          executor.read(graph.outputs().at(static_cast<size_t>(target - raw.targets.begin())));
      std::copy_n(values.data<float>(), state.size, states[k].data<float>() + (sample + 1) * state.size);
    }
    task.at(sample + 1);
  }
  const std::vector<std::string> paths = file_names(names);
  for (size_t k = 0; k < made.size(); ++k) {
    files.paths[made[k]] = o.in_output(std::filesystem::path("states") / (paths[k] + ".npy")).string();
    write_text(files.paths[made[k]], npy(states[k]));
  }
  log::info("States: {} samples are one sequence, '{}' before each of them in '{}'", samples,
            join(names, "', '"), o.in_output("states").string());
  return files;
}

}  // namespace n2d2::app
