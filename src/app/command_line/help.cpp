#include "help.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "n2d2/data/database.hpp"
#include "n2d2/data/stimuli_provider.hpp"
#include "n2d2/data/target.hpp"
#include "n2d2/data/transformation.hpp"
#include "n2d2/loader/help.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/training/filler.hpp"
#include "n2d2/training/solver.hpp"

#include "export_type.hpp"
#include "files.hpp"
#include "key_table.hpp"
#include "shell_pages.hpp"
#include "usage.hpp"

#ifndef N2D2_VERSION
#error "N2D2_VERSION comes from CMake"
#endif

namespace n2d2::app {

namespace {

std::string default_text(const FieldHelp& field) {
  if (field.info.required) return "required";
  return field.default_text.empty() ? "" : "[" + field.default_text + "]";
}

/// Something that help tells about by name.
struct Subject {
  std::string kind;
  std::string Options::*asked;
  std::vector<std::string> names;
  /// Known to N2D2, not supported.
  std::vector<std::string> others;
  std::function<std::string(const std::string& name)> text;
};

std::string list(const Subject& subject) {
  std::string out;
  for (const std::string& name : subject.names) out += name + "\n";
  for (const std::string& name : subject.others)
    out += fmt::format("{:<32} known to N2D2, not supported\n", name);
  return out;
}

std::string text_of(const Subject& subject, const std::string& name) {
  if (name == "list") return list(subject);
  const auto lists = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (lists(subject.names)) return subject.text(name);
  const std::string hint = "known: " + join(subject.names, ", ");
  if (lists(subject.others))
    throw ConfigError(fmt::format("{} '{}' is known to N2D2, not supported", subject.kind, name), {}, hint);
  throw ConfigError(fmt::format("unknown {} '{}'{}", subject.kind, name, did_you_mean(name, subject.names)),
                    {}, hint);
}

/// Entries of a registry with their keys.
template <class R>
Subject subject_of(const R& registry, std::string kind, std::string Options::*asked,
                   std::vector<std::string> others) {
  const auto text = [&registry](const std::string& name) {
    const auto* entry = registry.find(name);
    if constexpr (requires { entry->fields(); })
      return fmt::format("{}: {}\n{}", name, entry->summary, key_table(entry->fields()));
    else
      return name + "\n" + key_table(entry->fields);
  };
  return {std::move(kind), asked, registry.names(), std::move(others), text};
}

std::vector<Subject> subjects() {
  return {
      {"layer type", &Options::help_layer, loader::layer_types(), loader::other_layer_types(),
       [](const std::string& name) { return name + "\n" + key_table(loader::layer_fields(name)); }},
      {"activation",
       &Options::help_activation,
       loader::activation_types(),
       {},
       [](const std::string& name) {
         return "ActivationFunction=" + name + "\n" + key_table(loader::activation_fields(name));
       }},
      subject_of(data::databases(), "database", &Options::help_database, data::other_databases()),
      subject_of(data::transformations(), "transformation", &Options::help_transformation,
                 data::other_transformations()),
      subject_of(training::solvers(), "solver", &Options::help_solver, {}),
      subject_of(training::fillers(), "filler", &Options::help_filler, {}),
      {"quantizer",
       &Options::help_quantizer,
       loader::quantizer_names(),
       {},
       [](const std::string& name) {
         std::string out;
         for (const loader::QuantizerHelp& help : loader::quantizer_help(name))
           out += help.title + "\n" + key_table(help.fields);
         return out;
       }},
      {"type of export", &Options::help_export, targets::registry().names(), other_export_types(),
       [](const std::string& name) { return export_help(name); }},
  };
}

/// What the options that take no name ask for.
std::string texts_without_name(const Options& o) {
  std::string out;
  if (o.help) out += usage();
  if (o.version) out += "n2d2 " N2D2_VERSION "\n";
  if (o.man) out += manual_page(N2D2_VERSION);
  if (o.completion == "bash") out += bash_completion();
  if (o.completion == "fish") out += fish_completion();
  if (o.completion == "zsh") out += zsh_completion();
  if (o.help_provider) out += "[sp], [env]\n" + key_table(describe_fields<data::ProviderOptions>());
  if (o.help_target) out += "[<layer>.Target]\n" + key_table(describe_fields<data::TargetOptions>());
  if (o.help_mapping)
    out +=
        "Channel mapping, of an input the first that says something\n" + key_table(loader::mapping_fields());
  return out;
}

}  // namespace

std::string key_table(const std::vector<FieldHelp>& fields) {
  std::string out;
  for (const FieldHelp& field : fields) {
    const std::string standard = default_text(field);
    out += fmt::format("  {:<24} {}{}{}{}\n", field.info.name, field.kind, detail::bounds_text(field.info),
                       standard.empty() ? "" : " ", standard);
    if (!field.info.help.empty() || field.info.place == Place::Config)
      out += fmt::format("  {:<24}   {}{}\n", "", field.info.help,
                         field.info.place == Place::Config ? " (in a ConfigSection)" : "");
  }
  return out;
}

bool print_help(const Options& o) {
  std::string out = texts_without_name(o);
  for (const Subject& subject : subjects()) {
    const std::string& name = o.*subject.asked;
    if (name.empty()) continue;
    if (name != "all") {
      out += text_of(subject, name);
      continue;
    }
    for (const std::string& each : subject.names) out += subject.text(each);
  }
  print(out);
  return !out.empty();
}

}  // namespace n2d2::app
