#include "section_quantizers.hpp"

#include <algorithm>
#include <functional>

#include "n2d2/loader/help.hpp"
#include "n2d2/ops/conv.hpp"

#include "section_keys.hpp"

namespace n2d2::loader {

namespace {

using ops::QuantizeMethod;

/// Keys of QAct that are no fields of the operator.
struct ActivationKeys {
  int range = 255;
  double alpha = 1, step_size = 100;
  bool set_opt_init_step_size = true, is_signed = false;
  training::StepStart init = training::StepStart::Auto;

  template <class V>
  static void fields(V&& v) {
    using K = ActivationKeys;
    v("Range", &K::range, at_least(1), at_most(65535), help("steps of the grid: 255 are 8 bits"));
    v("Alpha", &K::alpha, help("first clip value"));
    v("StepSize", &K::step_size, help("first step with SetOptInitStepSize=0"));
    v("SetOptInitStepSize", &K::set_opt_init_step_size, help("the first step follows from the first batch"));
    v("Signed", &K::is_signed, help("integers of both signs"));
    v("Init", &K::init, help("Calibrated: the start has the least squared error on the first batch"));
  }
};

/// Parameters of QAct that a method reads.
bool reads(QuantizeMethod method, std::string_view key) {
  if (key == "Alpha") return method == QuantizeMethod::SAT;
  if (key == "StepSize" || key == "SetOptInitStepSize" || key == "Signed")
    return method == QuantizeMethod::LSQ;
  return true;
}

/// The section's keys behind a prefix, then those of its config sections, which win.
struct Sources {
  std::unique_ptr<KeySource> section, config;
  std::vector<const KeySource*> views;
};

Sources sources_of(const ParameterKeys& keys, const std::string& object) {
  const config::IniDocument& ini = keys.builder.ini;
  Sources out;
  out.section = with_subject(ini.source(keys.layer, object + "."), object + ":");
  out.config = with_subject(ini.config_source(keys.layer, keys.configs, object + "."), object + ":");
  out.views = {out.section.get(), out.config.get()};
  return out;
}

/// Parameters that Init=Calibrated takes the place of.
bool is_first_step(std::string_view key) {
  return key == "Alpha" || key == "StepSize" || key == "SetOptInitStepSize";
}

/// Why a quantizer of weights has nothing to calibrate.
std::string_view without_step(std::string_view quantizer) {
  return quantizer == "SAT" ? "the grid of SAT follows from the largest weight" : "Prune has no grid";
}

/// One warning for each line: several layers may inherit it.
void warn_once(Builder& builder, const KeyText& found, const std::string& message) {
  if (builder.told_switches.emplace(found.where.file, found.where.line).second)
    builder.diagnostics.warn_key(found.where, message);
}

/// Parameters of what a prefix stands for, of every kind there is.
std::vector<std::string> parameters_of(const std::string& object) {
  std::vector<std::string> out;
  const auto add = [&](const std::vector<FieldHelp>& fields) {
    for (const FieldHelp& field : fields) out.emplace_back(field.info.name);
  };
  if (object == "QAct") add(describe_fields<ActivationKeys>());
  if (object == "QWeight")
    for (const std::string& name : training::quantizers().names())
      add(training::quantizers().find(name)->fields);
  if (object.ends_with("Solver"))
    for (const std::string& name : training::solvers().names()) add(training::solvers().find(name)->fields);
  return out;
}

/// A warning for each key of an object that nothing reads. `why`: "without QWeight", "with QWeight=SAT".
void note_unread(const ParameterKeys& keys, const std::string& object, const std::string& why,
                 const std::function<bool(std::string_view)>& is_read) {
  const config::IniDocument& ini = keys.builder.ini;
  std::vector<std::string> sections{keys.layer};
  sections.insert(sections.end(), keys.configs.begin(), keys.configs.end());
  for (const std::string& section : sections) {
    if (!ini.has_section(section)) continue;
    for (const std::string& key : ini.keys(section)) {
      const std::string prefix = object + ".";
      const bool is_object = key == object && section == keys.layer;
      if (!is_object && !key.starts_with(prefix)) continue;
      const std::string name = is_object ? "" : key.substr(prefix.size());
      const auto known = parameters_of(object);
      const bool is_known = is_object || std::find(known.begin(), known.end(), name) != known.end();
      if (is_known && is_read(name)) continue;
      const auto found = ini.find(section, key, keys.layer);
      warn_once(keys.builder, *found,
                is_known ? fmt::format("[{}] {}: no effect {}", keys.layer, key, why)
                         : fmt::format("[{}] {}: unknown parameter, ignored{}", keys.layer, key,
                                       did_you_mean(name, known)));
    }
  }
}

/// Where the keys of an object say Init=Calibrated.
std::optional<KeyText> calibrated(const Sources& sources) {
  const auto of_config = sources.config->find("Init");
  const auto found = of_config ? of_config : sources.section->find("Init");
  return found && found->text == "Calibrated" ? found : std::nullopt;
}

bool has_field(std::span<const FieldHelp> fields, std::string_view name) {
  return std::any_of(fields.begin(), fields.end(), [&](const FieldHelp& f) { return f.info.name == name; });
}

/// Weights of O,I/g,KH,KW that the connection table of a Conv has; empty: all.
std::vector<char> used_weights(const graph::Graph& graph, graph::ValueId constant) {
  const graph::Value& value = graph.value(constant);
  const Shape& shape = value.type.shape;
  for (const graph::Use& use : value.uses) {
    const auto* conv = graph::as<ops::Conv>(graph.node(use.node));
    if (conv == nullptr || conv->connections.empty()) continue;
    std::vector<char> used;
    for (int64_t o = 0; o < shape[0]; ++o)
      for (int64_t c = 0; c < shape[1]; ++c)
        for (int64_t k = 0; k < shape[2] * shape[3]; ++k) used.push_back(conv->is_connected(c, o) ? 1 : 0);
    return used;
  }
  return {};
}

}  // namespace

void read_weight_quantizer(const ParameterKeys& keys, Parameter& parameter) {
  Builder& builder = keys.builder;
  const auto chosen = builder.ini.find(keys.layer, "QWeight");
  const auto nothing = [](std::string_view) { return false; };
  if (!chosen || chosen->text.empty()) {
    note_unread(keys, "QWeight", "without QWeight", [](std::string_view key) { return key.empty(); });
    return note_unread(keys, "QWeightSolver", "without QWeight", nothing);
  }
  const training::QuantizerEntry* entry = training::quantizers().find(chosen->text);
  if (entry == nullptr) {
    builder.diagnostics.error(chosen->where,
                              fmt::format("[{}] QWeight: {}", keys.layer,
                                          training::quantizers().unknown("quantizer", chosen->text)));
    return;
  }
  const Sources sources = sources_of(keys, "QWeight");
  auto quantizer = training::make_quantizer(chosen->text, sources.views, builder.diagnostics);
  if (const auto found = calibrated(sources)) {
    note_unread(keys, "QWeight", "with QWeight.Init=Calibrated",
                [&](std::string_view key) { return !has_field(entry->fields, key) || !is_first_step(key); });
    if (!has_field(entry->fields, "Init"))
      builder.diagnostics.error(found->where,
                                fmt::format("[{}] QWeight.Init: nothing to calibrate with QWeight={}: {}",
                                            keys.layer, chosen->text, without_step(chosen->text)),
                                "QWeight=LSQ has a step; without the key the weights begin as they are");
  }
  note_unread(keys, "QWeight", "with QWeight=" + chosen->text,
              [&](std::string_view key) { return key.empty() || has_field(entry->fields, key); });
  if (chosen->text == "LSQ") {
    parameter.step_solver = read_own_solver(keys, "QWeightSolver");
    note_unread(keys, "QWeightSolver", "", [](std::string_view) { return true; });
  } else
    note_unread(keys, "QWeightSolver", "with QWeight=" + chosen->text, nothing);
  if (!quantizer) return;
  const graph::Value& value = builder.net.graph.value(parameter.constant);
  quantizer->bind({value.name, value.type.shape, parameter.parts,
                   used_weights(builder.net.graph, parameter.constant), builder.net.seed, 0});
  parameter.quantizer = std::move(quantizer);
}

std::optional<ActivationQuantizer> read_activation_quantizer(const ParameterKeys& keys, bool is_activated) {
  Builder& builder = keys.builder;
  const auto chosen = builder.ini.find(keys.layer, "QAct");
  const auto nothing = [](std::string_view) { return false; };
  if (!chosen || chosen->text.empty() || !is_activated) {
    const std::string why = chosen && !chosen->text.empty() ? "without ActivationFunction" : "without QAct";
    note_unread(keys, "QAct", why,
                [&](std::string_view key) { return key.empty() && (!chosen || chosen->text.empty()); });
    note_unread(keys, "QActSolver", why, nothing);
    return std::nullopt;
  }
  ActivationQuantizer out;
  if (!ValueText<QuantizeMethod>::parse(chosen->text, out.op.method)) {
    const std::vector<std::string> names{"LSQ", "SAT"};
    builder.diagnostics.error(chosen->where,
                              fmt::format("[{}] QAct: unknown quantizer '{}'{}", keys.layer, chosen->text,
                                          did_you_mean(chosen->text, names)),
                              "known: " + join(names, ", "));
    return std::nullopt;
  }
  const Sources sources = sources_of(keys, "QAct");
  ActivationKeys read;
  const size_t errors = builder.diagnostics.errors().size();
  for (const KeySource* view : sources.views) read_fields(read, *view, builder.diagnostics);
  if (read.init == training::StepStart::Calibrated)
    note_unread(keys, "QAct", "with QAct.Init=Calibrated",
                [&](std::string_view key) { return !reads(out.op.method, key) || !is_first_step(key); });
  note_unread(keys, "QAct", "with QAct=" + chosen->text,
              [&](std::string_view key) { return key.empty() || reads(out.op.method, key); });
  const auto refuse = [&](std::string_view key, const std::string& message, const std::string& hint = {}) {
    const KeySource& holder = sources.config->find(key) ? *sources.config : *sources.section;
    const auto found = holder.find(key);
    builder.diagnostics.error(found ? found->where : holder.where(),
                              fmt::format("{} {}: {}", holder.subject(), key, message), hint);
  };
  const bool is_lsq = out.op.method == QuantizeMethod::LSQ;
  if (is_lsq && read.is_signed && (read.range % 2 == 0 || read.range < 3))
    refuse("Range", fmt::format("expected an odd integer >= 3 with Signed=1, got '{}'", read.range),
           "b bits are 2^b - 1 steps: 255, 15, 7 or 3");
  if (is_lsq && !(static_cast<float>(read.step_size) > 0))
    refuse("StepSize", fmt::format("expected a number > 0, got '{}'", print_real(read.step_size)));
  if (!is_lsq && static_cast<float>(read.alpha) == 0)
    refuse("Alpha", "expected a number that is not 0, got '0'");
  out.solver = read_own_solver(keys, "QActSolver");
  note_unread(keys, "QActSolver", "", [](std::string_view) { return true; });
  if (builder.diagnostics.errors().size() != errors) return std::nullopt;
  out.op.levels = read.range;
  out.op.is_signed = is_lsq && read.is_signed;
  if (read.init == training::StepStart::Calibrated)
    out.op.init = ops::StepInit::Calibrated;
  else if (is_lsq && read.set_opt_init_step_size)
    out.op.init = ops::StepInit::Batch;
  if (out.op.init == ops::StepInit::Given)
    out.start = static_cast<float>(is_lsq ? read.step_size : read.alpha);
  return out;
}

graph::ValueId add_learnt_step(Builder& builder, ActivationQuantizer& quantizer, const std::string& layer) {
  const std::string name = fmt::format("{}_QAct_{}", layer, quantizer.op.input_role(1));
  const graph::ValueId id =
      builder.net.graph.add_constant(builder.fresh_name(name), Tensor::from(Shape{1}, {quantizer.start}));
  auto filler = constant_filler(print_real(quantizer.start));
  builder.net.parameters.push_back({id, {}, std::move(filler), std::move(quantizer.solver)});
  return id;
}

graph::ValueId add_quantizer(Builder& builder, ActivationQuantizer quantizer, const std::string& layer,
                             graph::ValueId value, const SourceLocation& where) {
  const graph::ValueId learnt = add_learnt_step(builder, quantizer, layer);
  const graph::NodeId node =
      builder.net.graph.add(std::make_unique<ops::QuantizeActivation>(quantizer.op),
                            builder.fresh_name(layer + "_QAct"), {value, learnt}, where);
  return builder.net.graph.node(node).outputs.at(0);
}

bool has_quantized_weights(std::string_view type) {
  return type == "Conv" || type == "Fc";
}

void claim_quantizer_keys(const ParameterKeys& keys, std::string_view type) {
  const config::IniDocument& ini = keys.builder.ini;
  std::vector<std::string> prefixes{"QAct"};
  if (has_quantized_weights(type)) prefixes.emplace_back("QWeight");
  for (const std::string& prefix : prefixes) {
    mark_prefix_read(ini, keys.layer, prefix);
    for (const std::string& from : keys.configs)
      for (const std::string& key : ini.has_section(from) ? ini.keys(from) : std::vector<std::string>())
        if (key.starts_with(prefix)) ini.mark_read(from, key, keys.layer);
  }
}

std::vector<FieldHelp> quantizer_choices(bool has_weights) {
  const auto row = [](std::string_view name, std::string kind, std::string standard, std::string_view text) {
    return FieldHelp{field_info(name, help(text)), std::move(kind), std::move(standard)};
  };
  const auto& names = EnumText<QuantizeMethod>::names;
  const std::vector<std::string> methods(names.begin(), names.end());
  std::vector<FieldHelp> rows{
      row("QAct", "one of " + join(methods, " "), "",
          "the values are rounded while it learns, behind ActivationFunction (.X: its parameters)"),
      row("QActSolver", "a solver", "SGD", "how the clip value or step of QAct learns (.X: its parameters)")};
  if (!has_weights) return rows;
  rows.push_back(row("QWeight", "one of " + join(training::quantizers().names(), " "), "",
                     "the weights are rounded or pruned while it learns (.X: its parameters)"));
  rows.push_back(row("QWeightSolver", "a solver", "SGD", "how the step of LSQ learns (.X: its parameters)"));
  return rows;
}

std::vector<std::string> quantizer_keys(bool has_weights) {
  std::vector<std::string> keys, objects{"QAct", "QActSolver"};
  if (has_weights) objects.insert(objects.end(), {"QWeight", "QWeightSolver"});
  for (const std::string& object : objects)
    for (const std::string& parameter : parameters_of(object))
      keys.push_back(fmt::format("{}.{}", object, parameter));
  return keys;
}

std::vector<std::string> quantizer_names() {
  return training::quantizers().names();
}

std::vector<QuantizerHelp> quantizer_help(const std::string& name) {
  std::vector<QuantizerHelp> tables{{"QWeight=" + name, training::quantizers().find(name)->fields}};
  QuantizeMethod method{};
  if (!ValueText<QuantizeMethod>::parse(name, method)) return tables;
  QuantizerHelp of_activations{"QAct=" + name, {}};
  for (FieldHelp& field : describe_fields<ActivationKeys>())
    if (reads(method, field.info.name)) of_activations.fields.push_back(std::move(field));
  tables.push_back(std::move(of_activations));
  return tables;
}

}  // namespace n2d2::loader
