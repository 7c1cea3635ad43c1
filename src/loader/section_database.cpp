#include <algorithm>
#include <map>
#include <utility>

#include "n2d2/base/log.hpp"

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

/// Whether a finding says that a key has no value of its type, in the words of read_field().
bool is_about_a_value(const Diagnostic& finding, const std::vector<FieldHelp>& fields,
                      const KeySource& keys) {
  return std::any_of(fields.begin(), fields.end(), [&](const FieldHelp& field) {
    const std::string subject = fmt::format("{} {}: ", keys.subject(), field.info.name);
    return finding.message.starts_with(subject + "expected " + field.kind) ||
           finding.message.starts_with(subject + "missing, expected " + field.kind);
  });
}

/// Wrong values are findings as ever; whatever else is wrong with the samples of a network that is only
/// looked at is one notice.
class Samples {
 public:
  explicit Samples(Builder& builder) : builder_(builder) {}

  std::unique_ptr<data::Database> load(const std::string& type, const KeySource& keys,
                                       const data::DataContext& context) {
    const data::DatabaseType* known = data::databases().find(type);
    if (!builder_.options.without_data || known == nullptr)
      return data::make_database(type, keys, context, builder_.diagnostics);
    Diagnostics absent;
    auto out = data::make_database(type, keys, context, absent);
    const std::vector<FieldHelp> fields = known->fields();
    Diagnostics rest;
    for (const Diagnostic& finding : absent.errors())
      (is_about_a_value(finding, fields, keys) ? builder_.diagnostics : rest)
          .error(finding.where, finding.message, finding.hint);
    note(rest);
    return out;
  }
  std::unique_ptr<data::Database> load_calibration(const KeySource& keys) {
    if (!builder_.options.without_data)
      return data::make_calibration_database(keys, builder_.diagnostics, builder_.options.no_exif);
    Diagnostics absent;
    auto out = data::make_calibration_database(keys, absent, builder_.options.no_exif);
    note(absent);
    return out;
  }

 private:
  void note(const Diagnostics& absent) {
    if (!absent.has_errors() || std::exchange(is_noted_, true)) return;
    Diagnostic first = absent.errors().front();
    first.message += "; the network is looked at without samples";
    first.hint.clear();
    log::write(log::Level::Notice, first.text());
  }

  Builder& builder_;
  bool is_noted_ = false;
};

}  // namespace

void build_database(Builder& builder) {
  builder.net.database = std::make_shared<EmptyDatabase>();
  const data::PostSections sections = post_sections(builder);
  // Who only looks at the network asks for no samples.
  const bool is_missed = !builder.options.without_data;
  if (!builder.ini.has_section("database")) {
    if (is_missed)
      builder.diagnostics.warn({builder.ini.path(), 0}, "no database specified; there are no samples");
    return;
  }
  attempt(builder, [&] {
    const auto keys = builder.ini.source("database");
    Samples samples(builder);
    builder.calibration = samples.load_calibration(*keys);
    const auto type = keys->find("Type");
    if (!type) {
      // For an ONNX file alone, the program has already said that there are no samples.
      if (is_missed && !builder.ini.path().ends_with(".onnx"))
        builder.diagnostics.warn(keys->where(), "[database] Type: missing; there are no samples");
      return;
    }
    const data::DataContext context{builder.options.seed, builder.options.data_root,
                                    [&](const std::string& name) -> std::unique_ptr<KeySource> {
                                      if (!builder.ini.has_section(name)) return nullptr;
                                      builder.ini.mark_used(name);
                                      return builder.ini.source(name);
                                    },
                                    builder.options.no_exif};
    auto database = samples.load(type->text, *keys, context);
    if (database)
      database = data::post_process(std::move(database), sections, builder.options.seed, builder.diagnostics);
    if (database) builder.net.database = std::move(database);
  });
}

}  // namespace n2d2::loader
