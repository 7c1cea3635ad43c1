// ImageNet of the 2012 challenge: train/<synset>/ folders, val/ pictures with a list of labels.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <sstream>

#include "n2d2/base/log.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/base/text.hpp"

#include "database/database_type.hpp"
#include "database/partition.hpp"
#include "files/file_stamp.hpp"
#include "files/mat.hpp"
#include "files/sample_files.hpp"

namespace n2d2::data {

namespace {

namespace fs = std::filesystem;

struct IlsvrcKeys {
  double learn = 0;
  bool use_validation_for_test = true, background_class = false;
  std::string data_path, label_path;

  template <class V>
  static void fields(V&& v) {
    using K = IlsvrcKeys;
    v("Learn", &K::learn, required, at_least(0), at_most(1),
      help("fraction of train/; the rest is for Test"));
    v("UseValidationForTest", &K::use_validation_for_test, help("val/ is Validation and Test"));
    v("BackgroundClass", &K::background_class, help("label \"background\" with id 0 before the synsets"));
    v("DataPath", &K::data_path,
      help("folder with train/, val/, val.txt; default ILSVRC2012 of the data root"));
    v("LabelPath", &K::label_path, help("file of synsets, one a class; default ILSVRC2012/synsets.txt"));
  }
};

/// The words of a text file and the lines they stand in.
struct Word {
  std::string text;
  int line = 0;
};

std::vector<Word> words_of(const fs::path& file, const char* key, const LoadArgs& args) {
  constexpr int64_t kLargest = int64_t{1} << 30;
  std::istringstream in;
  try {
    in.str(read_text_file(file, kLargest));
  } catch (const FileError& error) {
    const bool is_missing = error.reason == "no such file";
    args.fail(key,
              is_missing ? fmt::format("{}: no file '{}'", key, file.string())
                         : fmt::format("{}: '{}': {}", key, file.string(), error.reason),
              args.root_hint());
  }
  std::vector<Word> out;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    std::istringstream parts(line);
    for (std::string word; parts >> word;) out.push_back({word, number});
  }
  return out;
}

class Ilsvrc2012Database final : public Database {
 public:
  Ilsvrc2012Database(const IlsvrcKeys& keys, const LoadArgs& args)
      : root_(args.data_path(keys.data_path, "ILSVRC2012")), is_upright_(args.common.exif_orientation) {
    if (keys.background_class) labels_.push_back("background");
    const int first = static_cast<int>(labels_.size());
    for (Word& word :
         words_of(args.data_path(keys.label_path, "ILSVRC2012/synsets.txt"), "LabelPath", args)) {
      if (!synsets_.emplace(word.text, static_cast<int>(labels_.size())).second)
        args.fail("LabelPath", fmt::format("LabelPath: line {} names '{}' again", word.line, word.text));
      labels_.push_back(std::move(word.text));
    }
    if (static_cast<int>(labels_.size()) == first)
      args.fail("LabelPath", "LabelPath: expected synsets, the file is empty");
    read_train(keys, args);
    read_val(keys, first, args);
    if (samples_.empty())
      args.fail("DataPath",
                fmt::format("DataPath: neither train/ nor val/ of '{}' has a picture", root_.string()),
                args.root_hint());
    is_told_ = std::vector<std::atomic<bool>>(samples_.size());
  }

  int64_t size() const override { return static_cast<int64_t>(samples_.size()); }
  std::string name(int64_t id) const override { return sample(id).path; }
  int label(int64_t id) const override { return sample(id).label; }
  Image image(int64_t id) const override {
    std::vector<std::string> remarks;
    Image out = read_picture(root_ / sample(id).path, is_upright_, &remarks);
    if (!remarks.empty() && !is_told_[static_cast<size_t>(id)].exchange(true))
      for (const std::string& remark : remarks) log::warn("{}", remark);
    return out;
  }
  std::string stamp() const override {
    std::string out = is_upright_ ? "" : "as stored\n";
    for (const Sample& sample : samples_) out += file_stamp(root_ / sample.path);
    return out;
  }

