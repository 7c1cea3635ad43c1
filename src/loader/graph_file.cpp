#include "n2d2/loader/graph_file.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "n2d2/base/read_file.hpp"
#include "n2d2/graph/text.hpp"
#include "n2d2/ops/all.hpp"
#include "n2d2/quantize/check_integers.hpp"

#include "builder.hpp"

namespace n2d2::loader {

namespace {

constexpr std::string_view kMagic = "n2d2 graph ", kVersion = "1", kRule = "---";
constexpr const char *kSeed = "Seed", *kSection = "Section";

std::string target_section(size_t output) {
  return fmt::format("target.{}", output);
}

// ---- writing
// -----------------------------------------------------------------------------------------------

std::string line_of(const std::string& section, const std::string& key, const std::string& text) {
  if (const auto line = config::line_of(key, text)) return *line + "\n";
  throw ConfigError(fmt::format("[{}] {}: no line of an INI file can hold '{}'", section, key, text));
}

/// The keys of a section, expanded.
std::string keys_text(const config::IniDocument& ini, const std::string& section) {
  std::string out;
  for (const std::string& key : ini.keys(section))
    if (key != kSection) out += line_of(section, key, ini.find(section, key)->text);
  return out;
}

/// The provider's keys as it took them, those of its ConfigSection in a section of their own.
std::string provider_text(const std::string& name, const data::ProviderOptions& options) {
  std::map<std::string_view, Place> places;
  for (const FieldHelp& field : describe_fields<data::ProviderOptions>())
    places[field.info.name] = field.info.place;
  std::string own = fmt::format("\n[{}]\n", name), config;
  for (const auto& [key, text] : print_fields(options))
    (places.at(key) == Place::Config ? config : own) += line_of(name, key, text);
  if (config.empty()) return own;
  const std::string section = name + ".Config";
  return fmt::format("{}ConfigSection={}\n\n[{}]\n{}", own, section, section, config);
}

std::string transformations_text(const std::string& provider, const config::IniDocument& ini) {
  std::string out;
  for (const std::string& section : ini.section_names())
    if (section.starts_with(provider + ".") &&
        section.find("Transformation", provider.size()) != std::string::npos)
      out += fmt::format("\n[{}]\n{}", section, keys_text(ini, section));
  return out;
}

std::string targets_text(const Network& net, const config::IniDocument& ini) {
  std::string out;
  for (size_t i = 0; i < net.targets.size(); ++i) {
    const TargetPlace& place = net.targets[i];
    out += fmt::format("\n[{}]\n{}={}\n", target_section(i), kSection, graph::escaped_name(place.section));
    if (!place.keys.empty()) out += keys_text(ini, place.keys);
  }
  return out;
}

// ---- reading
// -----------------------------------------------------------------------------------------------

/// The two halves of a file; the graph begins on line `line`.
struct Halves {
  std::string head;
  std::string_view graph;
  int line = 1;
};

/// The head keeps its line numbers: the first line, which is no INI, becomes empty.
Halves cut(std::string_view text, const std::string& path) {
  const std::string_view first = trim(text.substr(0, text.find('\n')));
  if (!first.starts_with(kMagic))
    throw ConfigError(
        fmt::format("no graph file: expected '{}{}' on the first line", kMagic, kVersion), {path, 1},
        "'-dump graph' writes graph.NN.<stage>.graph, which has its values; the .txt beside it has not");
  if (const auto version = first.substr(kMagic.size()); version != kVersion)
    throw ConfigError(fmt::format("a graph file of version '{}', this program reads {}",
                                  graph::escaped_name(version.substr(0, 20)), kVersion),
                      {path, 1});
  Halves out;
  for (bool is_first = true; !text.empty(); is_first = false, ++out.line) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (trim(line) == kRule) {
      out.graph = text;
      ++out.line;
      return out;
    }
    if (!is_first) out.head += line;
    out.head += '\n';
  }
  throw ConfigError(fmt::format("no line '{}' between the data sections and the graph", kRule), {path, 0});
}

void read_seed(const config::IniDocument& ini, uint64_t& seed, Diagnostics& findings) {
  const auto found = ini.find("", kSeed);
  const auto value = found ? parse_whole(found->text) : std::nullopt;
  if (value && *value >= 1)
    seed = static_cast<uint64_t>(*value);
  else
    findings.error(found ? found->where : SourceLocation{ini.path(), 0},
                   fmt::format("{}: {}, expected an integer >= 1", kSeed,
                               found ? "got '" + found->text + "'" : "missing"));
}

/// The section of output i: what it is called, and its keys.
void build_target(Builder& builder, size_t i) {
  const graph::ValueId value = builder.net.graph.outputs()[i];
  const std::string section = target_section(i);
  if (!builder.ini.has_section(section))
    return builder.diagnostics.error(
        {builder.ini.path(), 0},
        fmt::format("missing section [{}]: output '{}' of the graph has no target", section,
                    graph::escaped_name(builder.net.graph.value(value).name)));
  builder.target_sections.insert(section);
  builder.ini.mark_used(section);
  const auto keys = builder.ini.source(section);
  std::string written;
  read_field(field_info(kSection, required), written, *keys, builder.diagnostics);
  const auto name = graph::unescaped(written);
  if (!name)
    return builder.diagnostics.error(
        keys->find(kSection)->where,
        fmt::format("[{}] Section: expected '\\xNN' after '\\', got '{}'", section, written));
  const data::TargetOptions options = data::read_target_options(*keys, builder.diagnostics);
  auto target = target_of(builder, value, options, *keys);
  if (target)
    builder.net.targets.push_back(
        {*name, name->substr(0, name->rfind(".Target")), section, "", std::move(*target), keys->where()});
}

void build_graph_targets(Builder& builder) {
  const size_t outputs = builder.net.graph.outputs().size();
  if (outputs == 0) return builder.diagnostics.error({builder.ini.path(), 0}, "the graph has no output");
  for (size_t i = 0; i < outputs; ++i) attempt(builder, [&] { build_target(builder, i); });
  for (const std::string& section : builder.ini.section_names())
    if (section.starts_with("target.") && !builder.target_sections.contains(section)) {
      builder.ini.mark_used(section);
      builder.diagnostics.error(
          builder.ini.section_where(section),
          fmt::format("[{}]: the graph has {} outputs, their sections are [{}] to [{}]", section, outputs,
                      target_section(0), target_section(outputs - 1)));
    }
  name_folders(builder);
}

/// What the graph reads is what the provider gives.
void check_input(Builder& builder, const graph::Graph& graph) {
  if (graph.inputs().size() != 1)
    return builder.diagnostics.error(
        {builder.ini.path(), 0}, fmt::format("the graph has {} inputs, expected 1", graph.inputs().size()));
  const graph::Value& input = graph.value(graph.inputs()[0]);
  if (!builder.net.data || input.type.shape == builder.net.data->sample_shape()) return;
  builder.diagnostics.error(builder.ini.section_where(builder.provider),
                            fmt::format("[{}]: gives {}, the graph's input '{}' is {}", builder.provider,
                                        builder.net.data->sample_shape().text(),
                                        graph::escaped_name(input.name), input.type.shape.text()));
}

}  // namespace

