#include "help.hpp"

#include <fmt/format.h>

#include "n2d2/data/database.hpp"
#include "n2d2/data/transformation.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/training/filler.hpp"
#include "n2d2/training/solver.hpp"

#include "export_type.hpp"
#include "files.hpp"
#include "key_table.hpp"

#ifndef N2D2_VERSION
#error "N2D2_VERSION comes from CMake"
#endif

namespace n2d2::app {

namespace {

std::string default_text(const FieldHelp& field) {
  if (field.info.required) return "required";
  return field.default_text.empty() ? "" : "[" + field.default_text + "]";
}

std::string list(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += name + "\n";
  return out;
}

/// Keys of one entry, or all names for "list".
template <class R>
std::string entry_text(const R& registry, std::string_view kind, const std::string& name) {
  if (name == "list") return list(registry.names());
  const auto* entry = registry.find(name);
  if (entry == nullptr) throw ConfigError(registry.unknown(kind, name));
  if constexpr (requires { entry->fields(); })
    return fmt::format("{}: {}\n{}", name, entry->summary, key_table(entry->fields()));
  else
    return name + "\n" + key_table(entry->fields);
}

}  // namespace

std::string key_table(const std::vector<FieldHelp>& fields) {
  std::string out;
  for (const FieldHelp& field : fields) {
    out += fmt::format("  {:<24} {}{} {}\n", field.info.name, field.kind, detail::bounds_text(field.info),
                       default_text(field));
    if (!field.info.help.empty() || field.info.place == Place::Config)
      out += fmt::format("  {:<24}   {}{}\n", "", field.info.help,
                         field.info.place == Place::Config ? " (in a ConfigSection)" : "");
  }
  return out;
}

bool print_help(const Options& o) {
  std::string out;
  if (o.help) out += usage();
  if (o.version) out += "n2d2 " N2D2_VERSION "\n";
  if (!o.help_layer.empty())
    out += o.help_layer == "list" ? list(loader::layer_types())
                                  : o.help_layer + "\n" + key_table(loader::layer_fields(o.help_layer));
  if (!o.help_database.empty()) out += entry_text(data::databases(), "database", o.help_database);
  if (!o.help_transformation.empty())
    out += entry_text(data::transformations(), "transformation", o.help_transformation);
  if (!o.help_solver.empty()) out += entry_text(training::solvers(), "solver", o.help_solver);
  if (!o.help_filler.empty()) out += entry_text(training::fillers(), "filler", o.help_filler);
  if (o.help_export) out += export_help();
  print(out);
  return !out.empty();
}

}  // namespace n2d2::app
