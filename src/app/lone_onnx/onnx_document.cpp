#include "onnx_document.hpp"

#include <algorithm>
#include <filesystem>

#include "n2d2/base/log.hpp"
#include "n2d2/onnx/importer.hpp"

#include "command_line/shell_word.hpp"
#include "files.hpp"
#include "joined_inputs.hpp"
#include "onnx_samples.hpp"
#include "standardize.hpp"

namespace n2d2::app {

namespace {

/// Options, and inputs of one number that -calib-npy makes constants, as the key Constants has them.
struct Given {
  Options options;
  std::string constants = {};
};

/// An extent that the file leaves open is a finding of the import.
InputSize size_of(const onnx::GraphInput& input) {
  std::vector<int64_t> dims = input.dims;
  if (input.channels_last) std::rotate(dims.begin() + 1, dims.end() - 1, dims.end());
  const auto extent = [&](size_t axis) { return axis < dims.size() ? std::max<int64_t>(1, dims[axis]) : 1; };
  InputSize out;
  out.width = dims.size() == 2 ? extent(1) : dims.size() == 3 ? extent(2) : extent(3);
  out.height = dims.size() > 3 ? extent(2) : 1;
  out.channels = dims.size() == 2 ? 1 : extent(1);
  out.is_map = dims.size() == 4;
  out.is_integer = input.grid.has_value();
  out.channels_last = input.channels_last;
  return out;
}

std::vector<std::string> names_of(const std::string& list) {
  std::vector<std::string> out;
  for (const std::string& name : split(list, ','))
    if (!trim(name).empty()) out.emplace_back(trim(name));
  return out;
}

/// As a key of the INI file lists them.
std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    const bool has_blank = name.find_first_of(" \t") != std::string::npos;
    out += fmt::format("{}{}", out.empty() ? "" : " ", has_blank ? '"' + name + '"' : name);
  }
  return out;
}

DocumentedSection net_section(const Given& given, bool joins, const std::vector<double>& factors) {
  const Options& o = given.options;
  DocumentedSection out{
      {"net", {{"Input", "sp"}, {"Type", "ONNX"}, {"File", o.model}}},
      "The ONNX file, relative to the working directory. Its weights are used until a run of this file has "
      "learnt others."};
  if (!o.inputs.empty()) out.values.keys.emplace_back("Inputs", listed(names_of(o.inputs)));
  if (!o.outputs.empty()) out.values.keys.emplace_back("Outputs", listed(names_of(o.outputs)));
  if (!given.constants.empty()) out.values.keys.emplace_back("Constants", given.constants);
  if (joins) out.values.keys.emplace_back("JoinedInputs", "1");
  std::vector<std::string> texts;
  for (const double factor : factors) texts.push_back(print_real(static_cast<float>(factor)));
  if (joins && !o.states.empty()) out.values.keys.emplace_back("States", o.states);
  if (joins && !factors.empty()) out.values.keys.emplace_back("InputFactors", join(texts, " "));
  return out;
}

/// All outputs leave the network, the first is scored.
std::vector<DocumentedSection> target_sections(const Options& o, const std::vector<std::string>& outputs) {
  std::vector<DocumentedSection> out;
  for (const std::string& output : outputs) {
    DocumentedSection& section = out.emplace_back();
    section.values.name = output + ".Target";
    section.comment = "Another output, which is not scored.";
    if (out.size() > 1) section.values.keys.emplace_back("Type", "Target");
  }
  DocumentedSection& scored = out.front();
  scored.comment = "The output that is scored, the first of the file.";
  if (!o.labels.empty()) {
    scored.values.keys.emplace_back("LabelsFile", o.labels);
    scored.comment += " LabelsFile names its classes.";
  }
  if (outputs.size() == 1)
    log::notice("{}: '{}' is the target", o.model, outputs[0]);
  else
    log::notice("{}: {} outputs leave the network, '{}'; the first is the target; -outputs picks some",
                o.model, outputs.size(), join(outputs, "', '"));
  return out;
}

/// Rows of features, N,F: with a number for each of them they are channels, else columns of one.
void settle_features(InputSize& size, const onnx::GraphInput& input, const Options& o) {
  const bool is_by_feature =
      o.standardize || o.mean.find(',') != std::string::npos || o.std_dev.find(',') != std::string::npos;
  if (input.dims.size() == 2 && is_by_feature) std::swap(size.channels, size.width);
}

/// The part that the options name, without the inputs that they make constants.
onnx::Model model_of(Given& given) {
  Options& o = given.options;
  const onnx::Model part =
      onnx::part_of(onnx::read_model(o.model), {names_of(o.inputs), names_of(o.outputs)});
  given.constants = take_constants(o, part);
  return onnx::part_of(part, {{}, {}, onnx::constants_of(part, given.constants)});
}

/// Samples, and what the one input of the file takes of them.
std::vector<DocumentedSection> single_input(const Options& o, const onnx::GraphInput& input) {
  InputSize size = size_of(input);
  settle_features(size, input, o);
  std::vector<DocumentedSection> out = sample_sections(o, size);
  out.insert(out.begin() + 1, {{"sp",
                                {{"SizeX", std::to_string(size.width)},
                                 {"SizeY", std::to_string(size.height)},
                                 {"NbChannels", std::to_string(size.channels)},
                                 {"BatchSize", "1"}}},
                               "The input of the network: what samples must be after all transformations."});
  return out;
}