std::string graph_file_text(const Network& net, const config::IniDocument& ini) {
  std::string out = fmt::format("{}{}\n{}={}\n", kMagic, kVersion, kSeed, net.seed);
  if (ini.has_section("database")) out += "\n[database]\n" + keys_text(ini, "database");
  const std::string& provider = net.graph.value(net.graph.inputs().at(0)).name;
  out += provider_text(provider, net.data->options());
  out += transformations_text(provider, ini);
  out += targets_text(net, ini);
  out += fmt::format("\n{}\n", kRule);
  return out + graph::to_text(net.graph, graph::Values::All);
}

GraphFile parse_graph_file(std::string_view text, const std::string& path) {
  const Halves halves = cut(text, path);
  Diagnostics findings;
  std::optional<config::IniDocument> ini;
  uint64_t seed = 1;
  try {
    ini = config::parse_ini(halves.head, path);
    read_seed(*ini, seed, findings);
  } catch (const ConfigError& error) {
    findings.add(error);
  }
  graph::Graph graph;
  try {
    graph = graph::from_text(halves.graph, ops::registry(), path, halves.line);
    quantize::check_types(graph, {path, 0}, findings);
  } catch (const ModelError& error) {
    findings.add(error);
  }
  findings.finish<ConfigError>();
  return {std::move(*ini), std::move(graph), seed};
}

GraphFile read_graph_file(const std::string& path) {
  constexpr int64_t kLargest = int64_t{1} << 32;
  try {
    return parse_graph_file(read_text_file(path, kLargest), path);
  } catch (const FileError& error) {
    throw ConfigError("graph file: " + error.reason, {path, 0},
                      "looked for '" + std::filesystem::absolute(path).lexically_normal().string() + "'");
  }
}

Network network(graph::Graph graph, config::IniDocument& ini, const Options& options) {
  Builder builder(ini, options);
  build_data(builder);
  check_input(builder, graph);
  builder.net.graph = std::move(graph);
  build_graph_targets(builder);
  report_unread(builder);
  finish(builder);
  return std::move(builder.net);
}

}  // namespace n2d2::loader