 private:
  struct Sample {
    std::string path;  // below the root
    int label = -1;
  };
  const Sample& sample(int64_t id) const { return samples_.at(static_cast<size_t>(id)); }

  /// Folders that are no synset are skipped, with a warning; train/ itself may be missing.
  void read_train(const IlsvrcKeys& keys, const LoadArgs& args) {
    const fs::path train = root_ / "train";
    std::error_code ignored;
    if (!fs::is_directory(train, ignored)) return;
    std::vector<std::string> found;
    std::string unknown;
    LeftByOthers left;
    const auto is_left = [&](const fs::path& path) {
      if (!is_left_by_others(path)) return false;
      left.add(path);
      return true;
    };
    for (const auto& folder : fs::directory_iterator(train)) {
      if (is_left(folder.path())) continue;
      const std::string synset = folder.path().filename().string();
      if (!folder.is_directory()) continue;
      if (!synsets_.contains(synset)) {
        unknown = unknown.empty() || synset < unknown ? synset : unknown;
        continue;
      }
      for (const auto& file : fs::directory_iterator(folder.path()))
        if (!is_left(file.path()) && file.is_regular_file())
          found.push_back("train/" + synset + "/" + file.path().filename().string());
    }
    left.say("[database] DataPath");
    if (!unknown.empty())
      log::warn("[database] train/{} is no synset of LabelPath; such folders are left out", unknown);
    std::sort(found.begin(), found.end());
    for (std::string& path : found) {
      const std::string synset = path.substr(6, path.find('/', 6) - 6);
      samples_.push_back({std::move(path), synsets_.at(synset)});
    }
    const PartitionCounts counts = partition_counts(size(), keys.learn, 0, 1 - keys.learn);
    draw(
        draw_order(size(), args.common.random_partitioning, args.context.seed),
        [](int64_t) { return size_t{0}; }, {counts}, partitions_);
  }

  void read_val(const IlsvrcKeys& keys, int first, const LoadArgs& args) {
    std::error_code ignored;
    const fs::path list = root_ / "val.txt";
    if (!fs::exists(list, ignored) && !fs::exists(root_ / "val", ignored) && !samples_.empty()) return;
    const std::vector<Word> words = words_of(list, "DataPath", args);
    for (size_t i = 0; i < words.size(); i += 2) {
      const auto where = fmt::format("{}:{}", list.string(), words[i].line);
      if (i + 1 == words.size() || words[i + 1].line != words[i].line)
        args.fail("DataPath", fmt::format("{}: expected a file and the id of its class", where));
      const auto id = parse_integer(words[i + 1].text);
      if (!id || *id < 0 || *id >= static_cast<int64_t>(labels_.size()) - first)
        args.fail("DataPath",
                  fmt::format("{}: expected the id of a class, 0 .. {}, got '{}'", where,
                              labels_.size() - static_cast<size_t>(first) - 1, words[i + 1].text));
      const int64_t sample = size();
      samples_.push_back({"val/" + words[i].text, first + static_cast<int>(*id)});
      partitions_[static_cast<size_t>(Partition::Validation)].push_back(sample);
      if (keys.use_validation_for_test) partitions_[static_cast<size_t>(Partition::Test)].push_back(sample);
    }
    if (keys.use_validation_for_test && !words.empty())
      log::warn(
          "[database] Validation and Test hold the same pictures: a network chosen or calibrated on the "
          "one is scored on what it was chosen on");
  }

  fs::path root_;
  bool is_upright_;
  std::map<std::string, int> synsets_;
  std::vector<Sample> samples_;
  /// By sample: what is odd about the picture was said.
  mutable std::vector<std::atomic<bool>> is_told_;
};

std::unique_ptr<Database> load(const IlsvrcKeys& keys, const LoadArgs& args) {
  return std::make_unique<Ilsvrc2012Database>(keys, args);
}

}  // namespace

void register_ilsvrc2012(DatabaseRegistry& registry);
void register_ilsvrc2012(DatabaseRegistry& registry) {
  registry.add("ILSVRC2012_Database",
               database_type<IlsvrcKeys>("ImageNet 2012: train/<synset>/ and val/ with val.txt", load));
}

}  // namespace n2d2::data
