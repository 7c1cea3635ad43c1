#include "n2d2/loader/network.hpp"

#include <filesystem>
#include <set>
#include <tuple>

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

/// Two layers that read one wrong config section have one finding.
void finish(const Builder& builder) {
  Diagnostics unique;
  std::set<std::tuple<std::string, int, std::string, std::string>> seen;
  const auto fresh = [&](const Diagnostic& d) {
    return seen.emplace(d.where.file, d.where.line, d.message, d.hint).second;
  };
  for (const Diagnostic& finding : builder.diagnostics.errors())
    if (fresh(finding)) unique.error(finding.where, finding.message, finding.hint);
  for (const Diagnostic& finding : builder.diagnostics.warnings())
    if (fresh(finding)) unique.warn(finding.where, finding.message, finding.hint);
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

}  // namespace n2d2::loader
