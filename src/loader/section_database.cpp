#include <map>

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

/// The sections "[database.X]"; one of another name is a finding.
data::PostSections post_sections(Builder& builder) {
  data::PostSections out;
  const std::map<std::string, std::unique_ptr<KeySource>*> known{
      {"database.filterROIs", &out.filter_rois},
      {"database.slicing", &out.slicing},
      {"database.sortAndDropLabels", &out.sort_and_drop}};
  for (const std::string& section : builder.ini.section_names()) {
    if (!section.starts_with("database.")) continue;
    builder.ini.mark_used(section);
    const auto found = known.find(section);
    if (found != known.end())
      *found->second = builder.ini.source(section);
    else
      builder.diagnostics.error(
          builder.ini.section_where(section), fmt::format("[{}]: unknown section of a database", section),
          "known: [database.sortAndDropLabels], [database.filterROIs], [database.slicing]");
  }
  return out;
}

}  // namespace

void build_database(Builder& builder) {
  builder.net.database = std::make_shared<EmptyDatabase>();
  const data::PostSections sections = post_sections(builder);
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
    const data::DataContext context{builder.options.seed, builder.options.data_root,
                                    [&](const std::string& name) -> std::unique_ptr<KeySource> {
                                      if (!builder.ini.has_section(name)) return nullptr;
                                      builder.ini.mark_used(name);
                                      return builder.ini.source(name);
                                    }};
    auto database = data::make_database(type->text, *keys, context, builder.diagnostics);
    database = data::post_process(std::move(database), sections, builder.options.seed, builder.diagnostics);
    if (database) builder.net.database = std::move(database);
  });
}

}  // namespace n2d2::loader
