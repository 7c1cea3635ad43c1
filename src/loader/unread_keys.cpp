#include <algorithm>

#include "n2d2/base/log.hpp"
#include "n2d2/data/transformation.hpp"

#include "builder.hpp"
#include "foreign_words.hpp"
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

/// The filler, solver or activation that keys of this prefix belong to in a layer: what the layer says, else
/// the default.
std::string type_of_object(const Builder& builder, const std::string& layer, const std::string& prefix) {
  for (const std::string& key : {prefix, std::string("Solvers")}) {
    if (key != prefix && !prefix.ends_with("Solver")) break;
    if (builder.ini.has_key(layer, key)) return builder.ini.find(layer, key)->text;
  }
  return prefix.starts_with("Solver") || prefix.ends_with("Solver") ? "SGD"
         : prefix.ends_with("Filler")                               ? "NormalFiller"
                                                                    : "Linear";
}

/// Keys of such an object in a section.
std::vector<std::string> object_keys(const std::string& type, const std::string& prefix) {
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

/// Reports a key of spike models in a section of the provider or of a layer, or in a ConfigSection of a
/// layer.
void report_spike_key(Builder& builder, const Unread& key, const std::string& subject) {
  builder.diagnostics.warn_key(key.where, subject + ": known to N2D2, spiking is not supported, ignored");
}

/// "Adam has no parameter 'Momentum'; it has LearningRate, Beta1 ...", for a key that begins with `prefix`.
std::string no_parameter(const Builder& builder, const std::string& layer, const std::string& prefix,
                         const std::string& key) {
  const std::string type = type_of_object(builder, layer, prefix), parameter = key.substr(prefix.size() + 1);
  std::vector<std::string> known = object_keys(type, prefix);
  for (std::string& name : known) name.erase(0, prefix.size() + 1);
  const auto guess = nearest(parameter, known);
  return fmt::format("{} has no parameter '{}'{}", type, parameter,
                     guess           ? fmt::format("; did you mean '{}.{}'?", prefix, *guess)
                     : known.empty() ? "; it has none"
                                     : "; it has " + join(known, ", "));
}

void report_layer_key(Builder& builder, const Unread& key, const LayerType& type) {
  const KnownKeys known = known_keys(type.name);
  const std::string subject = fmt::format("[{}] {}", key.section, key.key);
  if (const auto prefix = object_prefix(type, key.key)) {
    if (builder.ini.has_key(key.section, *prefix))
      return builder.diagnostics.error(
          key.where, fmt::format("{}: {}", subject, no_parameter(builder, key.section, *prefix, key.key)));
    return builder.diagnostics.warn_key(
        key.where, fmt::format("{}: ignored without '{}=' in this section{}", subject, *prefix,
                               contains(known.config, key.key) ? "; it belongs in a ConfigSection" : ""));
  }
  if (contains(known.config, key.key))
    return builder.diagnostics.warn_key(key.where,
                                        fmt::format("{}: belongs in a ConfigSection, ignored here", subject));
  if (is_spike_key(key.key)) return report_spike_key(builder, key, subject);
  builder.diagnostics.warn_key(key.where,
                               fmt::format("{}: unknown key of layer type {}, ignored{}", subject, type.name,
                                           meant(WordKind::Key, key.key, known.section)));
}

/// Keys of [env] that say how pictures become spikes.
bool is_spike_key_of_provider(const Builder& builder, const Unread& key) {
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
        key.where,
        fmt::format("{}: unknown parameter{}", subject,
                    meant(WordKind::Key, key.key, names_of(describe_fields<data::ProviderOptions>()))));
  }
  const auto type = builder.types.find(key.reader);
  const LayerType* layer = type == builder.types.end() ? nullptr : find_layer_type(type->second);
  if (layer == nullptr) return;
  const KnownKeys known = known_keys(layer->name);
  if (contains(known.section, key.key))
    return builder.diagnostics.error(
        key.where, fmt::format("{}: belongs in the section of the layer, not in a ConfigSection", subject));
  if (is_spike_key(key.key)) return report_spike_key(builder, key, subject);
  if (const auto prefix = object_prefix(*layer, key.key))
    return builder.diagnostics.error(
        key.where, fmt::format("{}: {}", subject, no_parameter(builder, key.reader, *prefix, key.key)));
  builder.diagnostics.error(key.where, fmt::format("{}: unknown parameter of layer type {}{}", subject,
                                                   layer->name, meant(WordKind::Key, key.key, known.config)));
}

/// Without Type no database reads [database].
void report_key_of_no_database(Builder& builder, const Unread& key) {
  std::vector<std::string> known{"LabelPath", "Type"};
  for (const std::string& type : data::databases().names())
    for (std::string& name : names_of(data::databases().find(type)->fields()))
      known.push_back(std::move(name));
  const std::string subject = fmt::format("[database] {}", key.key);
  if (contains(known, key.key))
    builder.diagnostics.warn_key(key.where, subject + ": ignored without Type");
  else
    builder.diagnostics.error(key.where,
                              fmt::format("{}: unknown key{}", subject, did_you_mean(key.key, known)));
}

