#include <algorithm>

#include "n2d2/base/log.hpp"
#include "n2d2/data/transformation.hpp"

#include "builder.hpp"
#include "layer_types.hpp"
#include "section_activation.hpp"

namespace n2d2::loader {

namespace {

using Unread = config::IniDocument::Unread;

std::vector<std::string> names_of(const std::vector<FieldHelp>& fields) {
  std::vector<std::string> names;
  for (const FieldHelp& field : fields) {
    names.emplace_back(field.info.name);
    if (!field.info.geometry.empty())
      for (const char* suffix : {"X", "Y"}) names.push_back(std::string(field.info.geometry) + suffix);
  }
  return names;
}

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

/// Keys of an object section; nothing when its Type is unknown, which is a finding already.
std::optional<std::vector<std::string>> keys_of_object(const Builder& builder, const std::string& section) {
  const auto type = [&]() -> std::string {
    if (!builder.ini.has_key(section, "Type")) return {};
    try {
      return builder.ini.find(section, "Type")->text;
    } catch (const ConfigError&) {
      return {};
    }
  };
  std::vector<std::string> keys;
  if (section == "database") {
    const auto* entry = data::databases().find(type());
    if (entry == nullptr) return std::nullopt;
    keys = names_of(entry->fields());
    keys.emplace_back("Type");
  } else if (section == builder.provider) {
    keys = names_of(describe_fields<data::ProviderOptions>());
    keys.emplace_back("ConfigSection");
  } else if (builder.target_sections.contains(section)) {
    keys = names_of(describe_fields<data::TargetOptions>());
  } else if (section.find("StimuliData") != std::string::npos) {
    keys = {"ApplyTo", "LogSizeRange", "LogValueRange", "MeanData", "StdDevData"};
  } else {
    const auto* entry = data::transformations().find(type());
    if (entry == nullptr) return std::nullopt;
    keys = names_of(entry->fields());
    keys.emplace_back("Type");
    if (section.starts_with(builder.provider + ".Channel")) keys.emplace_back("Channel");
  }
  return keys;
}

bool is_object(const Builder& builder, const std::string& section) {
  if (section == "database" || section == builder.provider || builder.target_sections.contains(section))
    return true;
  return !builder.provider.empty() && section.starts_with(builder.provider + ".") &&
         (section.find("Transformation") != std::string::npos ||
          section.find("StimuliData") != std::string::npos);
}

/// "WeightsFiller" of "WeightsFiller.Scaling" when such keys belong to an object of the layer.
std::optional<std::string> object_prefix(const LayerType& type, const std::string& key) {
  const size_t dot = key.find('.');
  if (dot == std::string::npos) return std::nullopt;
  const std::string prefix = key.substr(0, dot);
  const auto in = [&](const std::vector<std::string_view>& list) {
    return std::find(list.begin(), list.end(), prefix) != list.end();
  };
  if (prefix == "ActivationFunction" || in(type.fillers) || in(type.solvers) ||
      (prefix == "Solvers" && !type.solvers.empty()))
    return prefix;
  return std::nullopt;
}

/// Keys of the filler, solver or activation that `prefix` chooses in the section.
std::vector<std::string> object_keys(const Builder& builder, const std::string& section,
                                     const std::string& prefix) {
  const std::string type = builder.ini.find(section, prefix)->text;
  if (prefix == "ActivationFunction") return activation_keys(type);
  std::vector<FieldHelp> fields;
  if (const auto* filler = training::fillers().find(type)) {
    fields = filler->fields;
  } else if (const auto* solver = training::solvers().find(type)) {
    fields = solver->fields;
  }
  std::vector<std::string> keys;
  for (const FieldHelp& field : fields) keys.push_back(prefix + "." + std::string(field.info.name));
  return keys;
}

void report_layer_key(Builder& builder, const Unread& key, const LayerType& type) {
  const KnownKeys known = known_keys(type.name);
  const std::string subject = fmt::format("[{}] {}", key.section, key.key);
  if (const auto prefix = object_prefix(type, key.key)) {
    if (builder.ini.has_key(key.section, *prefix))
      return builder.diagnostics.error(
          key.where, fmt::format("{}: unknown parameter{}", subject,
                                 did_you_mean(key.key, object_keys(builder, key.section, *prefix))));
    return builder.diagnostics.warn_key(
        key.where, fmt::format("{}: ignored without '{}=' in this section{}", subject, *prefix,
                               contains(known.config, key.key) ? "; it belongs in a ConfigSection" : ""));
  }
  if (contains(known.config, key.key))
    return builder.diagnostics.warn_key(key.where,
                                        fmt::format("{}: belongs in a ConfigSection, ignored here", subject));
  builder.diagnostics.warn_key(key.where, fmt::format("{}: unknown key of layer type {}, ignored{}", subject,
                                                      type.name, did_you_mean(key.key, known.section)));
}

/// Keys of [env] that say how pictures become spikes.
bool is_spike_key(const Builder& builder, const Unread& key) {
  static const std::vector<std::string> spike{"StimulusType",  "PeriodMin",       "PeriodMeanMin",
                                              "PeriodMeanMax", "PeriodRelStdDev", "DiscardedLateStimuli"};
  return (key.reader == builder.provider || (key.reader.empty() && key.section == builder.provider)) &&
         contains(spike, key.key);
}

/// One warning for all of them.
void report_spike_keys(Builder& builder, const std::vector<Unread>& keys) {
  if (keys.empty()) return;
  std::vector<std::string> names;
  for (const Unread& key : keys) names.push_back(key.key);
  builder.diagnostics.warn_key(keys.front().where, fmt::format("[{}] {}: how pictures become spikes, ignored",
                                                               builder.provider, join(names, ", ")));
}

void report_config_key(Builder& builder, const Unread& key) {
  const std::string subject = fmt::format("[{}] {} (in [{}])", key.reader, key.key, key.section);
  if (key.reader == builder.provider) {
    return builder.diagnostics.error(
        key.where, fmt::format("{}: unknown parameter{}", subject,
                               did_you_mean(key.key, names_of(describe_fields<data::ProviderOptions>()))));
  }
  const auto type = builder.types.find(key.reader);
  const LayerType* layer = type == builder.types.end() ? nullptr : find_layer_type(type->second);
  if (layer == nullptr) return;
  const KnownKeys known = known_keys(layer->name);
  if (contains(known.section, key.key))
    return builder.diagnostics.error(
        key.where, fmt::format("{}: belongs in the section of the layer, not in a ConfigSection", subject));
  builder.diagnostics.error(key.where, fmt::format("{}: unknown parameter of layer type {}{}", subject,
                                                   layer->name, did_you_mean(key.key, known.config)));
}

void report_key(Builder& builder, const Unread& key) {
  if (!key.reader.empty()) return report_config_key(builder, key);
  if (key.section.empty()) {
    static const std::vector<std::string> known{"DefaultModel", "DefaultDataType", "InsertBatchNormAfterConv",
                                                "CheckWeightRange"};
    return builder.diagnostics.error(
        key.where, fmt::format("unknown global key '{}'{}", key.key, did_you_mean(key.key, known)));
  }
  if (const auto type = builder.types.find(key.section); type != builder.types.end()) {
    if (const LayerType* layer = find_layer_type(type->second)) report_layer_key(builder, key, *layer);
    return;
  }
  if (!is_object(builder, key.section)) return;
  if (const auto known = keys_of_object(builder, key.section))
    builder.diagnostics.error(key.where, fmt::format("[{}] {}: unknown key{}", key.section, key.key,
                                                     did_you_mean(key.key, *known)));
}

/// A target of a layer that is not there would silently score nothing.
bool report_lost_target(Builder& builder, const std::string& section, const SourceLocation& where) {
  const size_t at = section.rfind(".Target");
  if (at == std::string::npos) return false;
  std::vector<std::string> names;
  for (const LayerSection& layer : builder.order) names.push_back(layer.name);
  for (const auto& [onnx, tensors] : builder.tensors)
    names.insert(names.end(), tensors.begin(), tensors.end());
  const std::string layer = section.substr(0, at);
  builder.diagnostics.error(
      where, fmt::format("[{}]: layer '{}' does not exist{}", section, layer, did_you_mean(layer, names)));
  return true;
}

}  // namespace

void report_unread(Builder& builder) {
  std::set<std::tuple<std::string, int, std::string, std::string>> seen;
  std::vector<Unread> spike;
  for (const Unread& key : builder.ini.unread())
    // A key that several layers inherit, or whose layers have one type, is one finding.
    if (seen.emplace(key.where.file, key.where.line, key.key,
                     key.reader.empty() ? "" : builder.types[key.reader])
            .second) {
      if (is_spike_key(builder, key))
        spike.push_back(key);
      else
        report_key(builder, key);
    }
  report_spike_keys(builder, spike);
  for (const auto& [section, where] : builder.ini.unused_sections())
    if (!report_lost_target(builder, section, where))
      log::write(log::Level::Notice,
                 Diagnostic{where, fmt::format("unused section [{}]", section), ""}.text());
}

}  // namespace n2d2::loader
