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

/// A name that is no section can be a tensor of an ONNX section further up, which is then built first.
bool waits_for_onnx(const Builder& builder, const std::vector<LayerSection>& layers, const Levels& levels,
                    const LayerSection& layer, int& level) {
  const bool open = std::any_of(layer.inputs.begin(), layer.inputs.end(), [&](const std::string& input) {
    return !builder.is_provider(input) && !levels.contains(input);
  });
  for (const LayerSection& other : layers) {
    if (!open || other.name == layer.name) break;
    if (!other.is_onnx) continue;
    const int above = levels.find(other.name)->second;
    if (above == 0) return true;
    level = std::max(level, above + 1);
  }
  return false;
}

/// Gives levels until nothing changes any more; layers of a cycle, and those behind it, keep 0.
void assign_levels(const Builder& builder, const std::vector<LayerSection>& layers, Levels& levels) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const LayerSection& layer : layers) {
      if (levels.find(layer.name)->second > 0) continue;
      int level = 1;
      bool ready = true;
      for (const std::string& input : layer.inputs)
        if (constrains(builder, levels, input)) {
          const int above = levels.find(input)->second;
          ready = ready && above > 0;
          level = std::max(level, above + 1);
        }
      if (!ready || waits_for_onnx(builder, layers, levels, layer, level)) continue;
      levels.find(layer.name)->second = level;
      changed = true;
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

void report_unplaced(Builder& builder, const std::vector<LayerSection>& layers, const Levels& levels) {
  std::map<std::string, const LayerSection*, std::less<>> unplaced;
  for (const LayerSection& layer : layers)
    if (levels.find(layer.name)->second == 0) unplaced[layer.name] = &layer;
  for (const LayerSection& layer : layers) {
    if (!unplaced.contains(layer.name)) continue;
    if (in_cycle(unplaced, layer.name))
      builder.diagnostics.error(layer.where, fmt::format("[{}] Input: '{}' is part of a cycle of layers",
                                                         layer.name, join(layer.inputs, ",")));
    else
      builder.diagnostics.error(layer.where, fmt::format("[{}] Input: '{}' depends on a cycle of layers",
                                                         layer.name, join(layer.inputs, ",")));
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
  assign_levels(builder, layers, levels);
  report_unplaced(builder, layers, levels);
  std::erase_if(layers, [&](const LayerSection& layer) { return levels.find(layer.name)->second == 0; });
  std::stable_sort(layers.begin(), layers.end(), [&](const LayerSection& a, const LayerSection& b) {
    return levels.find(a.name)->second < levels.find(b.name)->second;
  });
  return layers;
}

}  // namespace n2d2::loader