void report_key(Builder& builder, const Unread& key) {
  if (!key.reader.empty()) return report_config_key(builder, key);
  if (key.section == "database" && !builder.ini.has_key("database", "Type"))
    return report_key_of_no_database(builder, key);
  if (key.section.empty()) {
    static const std::vector<std::string> known{"DefaultModel", "DefaultDataType", "InsertBatchNormAfterConv",
                                                "CheckWeightRange"};
    return builder.diagnostics.error(
        key.where, fmt::format("unknown global key '{}'{}", key.key, meant(WordKind::Key, key.key, known)));
  }
  if (const auto type = builder.types.find(key.section); type != builder.types.end()) {
    if (const LayerType* layer = find_layer_type(type->second)) report_layer_key(builder, key, *layer);
    return;
  }
  if (!is_object(builder, key.section)) return;
  if (const auto known = keys_of_object(builder, key.section))
    builder.diagnostics.error(key.where, fmt::format("[{}] {}: unknown key{}", key.section, key.key,
                                                     meant(WordKind::Key, key.key, *known)));
}

/// "'a', 'b' and 12 others"
std::string first_few(const std::vector<std::string>& names) {
  constexpr size_t kFew = 12;
  const std::vector<std::string> few(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(kFew, names.size())));
  const std::string text = "'" + join(few, "', '") + "'";
  return names.size() > kFew ? fmt::format("{} and {} others", text, names.size() - kFew) : text;
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
  if (builder.unplaced.contains(layer)) return true;
  if (const auto constant = builder.constants.find(layer); constant != builder.constants.end()) {
    builder.diagnostics.error(where,
                              fmt::format("[{}]: output '{}' of the ONNX file is a constant", section, layer),
                              fmt::format("'-outputs {}' (Outputs={} of an INI section) leaves it out",
                                          join(constant->second, ","), join(constant->second, " ")));
    return true;
  }
  builder.diagnostics.error(
      where, fmt::format("[{}]: layer '{}' does not exist{}", section, layer, did_you_mean(layer, names)),
      names_of_tensors(builder));
  return true;
}

/// "; the file has no Fc" for `[onnx:Fc_def]`, or how a node of the file is named.
std::string why_unread_by_onnx(const Builder& builder, const std::string& section) {
  for (const auto& [onnx, tensors] : builder.tensors) {
    if (!section.starts_with(onnx + ":")) continue;
    const std::string rest = section.substr(onnx.size() + 1);
    if (rest.ends_with("_def")) {
      const std::string type = rest.substr(0, rest.size() - 4);
      if (find_layer_type(type) != nullptr) return fmt::format("; the file has no {}", type);
    } else if (contains(tensors, rest)) {
      return fmt::format("; the section of an output of the file is called by its name, [{}]", rest);
    }
  }
  return "";
}

/// Names of sections that the program asks for, or would.
std::vector<std::string> sections_in_use(const Builder& builder) {
  std::vector<std::string> names{"database", "sp", "sp.Transformation", "sp.OnTheFlyTransformation",
                                 "sp.StimuliData"};
  for (const LayerSection& layer : builder.order) {
    names.push_back(layer.name + ".Target");
    if (layer.is_onnx) {
      const auto tensors = builder.tensors.find(layer.name);
      if (tensors != builder.tensors.end())
        names.insert(names.end(), tensors->second.begin(), tensors->second.end());
      for (const char* type : {"BatchNorm", "Conv", "Deconv", "Dropout", "Fc", "LRN"})
        names.push_back(fmt::format("{}:{}_def", layer.name, type));
    }
  }
  return names;
}

/// Strict, a section that nobody reads is an error: it says something that has no effect.
void report_unused(Builder& builder) {
  if (builder.lacks_tensors()) return;
  const std::vector<std::string> known = sections_in_use(builder);
  for (const auto& [section, where] : builder.ini.unused_sections()) {
    if (report_lost_target(builder, section, where)) continue;
    const bool is_of_provider = builder.is_provider(section.substr(0, section.find('.')));
    if (!builder.input && is_of_provider) continue;  // hangs on a provider that is missing or has an error
    const std::string why = why_unread_by_onnx(builder, section);
    const std::string text =
        fmt::format("unused section [{}]{}", section, why.empty() ? did_you_mean(section, known) : why);
    if (builder.options.strict)
      builder.diagnostics.error(
          where, text, "a layer has a key 'Input', a section of parameters is named by ConfigSection");
    else
      log::write(log::Level::Notice, Diagnostic{where, text, ""}.text());
  }
}

/// What would read the key: the solver, filler or activation that its prefix names, else the layer.
std::string type_of_reader(Builder& builder, const Unread& key) {
  if (key.reader.empty()) return "";
  const std::string& type = builder.types[key.reader];
  const LayerType* layer = find_layer_type(type);
  const auto prefix = layer == nullptr ? std::nullopt : object_prefix(*layer, key.key);
  return prefix ? type_of_object(builder, key.reader, *prefix) : type;
}

}  // namespace

std::string names_of_tensors(const Builder& builder) {
  std::vector<std::string> last_first;
  for (const auto& [onnx, tensors] : builder.tensors)
    last_first.insert(last_first.end(), tensors.rbegin(), tensors.rend());
  return last_first.empty() ? "" : "names in the ONNX file, the last first: " + first_few(last_first);
}

void report_unread(Builder& builder) {
  std::set<std::tuple<std::string, int, std::string, std::string>> seen;
  std::vector<Unread> spike;
  for (const Unread& key : builder.ini.unread())
    // A key that several layers inherit, or whose readers have one type, is one finding.
    if (seen.emplace(key.where.file, key.where.line, key.key, type_of_reader(builder, key)).second) {
      if (is_spike_key_of_provider(builder, key))
        spike.push_back(key);
      else
        report_key(builder, key);
    }
  report_spike_keys(builder, spike);
  report_unused(builder);
}

}  // namespace n2d2::loader
