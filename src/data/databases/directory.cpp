// A tree of picture files, or files of arrays, whose folders are the labels; annotated rectangles in files of
// text.
#include <algorithm>
#include <filesystem>
#include <map>

#include "n2d2/base/log.hpp"

#include "database/database_type.hpp"
#include "database/file_database.hpp"
#include "database/label_partition.hpp"
#include "database/load_more.hpp"
#include "files/channel_files.hpp"
#include "files/roi_file.hpp"

namespace n2d2::data {

namespace {

namespace fs = std::filesystem;

struct DirectoryKeys {
  static constexpr bool kTakesChannelFiles = true;
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
    v("LoadMore", &K::load_more,
      help("section with the same keys whose files are loaded and partitioned after"));
    v("ROIFile", &K::roi_file, help("file of lines 'name x1 y1 x2 y2 label': rectangles of pictures"));
    v("ROIDir", &K::roi_dir, help("folder of such files"));
    v("ROIExtension", &K::roi_extension, help("what their names end in: csv, dat or txt"));
  }

  PartitionRules partition() const { return {learn, validation, test, per_label, equiv_label}; }
};

/// Rectangles on their way to the samples they name.
class Annotations {
 public:
  Annotations(FileDatabase& database, int64_t first) : database_(database) {
    for (int64_t id = first; id < database.size(); ++id) {
      by_name_.emplace(database.name(id), id);
      const auto [at, fresh] = by_file_.emplace(database.path(id).filename().generic_string(), id);
      if (!fresh) at->second = kSeveral;
    }
  }

  void add(const fs::path& file) {
    for (RoiLine& line : read_rois(file)) {
      const int64_t id = find(line.sample);
      if (id == kSeveral)
        throw ConfigError(
            fmt::format("{}:{}: several files are called '{}'", file.string(), line.number, line.sample), {},
            "the path below DataPath tells them apart");
      if (id == kNone) {
        if (strangers_++ == 0) stranger_ = fmt::format("{}:{} '{}'", file.string(), line.number, line.sample);
        continue;
      }
      line.roi.label = database_.label_id(line.label);
      database_.add_roi(id, line.roi);
    }
  }

  /// Says how many rectangles belong to no sample.
  void finish(const std::string& subject) const {
    if (strangers_ > 0)
      log::warn("{} {} rectangles belong to pictures that are not loaded, the first: {}", subject, strangers_,
                stranger_);
  }

 private:
  static constexpr int64_t kNone = -1, kSeveral = -2;
  int64_t find(const std::string& name) const {
    const fs::path path(name);
    if (const auto at = by_name_.find(path.lexically_normal().generic_string()); at != by_name_.end())
      return at->second;
    const auto at = by_file_.find(path.filename().generic_string());
    return at == by_file_.end() || path.has_parent_path() ? kNone : at->second;
  }

