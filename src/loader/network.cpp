#include "n2d2/loader/network.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "n2d2/ops/quantize_activation.hpp"

#include "builder.hpp"

namespace n2d2::loader {

namespace {

/// Layers whose output a BatchNorm layer reads: they do not get one of their own.
void find_batchnorm_parents(Builder& builder) {
  for (const LayerSection& layer : builder.order)
    attempt(builder, [&] {
      const auto type = builder.ini.find(layer.name, "Type");
      if (type && type->text == "BatchNorm")
        builder.followed_by_batchnorm.insert(layer.inputs.begin(), layer.inputs.end());
    });
}

}  // namespace

void build_data(Builder& builder) {
  builder.net.name = std::filesystem::path(builder.ini.path()).stem().string();
  builder.net.seed = builder.options.seed;
  read_globals(builder);
  build_database(builder);
  build_stimuli(builder);
}

namespace {

/// What a finding is about, so that one fact has one line: an undefined variable by its name, wherever it is
/// used; what stands on one line of a file by its words without the section that reads it, for several may. A
/// fact of the whole file has its hint.
std::string fact_of(const Diagnostic& finding) {
  if (const auto variable = config::undefined_variable(finding)) return "variable " + *variable;
  if (finding.where.line <= 0)
    return fmt::format("{}\n{}\n{}", finding.where.file, finding.message, finding.hint);
  std::string_view words = config::without_need(finding.message);
  if (words.starts_with('[')) words.remove_prefix(std::min(words.size(), words.find(']') + 1));
  return fmt::format("{}:{}\n{}", finding.where.file, finding.where.line, words);
}

struct Fact {
  Diagnostic first;
  std::set<std::pair<std::string, int>> places;
};

/// The first of each fact in the order of the file.
std::vector<Diagnostic> facts_of(const std::vector<Diagnostic>& findings) {
  std::vector<Fact> facts;
  std::map<std::string, size_t> known;
  for (const Diagnostic& finding : findings) {
    const auto [at, fresh] = known.try_emplace(fact_of(finding), facts.size());
    if (fresh) facts.push_back({finding, {}});
    Fact& fact = facts[at->second];
    fact.places.emplace(finding.where.file, finding.where.line);
    if (finding.where.file == fact.first.where.file && finding.where.line < fact.first.where.line)
      fact.first = finding;
  }
  std::vector<Diagnostic> out;
  for (Fact& fact : facts) {
    const size_t others = fact.places.size() - 1;
    if (others > 0)
      fact.first.message += fmt::format(" (and in {} other {})", others, others == 1 ? "place" : "places");
    out.push_back(std::move(fact.first));
  }
  return out;
}

}  // namespace

void finish(const Builder& builder) {
  Diagnostics unique;
  for (Diagnostic& finding : facts_of(builder.diagnostics.errors()))
    unique.error(finding.where, std::move(finding.message), std::move(finding.hint));
  for (Diagnostic& finding : facts_of(builder.diagnostics.warnings()))
    unique.warn(finding.where, std::move(finding.message), std::move(finding.hint));
  unique.finish<ConfigError>();
}

Network network(config::IniDocument& ini, const Options& options) {
  Builder builder(ini, options);
  build_data(builder);
  builder.order = order_layers(builder);
  if (builder.order.empty() && !builder.diagnostics.has_errors())
    builder.diagnostics.error({ini.path(), 0}, "no layer: no section has a key 'Input'");
  if (builder.insert_batchnorm) find_batchnorm_parents(builder);
  for (const LayerSection& layer : builder.order) build_layer(builder, layer);
  build_targets(builder);
  round_average_pools(builder.net.graph);
  report_unread(builder);
  finish(builder);
  return std::move(builder.net);
}

void fill(Network& network) {
  for (const Parameter& parameter : network.parameters)
    if (parameter.filler)
      training::fill_constant(network.graph, parameter.constant, parameter.parts, *parameter.filler,
                              network.seed);
}

QuantizerStates quantizer_states(const Network& network) {
  QuantizerStates out;
  for (const Parameter& parameter : network.parameters)
    if (parameter.quantizer)
      out.emplace_back(network.graph.value(parameter.constant).name, parameter.quantizer->state());
  return out;
}

void set_quantizer_states(Network& network, const QuantizerStates& states) {
  for (const Parameter& parameter : network.parameters)
    for (const auto& [name, state] : states)
      if (parameter.quantizer && network.graph.value(parameter.constant).name == name)
        parameter.quantizer->restore(state);
}

void quantize(const Network& network, graph::Graph& graph) {
  for (const Parameter& parameter : network.parameters) {
    if (!parameter.quantizer) continue;
    Tensor& weights = graph.mutable_constant(parameter.constant);
    const std::vector<float> masters(weights.span().begin(), weights.span().end());
    parameter.quantizer->forward(masters, weights.span());
  }
}

bool has_learnt_quantizers(const Network& network) {
  const auto nodes = network.graph.nodes();
  return std::any_of(network.parameters.begin(), network.parameters.end(),
                     [](const Parameter& parameter) { return parameter.quantizer != nullptr; }) ||
         std::any_of(nodes.begin(), nodes.end(), [&](graph::NodeId id) {
           return graph::as<ops::QuantizeActivation>(network.graph.node(id)) != nullptr;
         });
}

}  // namespace n2d2::loader
