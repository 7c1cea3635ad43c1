#include "n2d2/base/log.hpp"

#include "database_type.hpp"
#include "files/sample_files.hpp"

namespace n2d2::data {

namespace {

namespace fs = std::filesystem;

constexpr const char* kKey = "CalibrationPath";

class CalibrationDatabase final : public Database {
 public:
  CalibrationDatabase(fs::path root, std::vector<Sample> samples)
      : root_(std::move(root)), samples_(std::move(samples)) {
    for (int64_t id = 0; id < size(); ++id) partitions_[static_cast<size_t>(Partition::Test)].push_back(id);
  }
  int64_t size() const override { return static_cast<int64_t>(samples_.size()); }
  std::string name(int64_t id) const override { return sample(id).name(root_); }
  int label(int64_t) const override { return -1; }
  Image image(int64_t id) const override { return sample(id).image(); }

 private:
  const Sample& sample(int64_t id) const { return samples_.at(static_cast<size_t>(id)); }
  fs::path root_;
  std::vector<Sample> samples_;
};

/// Files that are read; how many are not is said.
std::vector<FoundFile> readable_files(const fs::path& root) {
  std::vector<FoundFile> out;
  std::vector<std::string> others;
  LeftByOthers left;
  for (FoundFile& file : find_files(root, {}, &left))
    if (sample_kind(file.path) != SampleKind::None)
      out.push_back(std::move(file));
    else
      others.push_back(file.path.string());
  left.say(fmt::format("[database] {}", kKey));
  if (!others.empty())
    log::notice("[database] {}: files that nothing reads are left out: {}, the first is '{}'", kKey,
                others.size(), others.front());
  return out;
}

std::unique_ptr<Database> load(const LoadArgs& args) {
  const fs::path root = args.common.calibration_path;
  std::error_code ignored;
  if (!fs::is_directory(root, ignored) && !fs::is_regular_file(root, ignored))
    args.fail(kKey, fmt::format("{}: no folder '{}'", kKey, root.string()));
  std::vector<FoundFile> files;
  try {
    files = readable_files(root);
  } catch (const fs::filesystem_error& e) {
    args.fail(kKey,
              fmt::format("{}: '{}' cannot be searched: {}", kKey, e.path1().string(), e.code().message()));
  }
  if (files.empty()) args.fail(kKey, fmt::format("{}: no sample in '{}'", kKey, root.string()));
  return std::make_unique<CalibrationDatabase>(
      root, samples_of(std::move(files), args.common.array_format(), args.common.exif_orientation));
}

}  // namespace

std::unique_ptr<Database> make_calibration_database(const KeySource& keys, Diagnostics& diagnostics,
                                                    bool no_exif) {
  const DataContext unused;
  // What a driver does not take, its own reading of the section reports.
  LoadArgs args{keys, unused, {}, diagnostics, true};
  const size_t before = diagnostics.errors().size();
  read_fields(args.common, keys, diagnostics);
  args.common.exif_orientation = args.common.exif_orientation && !no_exif;
  check_common_keys(args);
  if (args.common.calibration_path.empty() || diagnostics.errors().size() != before) return nullptr;
  try {
    return load(args);
  } catch (const ConfigError& error) {
    diagnostics.add(error);
    return nullptr;
  }
}

}  // namespace n2d2::data
