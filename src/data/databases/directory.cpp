// A tree of picture files, or files of arrays, whose folders are the labels.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "n2d2/base/log.hpp"

#include "database_type.hpp"
#include "file_stamp.hpp"
#include "partition.hpp"
#include "picture_cache.hpp"
#include "sample_files.hpp"

namespace n2d2::data {

namespace {

namespace fs = std::filesystem;

constexpr double kTheRest = -1;

struct DirectoryKeys {
  std::string data_path, label_name;
  int depth = 1, label_depth = 1;
  double learn = 0, validation = 0, test = kTheRest;
  bool per_label = true, equiv_label = true, load_in_memory = false;
  std::vector<std::string> ignore_masks, valid_extensions;
  std::string load_more, roi_file, roi_dir, roi_extension = "json";

  template <class V>
  static void fields(V&& v) {
    using K = DirectoryKeys;
    v("DataPath", &K::data_path, required, help("folder that is searched, or one file of samples"));
    v("Depth", &K::depth, help("levels of folders searched below it; 0: none, < 0: all"));
    v("LabelName", &K::label_name, help("first part of every label"));
    v("LabelDepth", &K::label_depth, at_least(-1),
      help("levels of folders that make the label; -1: no label"));
    v("Learn", &K::learn, required, at_least(0),
      help("fraction per label; a count if PerLabelPartitioning=0"));
    v("Validation", &K::validation, at_least(0),
      help("fraction per label; a count if PerLabelPartitioning=0"));
    v("Test", &K::test, at_least(0), help("same unit; absent (-1): all the rest"));
    v("PerLabelPartitioning", &K::per_label, help("0: Learn, Validation, Test are counts over all labels"));
    v("EquivLabelPartitioning", &K::equiv_label, help("same counts for all labels, from the smallest one"));
    v("IgnoreMasks", &K::ignore_masks, help("paths left out; wildcards * and ?"));
    v("ValidExtensions", &K::valid_extensions, help("file name endings without dot; empty: all"));
    v("LoadInMemory", &K::load_in_memory, help("keep decoded pictures"));
    v("LoadMore", &K::load_more, help("further section; not supported"));
    v("ROIFile", &K::roi_file, help("annotations; not supported"));
    v("ROIDir", &K::roi_dir, help("annotations; not supported"));
    v("ROIExtension", &K::roi_extension, help("annotations; not supported"));
  }
};

class DirectoryDatabase final : public Database {
 public:
  DirectoryDatabase(std::vector<Sample> samples, const DirectoryKeys& keys, const LoadArgs& args)
      : root_(args.data_path(keys.data_path, {})),
        samples_(std::move(samples)),
        cache_(samples_.size(), keys.load_in_memory ? INT64_MAX : 0) {
    std::map<std::string, int> ids;
    for (const Sample& sample : samples_) {
      if (keys.label_depth < 0) {
        label_of_.push_back(-1);
        continue;
      }
      std::string label = keys.label_name;
      for (size_t i = 0; i < sample.folders().size() && static_cast<int>(i) < keys.label_depth; ++i)
        label += "/" + sample.folders()[i];
      const auto [it, fresh] = ids.emplace(label, static_cast<int>(labels_.size()));
      if (fresh) labels_.push_back(label);
      label_of_.push_back(it->second);
    }
    const auto order = draw_order(size(), args.common.random_partitioning, args.context.seed);
    if (keys.per_label)
      draw(
          order, [&](int64_t id) { return group(id); }, counts_per_label(keys), partitions_);
    else
      draw(
          order, [](int64_t) { return size_t{0}; }, {counts_of_all(keys, args)}, partitions_);
  }
  int64_t size() const override { return static_cast<int64_t>(samples_.size()); }
  std::string name(int64_t id) const override { return sample(id).name(root_); }
  int label(int64_t id) const override { return label_of_.at(static_cast<size_t>(id)); }
  Image image(int64_t id) const override {
    return *cache_.get(static_cast<size_t>(id), [&] { return sample(id).image(); });
  }
  std::string stamp() const override {
    std::string out = format_ + "\n";
    for (const Sample& sample : samples_) out += sample.name(root_) + " " + file_stamp(sample.path());
    return out;
  }

 private:
  const Sample& sample(int64_t id) const { return samples_.at(static_cast<size_t>(id)); }
  /// Label id; samples without label are one more group.
  size_t group(int64_t id) const { return static_cast<size_t>(label(id) < 0 ? 0 : label(id)); }

