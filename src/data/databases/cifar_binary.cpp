// CIFAR-10 and CIFAR-100 in their binary batches, read in place: label bytes and 3 planes of 32x32, red,
// green, blue.
#include <algorithm>
#include <filesystem>

#include "n2d2/base/log.hpp"
#include "n2d2/base/read_file.hpp"

#include "database/database_type.hpp"
#include "database/partition.hpp"
#include "files/container_file.hpp"
#include "files/file_stamp.hpp"

namespace n2d2::data {

namespace {

struct Cifar10Keys {
  double validation = 0;
  bool use_test_for_validation = false;
  std::string data_path;
  template <class V>
  static void fields(V&& v) {
    using K = Cifar10Keys;
    v("Validation", &K::validation, at_least(0), at_most(1), help("part of the training set"));
    v("UseTestForValidation", &K::use_test_for_validation,
      help("the test set also is the Validation partition"));
    v("DataPath", &K::data_path, help("folder of the batches; empty: below the data root"));
  }
};

struct Cifar100Keys : Cifar10Keys {
  bool use_coarse = false;
  template <class V>
  static void fields(V&& v) {
    Cifar10Keys::fields(v);
    v("UseCoarse", &Cifar100Keys::use_coarse,
      help("the 20 superclasses are the labels, not the 100 classes"));
  }
};

constexpr int kSide = 32, kPlane = kSide * kSide, kPixels = 3 * kPlane;

/// What one of the two sets is like.
struct CifarForm {
  std::string type, folder;
  std::vector<std::string> train;
  std::string test;
  int64_t train_records = 0, test_records = 0;  // of a whole file
  /// Bytes before the pixels, and which of them counts.
  int label_bytes = 1, label_byte = 0;
  int labels = 10;
  std::string names;                     // file of label names
  std::vector<std::string> usual_names;  // where there is none; empty: numbers

  int64_t record() const { return label_bytes + kPixels; }
};

struct CifarBatch {
  std::string name, stamp;
  std::vector<uint8_t> bytes;
  int64_t first = 0, count = 0;  // id of its first record
};

CifarBatch load_batch(const std::filesystem::path& path, const CifarForm& form, int64_t expected) {
  constexpr size_t kLargest = size_t{1} << 28;  // CIFAR-100 in one file is 154 MB
  CifarBatch batch{path.filename().string(), file_stamp(path), read_bytes(path, kLargest), 0, 0};
  const int64_t record = form.record(), bytes = static_cast<int64_t>(batch.bytes.size());
  batch.count = bytes / record;
  if (bytes == 0 || bytes % record != 0)
    throw ConfigError(fmt::format("{}: expected {} bytes ({} records of {}), found {} bytes", path.string(),
                                  expected * record, expected, record, bytes));
  for (int64_t i = 0; i < batch.count; ++i) {
    const int label = batch.bytes[static_cast<size_t>(i * record + form.label_byte)];
    if (label >= form.labels)
      throw ConfigError(fmt::format("{}: label of record {} is {}, expected 0 to {}", path.string(), i, label,
                                    form.labels - 1));
  }
  if (batch.count != expected)
    log::notice("{}: {} records instead of {}", path.string(), batch.count, expected);
  return batch;
}

std::vector<std::string> load_labels(const std::filesystem::path& path, const CifarForm& form) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    std::vector<std::string> names = form.usual_names;
    const bool are_numbers = names.empty();
    while (static_cast<int>(names.size()) < form.labels) names.push_back(std::to_string(names.size()));
    log::notice("{}: not found, {}", path.string(),
                are_numbers ? "labels are called by their numbers" : "the usual label names are used");
    return names;
  }
  constexpr size_t kLargest = size_t{1} << 16;
  const std::vector<uint8_t> bytes = read_bytes(path, kLargest);
  std::string text;
  try {
    text = plain_text({bytes.begin(), bytes.end()});
  } catch (const FileError& error) {
    throw ConfigError(fmt::format("{}: {}", path.string(), error.reason));
  }
  std::vector<std::string> names;
  for (const std::string& line : split(text, '\n'))
    if (const std::string_view name = trim(line); !name.empty()) names.emplace_back(name);
  if (static_cast<int>(names.size()) != form.labels)
    throw ConfigError(
        fmt::format("{}: expected {} label names, found {}", path.string(), form.labels, names.size()));
  return names;
}

class CifarDatabase final : public Database {
 public:
  CifarDatabase(CifarForm form, std::vector<CifarBatch> train, CifarBatch test,
                std::vector<std::string> labels, const Cifar10Keys& keys, const LoadArgs& args)
      : form_(std::move(form)), batches_(std::move(train)) {
    labels_ = std::move(labels);
    int64_t first = 0;
    for (CifarBatch& batch : batches_) first = (batch.first = first) + batch.count;
    test.first = first;
    draw(
        draw_order(first, args.common.random_partitioning, args.context.seed),
        [](int64_t) { return size_t{0}; }, {partition_counts(first, 1 - keys.validation, keys.validation, 0)},
        partitions_);
    for (int64_t i = 0; i < test.count; ++i) {
      if (keys.use_test_for_validation) partitions_[1].push_back(first + i);
      partitions_[2].push_back(first + i);
    }
    batches_.push_back(std::move(test));
  }
  int64_t size() const override { return batches_.back().first + batches_.back().count; }
  std::string name(int64_t id) const override {
    const CifarBatch& batch = batch_of(id);
    return fmt::format("{}[{:05}]", batch.name, id - batch.first);
  }
  int label(int64_t id) const override { return record(id)[form_.label_byte]; }
  Image image(int64_t id) const override {
    const uint8_t* red = record(id) + form_.label_bytes;
    Image out(kSide, kSide, 3);
    const auto pixels = out.span<uint8_t>();
    for (size_t i = 0; i < kPlane; ++i)
      for (size_t c = 0; c < 3; ++c) pixels[3 * i + c] = red[(2 - c) * kPlane + i];
    return out;
  }
  PictureForm form() const override { return {kSide, kSide, 3, DataType::U8}; }
  std::string stamp() const override {
    std::string out;
    for (const CifarBatch& batch : batches_) out += batch.stamp;
    return out;
  }

