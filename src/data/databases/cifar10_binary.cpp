// CIFAR-10 in its binary batches, read in place: 1 label byte and 3 planes of 32x32, red, green, blue.
#include <filesystem>

#include "n2d2/base/log.hpp"

#include "container_file.hpp"
#include "database_type.hpp"
#include "file_stamp.hpp"
#include "partition.hpp"

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
    v("DataPath", &K::data_path,
      help("folder of the batches; empty: cifar-10-batches-bin below the data root"));
  }
};

constexpr int kLabels = 10, kSide = 32, kPlane = kSide * kSide, kRecord = 1 + 3 * kPlane;
constexpr int64_t kRecordsOfBatch = 10000;

struct CifarBatch {
  std::string name, stamp;
  std::vector<uint8_t> bytes;
  int64_t first = 0;  // id of its first record
  int64_t count() const { return static_cast<int64_t>(bytes.size()) / kRecord; }
};

CifarBatch load_batch(const std::filesystem::path& path) {
  CifarBatch batch{path.filename().string(), file_stamp(path), read_bytes(path), 0};
  if (batch.bytes.empty() || batch.bytes.size() % kRecord != 0)
    throw ConfigError(fmt::format("{}: expected {} bytes ({} records of {}), found {} bytes", path.string(),
                                  kRecordsOfBatch * kRecord, kRecordsOfBatch, kRecord, batch.bytes.size()));
  for (int64_t i = 0; i < batch.count(); ++i)
    if (batch.bytes[static_cast<size_t>(i * kRecord)] >= kLabels)
      throw ConfigError(fmt::format("{}: label of record {} is {}, expected 0 to {}", path.string(), i,
                                    batch.bytes[static_cast<size_t>(i * kRecord)], kLabels - 1));
  if (batch.count() != kRecordsOfBatch)
    log::notice("{}: {} records instead of {}", path.string(), batch.count(), kRecordsOfBatch);
  return batch;
}

std::vector<std::string> load_labels(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    log::notice("{}: not found, the usual label names are used", path.string());
    return {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
  }
  const std::vector<uint8_t> bytes = read_bytes(path);
  std::vector<std::string> names;
  for (const std::string& line : split(std::string(bytes.begin(), bytes.end()), '\n'))
    if (const std::string_view name = trim(line); !name.empty()) names.emplace_back(name);
  if (names.size() != kLabels)
    throw ConfigError(
        fmt::format("{}: expected {} label names, found {}", path.string(), kLabels, names.size()));
  return names;
}

class Cifar10Database final : public Database {
 public:
  Cifar10Database(std::vector<CifarBatch> train, CifarBatch test, std::vector<std::string> labels,
                  const Cifar10Keys& keys, const LoadArgs& args)
      : batches_(std::move(train)) {
    labels_ = std::move(labels);
    int64_t first = 0;
    for (CifarBatch& batch : batches_) first = (batch.first = first) + batch.count();
    test.first = first;
    draw(
        draw_order(first, args.common.random_partitioning, args.context.seed),
        [](int64_t) { return size_t{0}; }, {partition_counts(first, 1 - keys.validation, keys.validation, 0)},
        partitions_);
    for (int64_t i = 0; i < test.count(); ++i) {
      if (keys.use_test_for_validation) partitions_[1].push_back(first + i);
      partitions_[2].push_back(first + i);
    }
    batches_.push_back(std::move(test));
  }
  int64_t size() const override { return batches_.back().first + batches_.back().count(); }
  std::string name(int64_t id) const override {
    const CifarBatch& batch = batch_of(id);
    return fmt::format("{}[{:05}]", batch.name, id - batch.first);
  }
  int label(int64_t id) const override { return *record(id); }
  Image image(int64_t id) const override {
    const uint8_t* red = record(id) + 1;
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
    return batch.bytes.data() + (id - batch.first) * kRecord;
  }
  std::vector<CifarBatch> batches_;
};

std::vector<CifarBatch> load_training(const LoadArgs& args, const std::filesystem::path& folder) {
  std::vector<CifarBatch> out;
  std::vector<std::string> missing;
  for (int i = 1; i <= 5; ++i) {
    const std::string name = fmt::format("data_batch_{}.bin", i);
    const auto path = first_existing(folder, {name, name + ".gz"});
    if (path.empty())
      missing.push_back(name);
    else
      out.push_back(load_batch(path));
  }
  if (out.empty())
    args.fail("DataPath",
              fmt::format("DataPath: no training batch ('data_batch_1.bin' to 'data_batch_5.bin') found "
                          "in '{}'",
                          folder.string()),
              args.root_hint());
  if (!missing.empty())
    log::notice("{} CIFAR10_Database: {} not found in '{}'; the Learn partition is smaller for it",
                args.keys.subject(), join(missing, ", "), folder.string());
  return out;
}

std::unique_ptr<Database> load(const Cifar10Keys& keys, const LoadArgs& args) {
  if (keys.use_test_for_validation && keys.validation > 0)
    args.fail("Validation", fmt::format("Validation: expected 0 with UseTestForValidation=1, got {}",
                                        print_real(keys.validation)));
  const std::filesystem::path folder = args.data_path(keys.data_path, "cifar-10-batches-bin");
  auto train = load_training(args, folder);
  const auto test_path = first_existing(folder, {"test_batch.bin", "test_batch.bin.gz"});
  if (test_path.empty())
    args.fail("DataPath", fmt::format("DataPath: 'test_batch.bin' not found in '{}'", folder.string()),
              args.root_hint());
  if (keys.use_test_for_validation)
    log::warn(
        "{} UseTestForValidation: Validation and Test hold the same pictures; a score on Test is optimistic",
        args.keys.subject());
  return std::make_unique<Cifar10Database>(std::move(train), load_batch(test_path),
                                           load_labels(folder / "batches.meta.txt"), keys, args);
}

}  // namespace

void register_cifar10_binary(DatabaseRegistry& registry);
void register_cifar10_binary(DatabaseRegistry& registry) {
  registry.add("CIFAR10_Database",
               database_type<Cifar10Keys>("32x32x3 photographs, ten classes, binary batches", load));
}

}  // namespace n2d2::data
