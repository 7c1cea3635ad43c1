#include "builder.hpp"

namespace n2d2::build {

namespace {

/// "softmax" of "softmax.Target-Top5" when the section is a target of an existing layer.
std::optional<std::string> target_layer(const Builder& builder, const std::string& section) {
  for (size_t at = section.find(".Target"); at != std::string::npos; at = section.find(".Target", at + 1))
    if (builder.layers.contains(section.substr(0, at))) return section.substr(0, at);
  return std::nullopt;
}

void build_target(Builder& builder, const std::string& section, const std::string& layer) {
  builder.target_sections.insert(section);
  builder.ini.mark_used(section);
  const auto keys = builder.ini.source(section);
  const data::TargetOptions options = data::read_target_options(*keys, builder.diagnostics);
  const auto& value = builder.layers.find(layer)->second.value;
  if (!value) return;
  const int outputs = static_cast<int>(builder.net.graph.value(*value).type.shape.c());
  auto target =
      data::make_target(options, builder.net.database->labels(), outputs, *keys, builder.diagnostics);
  if (!target) return;
  std::vector<graph::ValueId> values = builder.net.graph.outputs();
  values.push_back(*value);
  builder.net.graph.set_outputs(std::move(values));
  builder.net.targets.push_back(
      {section, layer, file_name(section), std::move(*target), builder.ini.section_where(section)});
}

}  // namespace

void build_targets(Builder& builder) {
  bool any = false;
  for (const LayerSection& layer : builder.order)
    for (const std::string& section : builder.ini.section_names())
      if (target_layer(builder, section) == layer.name && !builder.ini.has_key(section, "Input")) {
        any = true;
        attempt(builder, [&] { build_target(builder, section, layer.name); });
      }
  if (!any && !builder.order.empty())
    builder.diagnostics.error(
        {builder.ini.path(), 0}, "Missing target cell (no [*.Target] section found)",
        fmt::format("a section '[{}.Target]' scores the last layer", builder.order.back().name));
}

}  // namespace n2d2::build
