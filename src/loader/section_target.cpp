#include <algorithm>
#include <filesystem>
#include <set>

#include "n2d2/base/log.hpp"
#include "n2d2/base/text.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/ops/pixel_reshape.hpp"
#include "n2d2/ops/reshape.hpp"
#include "n2d2/training/loss.hpp"

#include "builder.hpp"
#include "section_keys.hpp"

namespace n2d2::loader {

namespace {

/// "softmax" of "softmax.Target-Top5" when the section is a target of an existing layer.
std::optional<std::string> target_layer(const Builder& builder, const std::string& section) {
  for (size_t at = section.find(".Target"); at != std::string::npos; at = section.find(".Target", at + 1))
    if (builder.layers.contains(section.substr(0, at))) return section.substr(0, at);
  return std::nullopt;
}

void add_target(Builder& builder, const std::string& section, const std::string& layer,
                const data::TargetOptions& options, const KeySource& keys) {
  const auto& value = builder.layers.find(layer)->second.value;
  if (!value) return;
  auto target = target_of(builder, *value, options, keys);
  if (!target) return;
  std::vector<graph::ValueId> values = builder.net.graph.outputs();
  values.push_back(*value);
  builder.net.graph.set_outputs(std::move(values));
  builder.net.targets.push_back({section, layer, builder.ini.has_section(section) ? section : "", "",
                                 std::move(*target), builder.ini.section_where(section)});
}

void build_target(Builder& builder, const std::string& section, const std::string& layer) {
  builder.target_sections.insert(section);
  builder.ini.mark_used(section);
  const auto keys = builder.ini.source(section);
  const data::TargetOptions options = data::read_target_options(*keys, builder.diagnostics);
  // The keys of a target of an unsupported type are those of that type, so none is reported as unknown.
  if (!data::is_supported(options.type)) return mark_all_read(builder.ini, section, "");
  add_target(builder, section, layer, options, *keys);
}

/// Whether a layer can be compared with the input; findings when it cannot.
bool can_be_data(Builder& builder, graph::ValueId value, const KeySource& keys) {
  const auto found = keys.find("DataAsTarget");
  const SourceLocation where = found ? found->where : keys.where();
  const Shape sample = builder.net.data->sample_shape();
  const Shape output = builder.net.graph.value(value).type.shape.with_batch(1);
  if (sample.elements() != output.elements()) {
    builder.diagnostics.error(
        where,
        fmt::format("{} DataAsTarget: expected as many outputs as the input has values, {}, the layer has {}",
                    keys.subject(), sample.text(), output.text()));
    return false;
  }
  if (training::loss_of(builder.net.graph, value) == training::Loss::SquaredError) return true;
  builder.diagnostics.error(
      where,
      fmt::format("{} DataAsTarget: has a squared error, the layer has a loss of its own", keys.subject()),
      "an activation without loss, as Logistic instead of LogisticWithLoss");
  return false;
}

/// Whether the mapping is a file that is not there, of a network that is only looked at: classes are not
/// asked for then. One notice for each file.
bool lacks_mapping(Builder& builder, const data::TargetOptions& options, const KeySource& keys) {
  if (!builder.options.without_data || options.labels_mapping.empty()) return false;
  const std::string path = data::expand_environment(options.labels_mapping);
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return false;
  if (!builder.told_mappings.insert(path).second) return true;
  log::write(
      log::Level::Notice,
      Diagnostic{keys.find("LabelsMapping")->where,
                 fmt::format("{} LabelsMapping: no file '{}'; the network is looked at without classes",
                             keys.subject(), presentable(path)),
                 ""}
          .text());
  return true;
}

/// Classes behind those of the labels, which no sample has. Of an ONNX file alone, the program says how
/// folders become classes.
void warn_of_outputs_without_label(Builder& builder, const data::Target& target, const KeySource& keys) {
  const data::TargetOptions& options = target.options();
  const auto labels = static_cast<int>(builder.net.database->labels().size());
  const bool is_alone = builder.ini.path().ends_with(".onnx");
  if (is_alone || options.data_as_target || !options.labels_mapping.empty() || !options.labels_file.empty() ||
      labels == 0 || labels >= target.classes())
    return;
  builder.diagnostics.warn(
      keys.where(),
      fmt::format("{} {} labels for {} classes: no sample is of class {}{}", keys.subject(), labels,
                  target.classes(), labels, labels + 1 < target.classes() ? " or above" : ""),
      "NbOutputs of the layer, or LabelsMapping or LabelsFile, which name the classes");
}

/// Layers and the tensors that ONNX sections brought, in their order. Tensors that have a section are in the
/// order of their sections among themselves: `sectioned` has these names in that order.
std::vector<std::string> possible_targets(const Builder& builder, const std::vector<std::string>& sectioned) {
  std::vector<std::string> names;
  for (const LayerSection& layer : builder.order) {
    names.push_back(layer.name);
    const auto found = builder.tensors.find(layer.name);
    if (found == builder.tensors.end()) continue;
    const std::vector<std::string>& tensors = found->second;
    const auto is_in = [](const std::vector<std::string>& list, const std::string& name) {
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    auto next = sectioned.begin();
    for (const std::string& tensor : tensors) {
      if (!is_in(sectioned, tensor)) {
        names.push_back(tensor);
        continue;
      }
      while (!is_in(tensors, *next)) ++next;
      names.push_back(*next++);
    }
  }
  return names;
}

}  // namespace

std::optional<data::Target> target_of(Builder& builder, graph::ValueId value,
                                      const data::TargetOptions& options, const KeySource& keys) {
  const int outputs = static_cast<int>(builder.net.graph.value(value).type.shape.c());
  data::TargetOptions of_samples = options;
  if (lacks_mapping(builder, of_samples, keys)) {
    of_samples.labels_mapping.clear();
    return data::make_target(of_samples, {}, outputs, keys, builder.diagnostics);
  }
  if (builder.net.data) {
    const data::ProviderOptions& provider = builder.net.data->options();
    if (provider.composite_stimuli) of_samples.label_map = provider.size;
    if (options.data_as_target && !can_be_data(builder, value, keys)) return std::nullopt;
  }
  auto target =
      data::make_target(of_samples, builder.net.database->labels(), outputs, keys, builder.diagnostics);
  if (target) warn_of_outputs_without_label(builder, *target, keys);
  return target;
}

/// Whether nothing but reshapes and roundings reads the value, and none of these has a target of the INI.
bool ends_unscored(const graph::Graph& graph, graph::ValueId id, const std::set<graph::ValueId>& targets) {
  for (const graph::Use& use : graph.value(id).uses) {
    const graph::Node& user = graph.node(use.node);
    const bool passes_on = graph::as<ops::Reshape>(user) != nullptr ||
                           graph::as<ops::PixelReshape>(user) != nullptr ||
                           graph::as<ops::FakeQuantize>(user) != nullptr;
    const graph::ValueId out = user.outputs.at(0);
    if (!passes_on || targets.contains(out) || !ends_unscored(graph, out, targets)) return false;
  }
  return true;
}

void build_targets(Builder& builder) {
  bool any = false;
  std::multimap<std::string, std::string> sections;
  std::vector<std::string> sectioned;  // each once
  for (const std::string& section : builder.ini.section_names()) {
    const auto layer = target_layer(builder, section);
    if (!layer || builder.ini.has_key(section, "Input")) continue;
    if (!sections.contains(*layer)) sectioned.push_back(*layer);
    sections.emplace(*layer, section);
  }
  std::set<graph::ValueId> asked;
  for (const auto& [layer, section] : sections)
    if (const auto& value = builder.layers.find(layer)->second.value) asked.insert(*value);
  for (const std::string& layer : possible_targets(builder, sectioned)) {
    const auto [first, last] = sections.equal_range(layer);
    for (auto at = first; at != last; ++at)
      attempt(builder, [&] { build_target(builder, at->second, layer); });
    // An imported Softmax that ends the network is scored by itself, unless a section scores it by another
    // name.
    const auto& value = builder.layers.find(layer)->second.value;
    const bool scored =
        std::find(builder.scored.begin(), builder.scored.end(), layer) != builder.scored.end() && value &&
        (first != last || !asked.contains(*value)) && ends_unscored(builder.net.graph, *value, asked);
    if (scored && first == last) {
      const std::string section = layer + ".Target";
      const NoKeys keys("[" + section + "]", {builder.ini.path(), 0});
      attempt(builder, [&] { add_target(builder, section, layer, {}, keys); });
    }
    any = any || scored || first != last;
  }
  const auto names = builder.ini.section_names();
  const bool is_lost = std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.find(".Target") != std::string::npos;
  });
  if (!any && !is_lost && !builder.lacks_tensors() && !builder.order.empty())
    builder.diagnostics.error(
        {builder.ini.path(), 0}, "Missing target cell (no [*.Target] section found)",
        fmt::format("a section '[{}.Target]' scores the last layer", builder.order.back().name));
  name_folders(builder);
}

void name_folders(Builder& builder) {
  std::vector<std::string> names;
  for (const TargetPlace& place : builder.net.targets) names.push_back(place.section);
  const std::vector<std::string> folders = file_names(names);
  for (size_t i = 0; i < folders.size(); ++i) builder.net.targets[i].folder = folders[i];
}

}  // namespace n2d2::loader
