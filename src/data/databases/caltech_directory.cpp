// Caltech-101 and Caltech-256: a folder of photographs for each class, and one of clutter.
#include <algorithm>
#include <filesystem>

#include "database/database_type.hpp"
#include "database/file_database.hpp"
#include "database/label_partition.hpp"

namespace n2d2::data {

namespace {

namespace fs = std::filesystem;

struct CaltechKeys {
  double learn = 0, validation = 0;
  bool inc_clutter = false;
  std::string data_path;
  template <class V>
  static void fields(V&& v) {
    using K = CaltechKeys;
    v("Learn", &K::learn, required, at_least(0), at_most(1),
      help("fraction of each class; the rest is for Test"));
    v("Validation", &K::validation, at_least(0), at_most(1), help("fraction of each class"));
    v("IncClutter", &K::inc_clutter, help("the folder of clutter is a class, too"));
    v("DataPath", &K::data_path, help("folder of the classes; empty: below the data root"));
  }
};

std::unique_ptr<Database> load(const CaltechKeys& keys, const LoadArgs& args, const std::string& below,
                               const std::string& clutter) {
  const PartitionRules rules{keys.learn, keys.validation, kTheRest, true, false};
  check_fractions(rules, args);
  const fs::path root = args.data_path(keys.data_path, below);
  std::error_code ignored;
  if (!fs::is_directory(root, ignored))
    args.fail("DataPath", fmt::format("DataPath: no folder '{}'", root.string()), args.root_hint());
  std::vector<FoundFile> files;
  try {
    files =
        find_files(root, {1, keys.inc_clutter ? std::vector<std::string>() : std::vector{clutter}, {"jpg"}});
  } catch (const fs::filesystem_error& e) {
    args.fail("DataPath",
              fmt::format("DataPath: '{}' cannot be searched: {}", e.path1().string(), e.code().message()));
  }
  auto out = std::make_unique<FileDatabase>();
  for (Sample& sample : samples_of(std::move(files), {}, args.common.exif_orientation)) {
    if (sample.folders().empty()) continue;
    const int label = out->label_id("/" + sample.folders().front());
    out->add(std::move(sample), root, label);
  }
  if (out->size() == 0)
    args.fail("DataPath", fmt::format("DataPath: no folder with .jpg pictures in '{}'", root.string()),
              args.root_hint());
  draw_by_label(rules, args, out->label_of(), 0, out->partitions());
  return out;
}

std::unique_ptr<Database> load_101(const CaltechKeys& keys, const LoadArgs& args) {
  return load(keys, args, "101_ObjectCategories", "BACKGROUND_Google");
}

std::unique_ptr<Database> load_256(const CaltechKeys& keys, const LoadArgs& args) {
  return load(keys, args, "256_ObjectCategories", "257.clutter");
}

}  // namespace

void register_caltech_directory(DatabaseRegistry& registry);
void register_caltech_directory(DatabaseRegistry& registry) {
  registry.add("Caltech101_DIR_Database",
               database_type<CaltechKeys>("photographs of 101 classes, folders are labels", load_101));
  registry.add("Caltech256_DIR_Database",
               database_type<CaltechKeys>("photographs of 256 classes, folders are labels", load_256));
}

}  // namespace n2d2::data
