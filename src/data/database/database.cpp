#include "n2d2/data/database.hpp"

#include <algorithm>
#include <cstdlib>

#include "n2d2/base/log.hpp"

namespace n2d2::data {

void register_all_databases(DatabaseRegistry& registry);  // generated from the list in CMakeLists.txt

namespace {

/// Databases of the reference program that this one does not read.
constexpr std::array kDatabasesElsewhere{
    "Actitracker_Database",  "CKP_Database",        "CaltechPedestrian_Database",
    "CelebA_Database",       "Cityscapes_Database", "CompositeDatabase",
    "DOTA_Database",         "Daimler_Database",    "FDDB_Database",
    "GTSDB_DIR_Database",    "IMDBWIKI_Database",   "KITTI_Database",
    "KITTI_Object_Database", "KITTI_Road_Database", "LITISRouen_Database",
    "N_MNIST_Database"};

std::string environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? value : "";
}

}  // namespace

std::string data_root() {
  if (const std::string root = environment("N2D2_DATA"); !root.empty()) return root;
  const std::string user = environment("USER");
  return user.empty() ? "/local/n2d2_data" : "/local/" + user + "/n2d2_data";
}

std::string expand_environment(std::string_view text) {
  std::string out;
  while (true) {
    const size_t open = text.find("${");
    const size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) return out + std::string(text);
    out += text.substr(0, open);
    out += environment(std::string(text.substr(open + 2, close - open - 2)));
    text.remove_prefix(close + 1);
  }
}

int64_t Database::id(Partition partition, int64_t index) const {
  const auto& ids = list(partition);
  N2D2_CHECK(index >= 0 && index < static_cast<int64_t>(ids.size()), "sample {} of {}, which has {}", index,
             to_string(partition), ids.size());
  return ids[static_cast<size_t>(index)];
}

std::string Database::summary() const {
  std::vector<bool> used(static_cast<size_t>(size()));
  for (const Partition p : kPartitions)
    for (const int64_t id : list(p)) used[static_cast<size_t>(id)] = true;
  return fmt::format("Learn {}, Validation {}, Test {}, unused {}, {} labels", size(Partition::Learn),
                     size(Partition::Validation), size(Partition::Test),
                     std::count(used.begin(), used.end(), false), labels_.size());
}

const DatabaseRegistry& databases() {
  static const DatabaseRegistry registry = [] {
    DatabaseRegistry out;
    register_all_databases(out);
    return out;
  }();
  return registry;
}

std::vector<std::string> other_databases() {
  return {kDatabasesElsewhere.begin(), kDatabasesElsewhere.end()};
}

std::unique_ptr<Database> make_database(const std::string& type, const KeySource& keys,
                                        const DataContext& context, Diagnostics& diagnostics) {
  const DatabaseType* entry = databases().find(type);
  if (entry == nullptr) {
    const auto found = keys.find("Type");
    const SourceLocation where = found ? found->where : keys.where();
    const bool elsewhere =
        std::find(kDatabasesElsewhere.begin(), kDatabasesElsewhere.end(), type) != kDatabasesElsewhere.end();
    diagnostics.error(
        where, elsewhere
                   ? fmt::format("{} Type: database '{}' is known to N2D2, not supported; supported: {}",
                                 keys.subject(), type, join(databases().names(), ", "))
                   : fmt::format("{} Type: {}", keys.subject(), databases().unknown("database", type)));
    return nullptr;
  }
  auto out = entry->make(keys, context, diagnostics);
  if (out) log::info("{} {}: {}", keys.subject(), type, out->summary());
  return out;
}

}  // namespace n2d2::data
