#include "section_activation.hpp"

#include <algorithm>

#include "n2d2/loader/help.hpp"
#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/all.hpp"
#include "n2d2/ops/nonlinearity.hpp"

#include "builder.hpp"
#include "foreign_words.hpp"
#include "section_keys.hpp"

namespace n2d2::loader {

namespace {

using Keys = const KeySource&;
using Made = std::unique_ptr<graph::Operator>;

Made make_linear(Keys keys, Diagnostics& diagnostics) {
  double clipping = 0;
  read_field(field_info("Clipping", at_least(0)), clipping, keys, diagnostics);
  if (clipping <= 0) return nullptr;
  auto op = std::make_unique<ops::Saturation>();
  op->threshold = clipping;
  return op;
}

template <class Op>
Made make_clamp(Keys keys, Diagnostics& diagnostics) {
  auto op = std::make_unique<Op>();
  op->read(keys, keys, diagnostics);
  return op;
}

template <ops::Function function>
Made make_function(Keys, Diagnostics&) {
  auto op = std::make_unique<ops::Nonlinearity>();
  op->function = function;
  return op;
}

Made make_tanh(Keys keys, Diagnostics& diagnostics) {
  auto op = std::make_unique<ops::Nonlinearity>();
  op->function = ops::Function::Tanh;
  read_field(field_info("Alpha"), op->alpha, keys, diagnostics);
  return op;
}

/// Without the gain of its output.
Made make_tanh_lecun(Keys, Diagnostics&) {
  auto op = std::make_unique<ops::Nonlinearity>();
  op->function = ops::Function::Tanh;
  op->alpha = 1.7159 * 2 / 3;
  return op;
}

Made make_logistic_with_loss(Keys, Diagnostics&) {
  auto op = std::make_unique<ops::Nonlinearity>();
  op->function = ops::Function::Logistic;
  op->with_loss = true;
  return op;
}

/// A name of an activation, the parameters it has, and what it becomes.
struct Activation {
  std::string_view name;
  std::vector<FieldHelp> parameters;
  Made (*make)(Keys keys, Diagnostics& diagnostics);
};

FieldHelp number_field(std::string_view name, std::string_view default_text, std::string_view help) {
  FieldHelp field{field_info(name), ValueText<double>::kind(), std::string(default_text)};
  field.info.help = help;
  return field;
}

const std::vector<Activation>& activations() {
  static const std::vector<Activation> all{
      {"Linear", {number_field("Clipping", "0", "bounds are -Clipping and Clipping, 0: none")}, make_linear},
      {"Logistic", {}, make_function<ops::Function::Logistic>},
      {"LogisticWithLoss", {}, make_logistic_with_loss},
      {"Rectifier", describe_fields<ops::Relu>(), make_clamp<ops::Relu>},
      {"Saturation", describe_fields<ops::Saturation>(), make_clamp<ops::Saturation>},
      {"Softplus", {}, make_function<ops::Function::Softplus>},
      {"Swish", {}, make_function<ops::Function::Swish>},
      {"Tanh", {number_field("Alpha", print_real(ops::Nonlinearity().alpha), "tanh(Alpha x)")}, make_tanh},
      {"TanhLeCun", {}, make_tanh_lecun},
  };
  return all;
}

const Activation* find_activation(std::string_view name) {
  for (const Activation& activation : activations())
    if (activation.name == name) return &activation;
  return nullptr;
}

}  // namespace

std::vector<std::string> activation_names() {
  std::vector<std::string> names;
  for (const Activation& activation : activations()) names.emplace_back(activation.name);
  return names;
}

std::vector<std::string> activation_keys(std::string_view name) {
  std::vector<std::string> keys;
  for (const Activation& activation : activations())
    if (name.empty() || activation.name == name)
      for (const FieldHelp& parameter : activation.parameters)
        keys.push_back("ActivationFunction." + std::string(parameter.info.name));
  return keys;
}

std::vector<std::string> activation_types() {
  return activation_names();
}

std::vector<FieldHelp> activation_fields(const std::string& name) {
  if (const Activation* activation = find_activation(name)) return activation->parameters;
  const std::vector<std::string> known = activation_names();
  throw ConfigError(fmt::format("unknown activation '{}'{}", name, meant(WordKind::Activation, name, known)),
                    {}, "known: " + join(known, ", "));
}

std::unique_ptr<graph::Operator> read_activation(Builder& builder, const std::string& section,
                                                 bool is_layer) {
  const auto found = builder.ini.find(section, "ActivationFunction");
  const std::string name = found && !found->text.empty() ? found->text : is_layer ? "Tanh" : "Linear";
  const auto keys = with_subject(builder.ini.source(section, "ActivationFunction."), "ActivationFunction:");
  if (const Activation* activation = find_activation(name))
    return activation->make(*keys, builder.diagnostics);
  const std::vector<std::string> known = activation_names();
  builder.diagnostics.error(
      found ? found->where : builder.ini.section_where(section),
      fmt::format("[{}] ActivationFunction: unknown activation '{}'{}", section, name,
                  meant(WordKind::Activation, name, known)),
      our_word_for(WordKind::Activation, name).empty() ? "supported: " + join(known, ", ") : "");
  return nullptr;
}

}  // namespace n2d2::loader
