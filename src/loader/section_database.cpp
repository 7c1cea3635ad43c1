#include "builder.hpp"

namespace n2d2::loader {

namespace {

/// No samples, no labels: a network that is only built, printed or exported without data.
class EmptyDatabase final : public data::Database {
 public:
  int64_t size() const override { return 0; }
  std::string name(int64_t) const override { return {}; }
  int label(int64_t) const override { return -1; }
  data::Image image(int64_t) const override { throw ConfigError("the database is empty"); }
};

}  // namespace

void build_database(Builder& builder) {
  builder.net.database = std::make_shared<EmptyDatabase>();
  for (const std::string& section : builder.ini.section_names())
    if (section.starts_with("database.")) {
      builder.ini.mark_used(section);
      builder.diagnostics.error(
          builder.ini.section_where(section),
          fmt::format("[{}]: post-processing of a database is not supported yet", section));
    }
  if (!builder.ini.has_section("database")) {
    builder.diagnostics.warn({builder.ini.path(), 0}, "no database specified; there are no samples");
    return;
  }
  attempt(builder, [&] {
    const auto keys = builder.ini.source("database");
    builder.calibration = data::make_calibration_database(*keys, builder.diagnostics);
    const auto type = keys->find("Type");
    if (!type) {
      builder.diagnostics.warn(keys->where(), "[database] Type: missing; there are no samples");
      return;
    }
    const data::DataContext context{builder.options.seed, builder.options.data_root};
    auto database = data::make_database(type->text, *keys, context, builder.diagnostics);
    if (database) builder.net.database = std::move(database);
  });
}

}  // namespace n2d2::loader
