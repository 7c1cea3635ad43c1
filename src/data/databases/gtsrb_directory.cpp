// German traffic signs: Final_Training/Images/<class> and Final_Test/Images, each with a table of rectangles
// and classes.
#include <algorithm>
#include <array>
#include <filesystem>

#include "n2d2/base/text.hpp"

#include "database/database_type.hpp"
#include "database/file_database.hpp"
#include "database/partition.hpp"
#include "files/table_file.hpp"

namespace n2d2::data {

namespace {

namespace fs = std::filesystem;

constexpr int kClasses = 43;
constexpr const char* kType = "GTSRB_DIR_Database";

struct GtsrbKeys {
  double validation = 0;
  bool extract_rois = false;
  std::string data_path;
  template <class V>
  static void fields(V&& v) {
    using K = GtsrbKeys;
    v("Validation", &K::validation, at_least(0), at_most(1), help("part of the training set"));
    v("ExtractROIs", &K::extract_rois, help("pictures are cut to the rectangle of their sign"));
    v("DataPath", &K::data_path,
      help("folder with Final_Training, Final_Test and GT-final_test.csv; empty: GTSRB below the data root"));
  }
};

struct Sign {
  std::string file;
  Roi roi;
  int cls = -1;
};

/// `Filename;Width;Height;Roi.X1;Roi.Y1;Roi.X2;Roi.Y2;ClassId` of one line, corner 2 outside of the sign.
Sign read_sign(const fs::path& table, const TableLine& line) {
  const auto fail = [&](const std::string& what) {
    throw ConfigError(fmt::format("{}: {}", place(table, line), what));
  };
  constexpr size_t kWords = 8;
  if (line.words.size() == kWords - 1)
    fail("expected 8 columns, found 7: the table of the test pictures without classes is for contestants");
  if (line.words.size() != kWords)
    fail(fmt::format(
        "expected 8 columns (Filename;Width;Height;Roi.X1;Roi.Y1;Roi.X2;Roi.Y2;ClassId), found {}",
        line.words.size()));
  std::array<int, kWords - 1> numbers{};
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto value = parse_whole(line.words[i + 1]);
    if (!value || *value > INT32_MAX)
      fail(fmt::format("expected an integer >= 0, got '{}'", line.words[i + 1]));
    numbers[i] = static_cast<int>(*value);
  }
  const auto [width, height, x1, y1, x2, y2, cls] = numbers;
  if (x2 <= x1 || y2 <= y1 || x2 > width || y2 > height)
    fail(fmt::format("expected a rectangle inside of {}x{} pixels, got {} {} {} {}", width, height, x1, y1,
                     x2, y2));
  if (cls >= kClasses) fail(fmt::format("expected a class of 0 to {}, got {}", kClasses - 1, cls));
  return {line.words.front(), {x1, y1, x2 - x1, y2 - y1, cls}, cls};
}

class Loader {
 public:
  Loader(const GtsrbKeys& keys, const LoadArgs& args)
      : keys_(keys), args_(args), root_(args.data_path(keys.data_path, "GTSRB")) {}

  std::unique_ptr<Database> run() {
    for (int cls = 0; cls < kClasses; ++cls) out_->label_id(std::to_string(cls));
    add_training();
    const int64_t train = out_->size();
    draw(
        draw_order(train, args_.common.random_partitioning, args_.context.seed),
        [](int64_t) { return size_t{0}; },
        {partition_counts(train, 1 - keys_.validation, keys_.validation, 0)}, out_->partitions());
    add_test();
    for (int64_t id = train; id < out_->size(); ++id) out_->partitions()[2].push_back(id);
    return std::move(out_);
  }

 private:
  void add_training() {
    const fs::path images = root_ / "Final_Training" / "Images";
    std::error_code ignored;
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(images, ignored))
      if (entry.is_directory(ignored) && !is_left_by_others(entry.path())) folders.push_back(entry.path());
    if (folders.empty())
      args_.fail("DataPath", fmt::format("DataPath: no folder of a class in '{}'", images.string()),
                 args_.root_hint(kType));
    std::sort(folders.begin(), folders.end());
    for (const fs::path& folder : folders)
      add(folder, folder / fmt::format("GT-{}.csv", folder.filename().string()));
  }

  void add_test() {
    const fs::path images = root_ / "Final_Test" / "Images";
    for (const fs::path& folder : {root_, root_ / "Final_Test", images}) {
      std::error_code ignored;
      if (fs::is_regular_file(folder / "GT-final_test.csv", ignored))
        return add(images, folder / "GT-final_test.csv");
    }
    args_.fail("DataPath",
               fmt::format("DataPath: 'GT-final_test.csv' is neither in '{}' nor in its Final_Test/Images",
                           root_.string()),
               args_.root_hint(kType));
  }

  /// The pictures that a table lists. A picture that is not there is found when it is read.
  void add(const fs::path& folder, const fs::path& table) {
    constexpr int kHeaderLines = 1;
    const size_t before = static_cast<size_t>(out_->size());
    for (const TableLine& line : read_table(table, kHeaderLines)) {
      const Sign sign = read_sign(table, line);
      const int64_t id = out_->add(Sample(std::make_shared<const FoundFile>(
                                       FoundFile{folder / sign.file, {}, {}, args_.common.exif_orientation})),
                                   root_, sign.cls);
      if (keys_.extract_rois) out_->add_roi(id, sign.roi);
    }
    if (static_cast<size_t>(out_->size()) == before)
      throw ConfigError(fmt::format("{}: expected a line for each picture, found none", table.string()));
  }

  const GtsrbKeys& keys_;
  const LoadArgs& args_;
  fs::path root_;
  std::unique_ptr<FileDatabase> out_ = std::make_unique<FileDatabase>();
};

std::unique_ptr<Database> load(const GtsrbKeys& keys, const LoadArgs& args) {
  return Loader(keys, args).run();
}

}  // namespace

void register_gtsrb_directory(DatabaseRegistry& registry);
void register_gtsrb_directory(DatabaseRegistry& registry) {
  registry.add(kType,
               database_type<GtsrbKeys>("photographs of 43 German traffic signs, with rectangles", load));
}

}  // namespace n2d2::data
