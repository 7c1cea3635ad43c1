// Tables of text: a sample a line, one column is its label.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "n2d2/base/text.hpp"

#include "database/database_type.hpp"
#include "database/label_partition.hpp"
#include "database/load_more.hpp"
#include "files/sample_files.hpp"
#include "files/table_file.hpp"

namespace n2d2::data {

namespace {

namespace fs = std::filesystem;

struct CsvKeys {
  std::string data_path, load_more;
  double learn = 0.6, validation = 0.2, test = kTheRest;
  bool per_label = true, equiv_label = true;
  int label_column = -1, header_lines = 0;

  template <class V>
  static void fields(V&& v) {
    using K = CsvKeys;
    v("DataPath", &K::data_path, required, help("file, or folder of .csv, .dat and .txt files"));
    v("Learn", &K::learn, at_least(0), help("fraction per label; a count if PerLabelPartitioning=0"));
    v("Validation", &K::validation, at_least(0),
      help("fraction per label; a count if PerLabelPartitioning=0"));
    v("Test", &K::test, at_least(0), help("same unit; absent (-1): all the rest"));
    v("PerLabelPartitioning", &K::per_label, help("0: Learn, Validation, Test are counts over all labels"));
    v("EquivLabelPartitioning", &K::equiv_label, help("same counts for all labels, from the smallest one"));
    v("LabelColumn", &K::label_column, help("column of the label, from 0; negative: from the end"));
    v("NbHeaderLines", &K::header_lines, at_least(0), help("lines before the first sample"));
    v("LoadMore", &K::load_more,
      help("section with the same keys whose samples are loaded and partitioned after"));
  }

  PartitionRules partition() const { return {learn, validation, test, per_label, equiv_label}; }
};

class CsvDatabase final : public Database {
 public:
  void add_file(const fs::path& path, const CsvKeys& keys) {
    files_.push_back(path.filename().string());
    const auto lines = read_table(path, keys.header_lines);
    if (lines.empty()) throw ConfigError(fmt::format("{}: no line with a sample", path.string()));
    for (const TableLine& line : lines) add_line(path, line, keys);
  }
  std::array<std::vector<int64_t>, 3>& partitions() { return partitions_; }
  const std::vector<int>& label_of() const { return label_of_; }
  void set_shape(const std::vector<int>& shape, const LoadArgs& args) {
    shape_ = shape.empty() ? std::vector{1, 1, static_cast<int>(columns_)} : shape;
    if (static_cast<size_t>(shape_[0]) * static_cast<size_t>(shape_[1]) * static_cast<size_t>(shape_[2]) !=
        columns_)
      args.fail(
          "SampleShape",
          fmt::format("SampleShape: expected channels, height and width of {} numbers, which a line has "
                      "besides its label, got {} {} {}",
                      columns_, shape_[0], shape_[1], shape_[2]));
  }

  int64_t size() const override { return static_cast<int64_t>(label_of_.size()); }
  std::string name(int64_t id) const override {
    const Place& at = places_.at(static_cast<size_t>(id));
    return fmt::format("{}:{}", files_[at.file], at.line);
  }
  int label(int64_t id) const override { return label_of_.at(static_cast<size_t>(id)); }
  Image image(int64_t id) const override {
    N2D2_CHECK(id >= 0 && id < size(), "sample {} of {}", id, size());
    Image out(shape_[2], shape_[1], shape_[0], DataType::F32);
    const auto channels = static_cast<size_t>(shape_[0]), pixels = columns_ / channels;
    const float* from = numbers_.data() + static_cast<size_t>(id) * columns_;
    for (size_t c = 0; c < channels; ++c)
      for (size_t i = 0; i < pixels; ++i) out.span<float>()[i * channels + c] = *from++;
    return out;
  }

 private:
  struct Place {
    size_t file;
    int line;
  };

  void add_line(const fs::path& path, const TableLine& line, const CsvKeys& keys) {
    const auto fail = [&](const std::string& what, const std::string& hint = {}) {
      throw ConfigError(fmt::format("{}: {}", place(path, line), what), {}, hint);
    };
    const auto count = static_cast<int64_t>(line.words.size());
    const int64_t label = keys.label_column < 0 ? count + keys.label_column : keys.label_column;
    if (count < 2) fail("expected numbers and a label, found one word");
    if (columns_ != 0 && line.words.size() != columns_ + 1)
      fail(fmt::format("expected {} columns as in the lines before, found {}", columns_ + 1, count));
    if (label < 0 || label >= count)
      fail(fmt::format("expected a label in column {} (LabelColumn), found {} columns", keys.label_column,
                       count));
    columns_ = line.words.size() - 1;
    for (int64_t i = 0; i < count; ++i) {
      if (i == label) continue;
      const std::string& word = line.words[static_cast<size_t>(i)];
      const auto value = parse_real(word);
      if (!value || !std::isfinite(static_cast<float>(*value)))
        fail(fmt::format("expected a number in column {}, got '{}'", i, word),
             label_of_.empty()
                 ? "NbHeaderLines leaves out lines at the top, LabelColumn says which column is text"
                 : "");
      numbers_.push_back(static_cast<float>(*value));
    }
    const std::string& name = line.words[static_cast<size_t>(label)];
    const auto [at, fresh] = ids_.emplace(name, -1);
    if (fresh) at->second = label_id(name);
    label_of_.push_back(at->second);
    places_.push_back({files_.size() - 1, line.number});
  }

  std::vector<std::string> files_;
  std::vector<Place> places_;
  std::vector<int> label_of_;
  std::vector<float> numbers_;
  std::map<std::string, int> ids_;
  std::vector<int> shape_;
  size_t columns_ = 0;
};

void add_table(const CsvKeys& keys, const LoadArgs& args, CsvDatabase& database) {
  check_fractions(keys.partition(), args);
  const fs::path root = args.data_path(keys.data_path, {});
  std::error_code ignored;
  if (!fs::exists(root, ignored))
    args.fail("DataPath", fmt::format("DataPath: no file or folder '{}'", root.string()), args.root_hint());
  const int64_t first = database.size();
  std::vector<FoundFile> files;
  try {
    files = find_files(root, {0, {}, {"csv", "dat", "txt"}});
  } catch (const fs::filesystem_error& e) {
    args.fail("DataPath",
              fmt::format("DataPath: '{}' cannot be searched: {}", e.path1().string(), e.code().message()));
  }
  if (files.empty())
    args.fail("DataPath", fmt::format("DataPath: no .csv, .dat or .txt file in '{}'", root.string()));
  for (const FoundFile& file : files) database.add_file(file.path, keys);
  draw_by_label(keys.partition(), args, database.label_of(), first, database.partitions());
}

std::unique_ptr<Database> load(const CsvKeys& keys, const LoadArgs& args) {
  auto out = std::make_unique<CsvDatabase>();
  load_sections(keys, args, [&](const CsvKeys& k, const LoadArgs& a) { add_table(k, a, *out); });
  out->set_shape(args.common.sample_shape, args);
  return out;
}

}  // namespace

void register_csv(DatabaseRegistry& registry);
void register_csv(DatabaseRegistry& registry) {
  registry.add("CSV_Database",
               database_type<CsvKeys>("tables of text, a sample with its label a line", load));
}

}  // namespace n2d2::data