  FileDatabase& database_;
  std::map<std::string, int64_t> by_name_, by_file_;
  int64_t strangers_ = 0;
  std::string stranger_;
};

std::vector<FoundFile> files_of(const fs::path& root, const FileFilter& filter, const char* key,
                                const LoadArgs& args) {
  try {
    LeftByOthers left;
    auto out = find_files(root, filter, &left);
    left.say(fmt::format("{} {}", args.keys.subject(), key));
    return out;
  } catch (const fs::filesystem_error& e) {
    args.fail(key,
              fmt::format("{}: '{}' cannot be searched: {}", key, e.path1().string(), e.code().message()));
  }
}

constexpr const char* kNoJson =
    "a line of such a file is 'name x1 y1 x2 y2 label'; JSON, the default, has no form that all tools agree "
    "on";

void check(const DirectoryKeys& keys, const LoadArgs& args) {
  check_fractions(keys.partition(), args);
  const bool is_text =
      keys.roi_extension == "csv" || keys.roi_extension == "dat" || keys.roi_extension == "txt";
  if (!keys.roi_dir.empty() && !is_text)
    args.fail(
        "ROIExtension",
        fmt::format("ROIExtension: '{}' is not supported, expected csv, dat or txt", keys.roi_extension),
        kNoJson);
  if (fs::path(keys.roi_file).extension() == ".json")
    args.fail("ROIFile", fmt::format("ROIFile: '{}' is JSON, expected csv, dat or txt", keys.roi_file),
              kNoJson);
  if (keys.roi_dir.empty() && args.keys.find("ROIExtension"))
    log::notice("{} ROIExtension: without ROIDir it changes nothing", args.keys.subject());
}

void annotate(const DirectoryKeys& keys, const LoadArgs& args, FileDatabase& database, int64_t first) {
  if (keys.roi_file.empty() && keys.roi_dir.empty()) return;
  Annotations annotations(database, first);
  std::error_code ignored;
  if (!keys.roi_file.empty()) {
    const fs::path file = expand_environment(keys.roi_file);
    if (!fs::exists(file, ignored)) args.fail("ROIFile", fmt::format("ROIFile: no file '{}'", file.string()));
    annotations.add(file);
  }
  if (!keys.roi_dir.empty()) {
    const fs::path folder = expand_environment(keys.roi_dir);
    if (!fs::is_directory(folder, ignored))
      args.fail("ROIDir", fmt::format("ROIDir: no folder '{}'", folder.string()));
    const auto files = files_of(folder, {-1, {}, {keys.roi_extension}}, "ROIDir", args);
    if (files.empty())
      args.fail("ROIDir",
                fmt::format("ROIDir: no file ending in '.{}' in '{}'", keys.roi_extension, folder.string()));
    for (const FoundFile& file : files) annotations.add(file.path);
  }
  annotations.finish(args.keys.subject());
}

std::string label_name(const DirectoryKeys& keys, const Sample& sample) {
  std::string label = keys.label_name;
  for (size_t i = 0; i < sample.folders().size() && static_cast<int>(i) < keys.label_depth; ++i)
    label += "/" + sample.folders()[i];
  return label;
}

/// Samples, labels, rectangles and partitions of one section.
void add_tree(const DirectoryKeys& keys, const LoadArgs& args, FileDatabase& database) {
  check(keys, args);
  const fs::path root = args.data_path(keys.data_path, {});
  std::error_code ignored;
  if (!fs::is_directory(root, ignored) && !fs::is_regular_file(root, ignored))
    args.fail("DataPath", fmt::format("DataPath: no folder '{}'", root.string()), args.root_hint());
  auto files = files_of(root, {keys.depth, keys.ignore_masks, keys.valid_extensions}, "DataPath", args);
  if (files.empty())
    args.fail("DataPath", fmt::format("DataPath: no file to load found in '{}'", root.string()),
              fmt::format("Depth={} levels of folders, ValidExtensions='{}', IgnoreMasks='{}'", keys.depth,
                          join(keys.valid_extensions, " "), join(keys.ignore_masks, " ")));
  if (!args.common.multi_channel_match.empty()) {
    try {
      files = group_channels(std::move(files), root,
                             {args.common.multi_channel_match, args.common.multi_channel_replace});
    } catch (const ConfigError& error) {
      const std::string message = error.findings().front().message;
      args.fail(message.substr(0, message.find(':')), message);
    }
  } else if (!args.common.multi_channel_replace.empty()) {
    args.fail("MultiChannelReplace", "MultiChannelReplace: expected MultiChannelMatch beside it");
  }
  const int64_t first = database.size();
  std::map<std::string, int> ids;
  for (Sample& sample :
       samples_of(std::move(files), args.common.array_format(), args.common.exif_orientation)) {
    int label = -1;
    if (keys.label_depth >= 0) {
      const auto [at, fresh] = ids.emplace(label_name(keys, sample), -1);
      if (fresh) at->second = database.label_id(at->first);
      label = at->second;
    }
    database.add(std::move(sample), root, label);
  }
  annotate(keys, args, database, first);
  draw_by_label(keys.partition(), args, database.label_of(), first, database.partitions());
}

std::unique_ptr<Database> load(const DirectoryKeys& keys, const LoadArgs& args) {
  auto out = std::make_unique<FileDatabase>();
  load_sections(keys, args, [&](const DirectoryKeys& k, const LoadArgs& a) { add_tree(k, a, *out); });
  if (keys.load_in_memory) out->keep_pictures();
  out->set_format(args.common.array_format());
  return out;
}

}  // namespace

void register_directory(DatabaseRegistry& registry);
void register_directory(DatabaseRegistry& registry) {
  registry.add("DIR_Database",
               database_type<DirectoryKeys>("a tree of files, pictures or arrays, folders are labels", load));
}

}  // namespace n2d2::data
