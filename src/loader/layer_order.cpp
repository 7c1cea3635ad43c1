#include <algorithm>

#include "builder.hpp"

namespace n2d2::loader {

namespace {

/// Level of a layer: 1 + the highest level of its parents; 0 while unknown.
using Levels = std::map<std::string, int, std::less<>>;

/// Inputs that constrain the order: layers. Names that are no layer are found wrong when the layer is built.
bool constrains(const Builder& builder, const Levels& levels, const std::string& input) {
  return !builder.is_provider(input) && levels.contains(input);
}

/// What has to be built before the layers, by index into `layers`. A name that is no section can be a tensor
/// of an ONNX section further up, which is then built first.
std::vector<std::vector<size_t>> parents_of(const Builder& builder, const std::vector<LayerSection>& layers,
                                            const Levels& levels) {
  std::map<std::string_view, size_t> index;
  for (size_t i = 0; i < layers.size(); ++i) index[layers[i].name] = i;
  std::vector<std::vector<size_t>> parents(layers.size());
  std::vector<size_t> onnx_above;
  for (size_t i = 0; i < layers.size(); ++i) {
    bool open = false;
    for (const std::string& input : layers[i].inputs) {
      if (constrains(builder, levels, input))
        parents[i].push_back(index.at(input));
      else
        open = open || !builder.is_provider(input);
    }
    if (open) parents[i].insert(parents[i].end(), onnx_above.begin(), onnx_above.end());
    if (layers[i].is_onnx) onnx_above.push_back(i);
  }
  return parents;
}

/// Layers of a cycle, and those behind it, keep 0. Each layer is looked at once.
void assign_levels(const Builder& builder, const std::vector<LayerSection>& layers, Levels& levels) {
  const std::vector<std::vector<size_t>> parents = parents_of(builder, layers, levels);
  std::vector<std::vector<size_t>> children(layers.size());
  std::vector<size_t> waiting(layers.size()), ready;
  std::vector<int> level(layers.size(), 1);
  for (size_t i = 0; i < layers.size(); ++i) {
    for (const size_t parent : parents[i]) children[parent].push_back(i);
    waiting[i] = parents[i].size();
    if (waiting[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    const size_t at = ready.back();
    ready.pop_back();
    levels.find(layers[at].name)->second = level[at];
    for (const size_t child : children[at]) {
      level[child] = std::max(level[child], level[at] + 1);
      if (--waiting[child] == 0) ready.push_back(child);
    }
  }
}

/// Whether a layer without level can be reached from itself, or only hangs behind such layers.
bool in_cycle(const std::map<std::string, const LayerSection*, std::less<>>& unplaced,
              const std::string& start) {
  std::set<std::string> seen;
  std::vector<std::string> open{start};
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    for (const std::string& input : unplaced.find(name)->second->inputs) {
      if (input == start) return true;
      if (unplaced.contains(input) && seen.insert(input).second) open.push_back(input);
    }
  }
  return false;
}

/// Findings about cycles; what more there are is told in one.
constexpr size_t kCyclesTold = 100;

void report_unplaced(Builder& builder, const std::vector<LayerSection>& layers, const Levels& levels) {
  std::map<std::string, const LayerSection*, std::less<>> unplaced;
  for (const LayerSection& layer : layers)
    if (levels.find(layer.name)->second == 0) {
      unplaced[layer.name] = &layer;
      builder.unplaced.insert(layer.name);
      give_up(builder, layer.name);
    }
  size_t told = 0;
  for (const LayerSection& layer : layers) {
    if (!unplaced.contains(layer.name)) continue;
    if (++told > kCyclesTold)
      return builder.diagnostics.error(
          layer.where, fmt::format("[{}] Input: {} more layers are part of cycles or depend on them",
                                   layer.name, unplaced.size() - kCyclesTold));
    if (in_cycle(unplaced, layer.name))
      builder.diagnostics.error(layer.where, fmt::format("[{}] Input: '{}' is part of a cycle of layers",
                                                         layer.name, join(layer.inputs, ",")));
    else
      builder.diagnostics.error(layer.where, fmt::format("[{}] Input: '{}' depends on a cycle of layers",
                                                         layer.name, join(layer.inputs, ",")));
  }
}

/// The files of a layer have its name, less what no file may be called: weights of one section would be read
/// by another as soon as a section comes or goes. Names that differ in such characters alone are refused
/// here, where they are the user's own.
void refuse_shared_files(Builder& builder, const std::vector<LayerSection>& layers) {
  std::map<std::string, const LayerSection*> owners;
  for (const LayerSection& layer : layers) {
    if (layer.name.find('/') != std::string::npos) continue;
    const auto [owner, fresh] = owners.emplace(file_name(layer.name), &layer);
    if (fresh) continue;
    const SourceLocation& other = owner->second->where;
    builder.diagnostics.error(
        layer.where,
        fmt::format("[{}]: its files would be called '{}', as those of [{}] are ({}:{})", layer.name,
                    owner->first, owner->second->name, other.file, other.line),
        "rename one of the two sections");
  }
}

}  // namespace

std::vector<LayerSection> order_layers(Builder& builder) {
  std::vector<LayerSection> layers;
  Levels levels;
  for (const std::string& section : builder.ini.section_names()) {
    if (section.empty() || !builder.ini.has_key(section, "Input")) continue;
    if (builder.is_provider(section)) {
      builder.diagnostics.error(
          builder.ini.section_where(section),
          fmt::format("[{}] Input: a section of this name is the input of the network, not a layer", section),
          "rename the layer, or leave out 'Input'");
      continue;
    }
    LayerSection layer{section, builder.ini.section_where(section), {}, false};
    attempt(builder, [&] {
      layer.inputs = builder.ini.list(section, "Input").value_or(std::vector<std::string>{});
      layer.where = builder.ini.find(section, "Input")->where;
      const auto type = builder.ini.find(section, "Type");
      layer.is_onnx = type && type->text == "ONNX";
    });
    levels[section] = 0;
    layers.push_back(std::move(layer));
  }
  refuse_shared_files(builder, layers);
  assign_levels(builder, layers, levels);
  report_unplaced(builder, layers, levels);
  std::erase_if(layers, [&](const LayerSection& layer) { return levels.find(layer.name)->second == 0; });
  std::stable_sort(layers.begin(), layers.end(), [&](const LayerSection& a, const LayerSection& b) {
    return levels.find(a.name)->second < levels.find(b.name)->second;
  });
  return layers;
}

}  // namespace n2d2::loader