  std::vector<PartitionCounts> counts_per_label(const DirectoryKeys& keys) const {
    std::vector<int64_t> sizes(std::max<size_t>(labels_.size(), 1));
    for (int64_t i = 0; i < size(); ++i) ++sizes[group(i)];
    const int64_t smallest = *std::min_element(sizes.begin(), sizes.end());
    const bool takes_rest = keys.test == kTheRest || keys.learn + keys.validation + keys.test >= 1 - 1e-9;
    const double test = takes_rest ? std::max(0.0, 1 - keys.learn - keys.validation) : keys.test;
    std::vector<PartitionCounts> out;
    for (const int64_t n : sizes) {
      PartitionCounts counts =
          partition_counts(keys.equiv_label ? smallest : n, keys.learn, keys.validation, test);
      if (takes_rest) counts.test = n - counts.learn - counts.validation;
      out.push_back(counts);
    }
    return out;
  }
  PartitionCounts counts_of_all(const DirectoryKeys& keys, const LoadArgs& args) const {
    PartitionCounts out{whole("Learn", keys.learn, args), whole("Validation", keys.validation, args), 0};
    out.test = keys.test == kTheRest ? std::max(int64_t{0}, size() - out.learn - out.validation)
                                     : whole("Test", keys.test, args);
    if (out.learn + out.validation + out.test > size())
      args.fail("Learn",
                fmt::format("Learn: expected at most {} samples in Learn, Validation and Test, got {}",
                            size(), out.learn + out.validation + out.test));
    return out;
  }
  static int64_t whole(const char* key, double value, const LoadArgs& args) {
    if (value != std::floor(value) || value > 1e12)
      args.fail(key, fmt::format("{}: expected a number of samples, got '{}'", key, print_real(value)),
                "PerLabelPartitioning=0 counts samples; fractions need PerLabelPartitioning=1");
    return static_cast<int64_t>(value);
  }

  fs::path root_;
  /// How files of numbers are read.
  std::string format_;
  std::vector<Sample> samples_;
  std::vector<int> label_of_;
  mutable PictureCache cache_;
};

void check(const DirectoryKeys& keys, const LoadArgs& args) {
  if (!keys.load_more.empty()) args.unsupported("LoadMore", "one tree per database");
  if (!keys.roi_file.empty()) args.unsupported("ROIFile", "annotations inside pictures are not read");
  if (!keys.roi_dir.empty()) args.unsupported("ROIDir", "annotations inside pictures are not read");
  if (keys.roi_extension != "json")
    args.unsupported("ROIExtension", "annotations inside pictures are not read");
  const double sum = keys.learn + keys.validation + std::max(0.0, keys.test);
  if (keys.per_label && sum > 1 + 1e-9)
    args.fail("Learn",
              fmt::format("Learn: expected fractions with Learn + Validation + Test <= 1, got {:g}", sum),
              "counts of samples need PerLabelPartitioning=0");
}

std::unique_ptr<Database> load(const DirectoryKeys& keys, const LoadArgs& args) {
  check(keys, args);
  const fs::path root = args.data_path(keys.data_path, {});
  std::error_code ignored;
  if (!fs::is_directory(root, ignored) && !fs::is_regular_file(root, ignored))
    args.fail("DataPath", fmt::format("DataPath: no folder '{}'", root.string()), args.root_hint());
  std::vector<FoundFile> files;
  try {
    files = find_files(root, {keys.depth, keys.ignore_masks, keys.valid_extensions});
  } catch (const fs::filesystem_error& e) {
    args.fail("DataPath",
              fmt::format("DataPath: '{}' cannot be searched: {}", e.path1().string(), e.code().message()));
  }
  if (files.empty())
    args.fail("DataPath", fmt::format("DataPath: no file to load found in '{}'", root.string()),
              fmt::format("Depth={} levels of folders, ValidExtensions='{}', IgnoreMasks='{}'", keys.depth,
                          join(keys.valid_extensions, " "), join(keys.ignore_masks, " ")));
  return std::make_unique<DirectoryDatabase>(samples_of(std::move(files), args.common.array_format()), keys,
                                             args);
}

}  // namespace

void register_directory(DatabaseRegistry& registry);
void register_directory(DatabaseRegistry& registry) {
  registry.add("DIR_Database",
               database_type<DirectoryKeys>("a tree of files, pictures or arrays, folders are labels", load));
}

}  // namespace n2d2::data