/// `files` and `factors` of several inputs as in joined_sections().
std::vector<DocumentedSection> sections_of(const Given& given, const onnx::Model& model,
                                           const InputFiles& files = {},
                                           const std::vector<double>& factors = {}) {
  const Options& o = given.options;
  if (model.inputs().empty()) throw ModelError("the file has no input", {o.model, 0});
  const bool joins = model.inputs().size() > 1;
  std::vector<DocumentedSection> out =
      joins ? joined_sections(o, model, files, factors) : single_input(o, model.inputs()[0]);
  out.push_back(net_section(given, joins, factors));
  for (DocumentedSection& target : target_sections(o, model.outputs())) out.push_back(std::move(target));
  return out;
}

std::string comment_of(const std::string& text) {
  std::string out;
  for (const std::string& line : split(text, '\n')) out += "; " + line + "\n";
  return out;
}

std::string text_of(const std::vector<DocumentedSection>& sections) {
  std::string out = comment_of(
      "Says what the options of a command line said. 'n2d2 -h' lists options, 'n2d2 -help-database\n"
      "DIR_Database' and '-help-transformation <type>' the keys of sections.");
  for (const auto& [values, comment] : sections) {
    out += "\n" + comment_of(comment) + fmt::format("[{}]\n", values.name);
    for (const auto& [key, text] : values.keys) {
      const auto line = config::line_of(key, text);
      if (!line)
        throw ConfigError(fmt::format("option -init: no line of an INI file can hold '{}', the {} of [{}]",
                                      text, key, values.name));
      out += *line + "\n";
    }
  }
  return out;
}

/// Read again, the text must say the same.
void check_text(const std::string& text, const std::vector<DocumentedSection>& sections) {
  const auto refuse = [](const std::string& what) {
    throw ConfigError(fmt::format("option -init: an INI file cannot say {}", what), {},
                      "another name for the file or the folder");
  };
  const auto read = [&]() -> std::optional<config::IniDocument> {
    try {
      return config::parse_ini(text, "");
    } catch (const ConfigError&) {
      return std::nullopt;
    }
  }();
  for (const auto& [values, comment] : sections) {
    if (!read || !read->has_section(values.name)) {
      // A name that is no header spoils the whole text: it is found alone.
      try {
        if (config::parse_ini(fmt::format("[{}]\n", values.name), "").has_section(values.name)) continue;
      } catch (const ConfigError&) {
      }
      refuse(fmt::format("the section '{}'", values.name));
    }
    for (const auto& [key, wanted] : values.keys) {
      std::optional<KeyText> found;
      try {
        found = read->find(values.name, key);
      } catch (const ConfigError&) {
      }
      if (!found || found->text != wanted)
        refuse(fmt::format("'{}', the {} of [{}]", wanted, key, values.name));
    }
  }
  N2D2_CHECK(read && read->section_names().size() == sections.size() + 1, "the INI text has other sections");
}

config::IniDocument document_of(const Options& o, std::vector<DocumentedSection> sections) {
  std::vector<config::SectionValues> values;
  for (DocumentedSection& section : sections) values.push_back(std::move(section.values));
  return config::document_of(o.model, values);
}

/// The network of the same options that gets the values as they are. What is said of its samples is said
/// again of what they become.
loader::Network raw_network(const Given& given, const onnx::Model& model, const InputFiles& files = {}) {
  const log::Capture quiet;
  const Options& o = given.options;
  config::IniDocument ini = document_of(o, sections_of(given, model, files));
  return loader::network(ini, {o.seed > 0 ? static_cast<uint64_t>(o.seed) : 1, false, {}});
}

/// What the samples say is measured first.
std::vector<DocumentedSection> settled_sections(const Options& options) {
  Given given{options};
  const onnx::Model model = model_of(given);
  Options& o = given.options;
  if (model.inputs().size() < 2) {
    if (!o.states.empty())
      throw ConfigError("option -states: the file has one input, a state is another one", {});
    if (o.standardize) o = standardized(o, raw_network(given, model));
    return sections_of(given, model);
  }
  InputFiles files = input_files(o, model);
  if (files.paths.empty()) return sections_of(given, model);
  if (std::find(files.are_made.begin(), files.are_made.end(), true) != files.are_made.end())
    files = with_states(o, files, raw_network(given, model, files));
  return sections_of(given, model, files, input_factors(o, raw_network(given, model, files)));
}

}  // namespace

config::IniDocument document_for_onnx(const Options& options) {
  return document_of(options, settled_sections(options));
}

void write_ini(const Options& o) {
  std::error_code ignored;
  if (std::filesystem::exists(o.in_output(o.init), ignored))
    throw ConfigError(fmt::format("option -init: '{}' is there already", o.in_output(o.init).string()), {},
                      "'-init <other>.ini'");
  const std::vector<DocumentedSection> sections = settled_sections(o);
  const std::string text = text_of(sections);
  check_text(text, sections);
  write_text(o.in_output(o.init), text);
  const std::string file = o.in_output(o.init).string();
  std::string command = "n2d2 " + shell_word(file);
  for (const std::string& word : o.rest) command += " " + shell_word(word);
  print(fmt::format("'{}' written; the same as this command line is\n  {}\n", file, command));
}

void warn_of_labels(const loader::Network& net, const Options& o) {
  const auto labels = static_cast<int>(net.database->labels().size());
  if (!o.reads_onnx() || !o.labels.empty() || labels == 0 || net.targets.empty()) return;
  const int classes = net.targets.front().target.classes();
  if (labels != classes)
    log::warn(
        "{} folders of samples, {} classes: folder i in the order of names is taken for class i; -labels "
        "says otherwise",
        labels, classes);
}

}  // namespace n2d2::app