 private:
  const CifarBatch& batch_of(int64_t id) const {
    N2D2_CHECK(id >= 0 && id < size(), "sample {} of {}", id, size());
    size_t i = batches_.size() - 1;
    while (batches_[i].first > id) --i;
    return batches_[i];
  }
  const uint8_t* record(int64_t id) const {
    const CifarBatch& batch = batch_of(id);
    return batch.bytes.data() + (id - batch.first) * form_.record();
  }
  CifarForm form_;
  std::vector<CifarBatch> batches_;
};

std::vector<CifarBatch> load_training(const CifarForm& form, const LoadArgs& args,
                                      const std::filesystem::path& folder) {
  std::vector<CifarBatch> out;
  std::vector<std::string> missing;
  for (const std::string& name : form.train) {
    const auto path = first_existing(folder, {name, name + ".gz"});
    if (path.empty())
      missing.push_back(name);
    else
      out.push_back(load_batch(path, form, form.train_records));
  }
  if (out.empty())
    args.fail("DataPath",
              fmt::format("DataPath: no training batch ('{}'{}) found in '{}'", form.train.front(),
                          form.train.size() > 1 ? " to '" + form.train.back() + "'" : "", folder.string()),
              args.root_hint(form.type));
  if (!missing.empty())
    args.diagnostics.warn_key(
        args.keys.where(), fmt::format("{} {}: {} not found in '{}'; the Learn partition is smaller for it",
                                       args.keys.subject(), form.type, join(missing, ", "), folder.string()));
  return out;
}

std::unique_ptr<Database> load_form(CifarForm form, const Cifar10Keys& keys, const LoadArgs& args) {
  if (keys.use_test_for_validation && keys.validation > 0)
    args.fail("Validation", fmt::format("Validation: expected 0 with UseTestForValidation=1, got {}",
                                        print_real(keys.validation)));
  const std::filesystem::path folder = args.data_path(keys.data_path, form.folder);
  auto train = load_training(form, args, folder);
  const auto test_path = first_existing(folder, {form.test, form.test + ".gz"});
  if (test_path.empty())
    args.fail("DataPath", fmt::format("DataPath: '{}' not found in '{}'", form.test, folder.string()),
              args.root_hint(form.type));
  if (keys.use_test_for_validation)
    log::warn(
        "{} UseTestForValidation: Validation and Test hold the same pictures; a score on Test is optimistic",
        args.keys.subject());
  CifarBatch test = load_batch(test_path, form, form.test_records);
  auto labels = load_labels(folder / form.names, form);
  return std::make_unique<CifarDatabase>(std::move(form), std::move(train), std::move(test),
                                         std::move(labels), keys, args);
}

std::unique_ptr<Database> load_10(const Cifar10Keys& keys, const LoadArgs& args) {
  CifarForm form;
  form.type = "CIFAR10_Database";
  form.folder = "cifar-10-batches-bin";
  for (int i = 1; i <= 5; ++i) form.train.push_back(fmt::format("data_batch_{}.bin", i));
  form.test = "test_batch.bin";
  form.train_records = form.test_records = 10000;
  form.names = "batches.meta.txt";
  form.usual_names = {"airplane", "automobile", "bird",  "cat",  "deer",
                      "dog",      "frog",       "horse", "ship", "truck"};
  return load_form(std::move(form), keys, args);
}

/// A record begins with the superclass and the class.
std::unique_ptr<Database> load_100(const Cifar100Keys& keys, const LoadArgs& args) {
  CifarForm form;
  form.type = "CIFAR100_Database";
  form.folder = "cifar-100-binary";
  form.train = {"train.bin"};
  form.test = "test.bin";
  form.train_records = 50000;
  form.test_records = 10000;
  form.label_bytes = 2;
  form.label_byte = keys.use_coarse ? 0 : 1;
  form.labels = keys.use_coarse ? 20 : 100;
  form.names = keys.use_coarse ? "coarse_label_names.txt" : "fine_label_names.txt";
  return load_form(std::move(form), keys, args);
}

}  // namespace

void register_cifar_binary(DatabaseRegistry& registry);
void register_cifar_binary(DatabaseRegistry& registry) {
  registry.add("CIFAR10_Database",
               database_type<Cifar10Keys>("32x32x3 photographs, ten classes, binary batches", load_10));
  registry.add(
      "CIFAR100_Database",
      database_type<Cifar100Keys>("32x32x3 photographs, 100 classes of 20 kinds, binary files", load_100));
}

}  // namespace n2d2::data
