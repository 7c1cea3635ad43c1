// Handwritten digits and clothes in IDX containers, read in place, plain or gzip.
#include <algorithm>
#include <filesystem>

#include "database/database_type.hpp"
#include "database/partition.hpp"
#include "files/container_file.hpp"
#include "files/file_stamp.hpp"

namespace n2d2::data {

namespace {

struct MnistKeys {
  double validation = 0;
  std::string data_path;
  template <class V>
  static void fields(V&& v) {
    v("Validation", &MnistKeys::validation, at_least(0), at_most(1), help("part of the training set"));
    v("DataPath", &MnistKeys::data_path, help("folder of the four files; empty: below the data root"));
  }
};

constexpr int kMnistLabels = 10;
constexpr const char* kHandwriting = "MNIST_IDX_Database";
constexpr const char* kClothes = "Fashion_MNIST_IDX_Database";

/// One images file and its labels file.
struct IdxPart {
  std::string images_name, stamp;
  std::vector<uint8_t> images, labels;  // without headers
  int width = 0, height = 0;
  int64_t count = 0;
};

uint32_t big_endian(const std::vector<uint8_t>& bytes, size_t at) {
  return uint32_t{bytes[at]} << 24 | uint32_t{bytes[at + 1]} << 16 | uint32_t{bytes[at + 2]} << 8 |
         bytes[at + 3];
}

struct Idx {
  std::vector<int64_t> extents;
  std::vector<uint8_t> elements;
};

/// Checks magic number and extents before the rest is read. An IDX file starts with 0, 0, element type (8:
/// unsigned byte), rank, then each extent as a big-endian 32-bit number.
Idx read_idx(const std::filesystem::path& file, uint32_t magic) {
  const std::string path = file.string();
  const size_t rank = magic & 0xFFU;
  const size_t header = 4 + 4 * rank;
  const std::vector<uint8_t> head = read_head(file, header);
  if (head.size() < header)
    throw ConfigError(fmt::format("{}: expected at least {} bytes of IDX header, found {} bytes", path,
                                  header, head.size()));
  if (big_endian(head, 0) != magic)
    throw ConfigError(fmt::format("{}: expected IDX magic number {:#010x}, found {:#010x}", path, magic,
                                  big_endian(head, 0)));
  Idx out;
  uint64_t expected = 1;
  for (size_t i = 0; i < rank; ++i) {
    out.extents.push_back(big_endian(head, 4 + 4 * i));
    const bool fits =
        out.extents[i] > 0 && expected <= (uint64_t{1} << 40) / static_cast<uint64_t>(out.extents[i]);
    if (!fits)
      throw ConfigError(fmt::format("{}: extent {} of the IDX header is {}", path, i + 1, out.extents[i]));
    expected *= static_cast<uint64_t>(out.extents[i]);
  }
  // A file that is a little too long is told apart by its size.
  constexpr uint64_t kLeast = uint64_t{1} << 20, kMost = uint64_t{1} << 30;
  out.elements = read_bytes(file, std::clamp(expected + header, kLeast, kMost));
  if (out.elements.size() - header != expected)
    throw ConfigError(fmt::format("{}: expected {} bytes after the IDX header, found {}", path, expected,
                                  out.elements.size() - header));
  out.elements.erase(out.elements.begin(), out.elements.begin() + static_cast<std::ptrdiff_t>(header));
  return out;
}

std::filesystem::path find_file(const LoadArgs& args, const std::filesystem::path& folder,
                                const std::string& set, const std::string& kind, std::string_view type) {
  const std::string dashed = set + "-" + kind, dotted = set + "." + kind;
  const auto path = first_existing(folder, {dashed, dashed + ".gz", dotted, dotted + ".gz"});
  if (path.empty())
    args.fail("DataPath",
              fmt::format("DataPath: neither '{}' nor '{}' (also .gz) found in '{}'", dashed, dotted,
                          folder.string()),
              args.root_hint(type));
  return path;
}

IdxPart load_part(const LoadArgs& args, const std::filesystem::path& folder, const std::string& set,
                  std::string_view type) {
  const auto images_path = find_file(args, folder, set + "-images", "idx3-ubyte", type);
  const auto labels_path = find_file(args, folder, set + "-labels", "idx1-ubyte", type);
  IdxPart part;
  part.images_name = images_path.filename().string();
  part.stamp = file_stamp(images_path);
  Idx images = read_idx(images_path, 0x00000803);
  part.count = images.extents[0];
  part.height = static_cast<int>(images.extents[1]);
  part.width = static_cast<int>(images.extents[2]);
  part.images = std::move(images.elements);
  Idx classes = read_idx(labels_path, 0x00000801);
  const int64_t labels = classes.extents[0];
  part.labels = std::move(classes.elements);
  if (labels != part.count)
    throw ConfigError(fmt::format("{}: expected {} labels for the pictures of {}, found {}",
                                  labels_path.string(), part.count, part.images_name, labels));
  for (int64_t i = 0; i < labels; ++i)
    if (part.labels[static_cast<size_t>(i)] >= kMnistLabels)
      throw ConfigError(fmt::format("{}: label {} is {}, expected 0 to {}", labels_path.string(), i,
                                    part.labels[static_cast<size_t>(i)], kMnistLabels - 1));
  return part;
}

class MnistDatabase final : public Database {
 public:
  MnistDatabase(IdxPart train, IdxPart test, double validation, bool random, uint64_t seed)
      : parts_{std::move(train), std::move(test)} {
    for (int i = 0; i < kMnistLabels; ++i) labels_.push_back(std::to_string(i));
    draw(
        draw_order(parts_[0].count, random, seed), [](int64_t) { return size_t{0}; },
        {partition_counts(parts_[0].count, 1 - validation, validation, 0)}, partitions_);
    for (int64_t i = 0; i < parts_[1].count; ++i) partitions_[2].push_back(parts_[0].count + i);
  }
  int64_t size() const override { return parts_[0].count + parts_[1].count; }
  std::string name(int64_t id) const override {
    const auto [part, index] = locate(id);
    return fmt::format("{}[{:05}]", part.images_name, index);
  }
  int label(int64_t id) const override {
    const auto [part, index] = locate(id);
    return part.labels[static_cast<size_t>(index)];
  }
  Image image(int64_t id) const override {
    const auto [part, index] = locate(id);
    Image out(part.width, part.height, 1);
    std::copy_n(part.images.begin() + index * out.elements(), out.elements(), out.span<uint8_t>().begin());
    return out;
  }
  PictureForm form() const override {
    const auto& [train, test] = parts_;
    if (train.width != test.width || train.height != test.height) return {0, 0, 1, DataType::U8};
    return {train.width, train.height, 1, DataType::U8};
  }
  std::string stamp() const override { return parts_[0].stamp + parts_[1].stamp; }

 private:
  struct Place {
    const IdxPart& part;
    int64_t index;
  };
  Place locate(int64_t id) const {
    N2D2_CHECK(id >= 0 && id < size(), "sample {} of {}", id, size());
    return id < parts_[0].count ? Place{parts_[0], id} : Place{parts_[1], id - parts_[0].count};
  }
  std::array<IdxPart, 2> parts_;
};

std::unique_ptr<Database> load(const MnistKeys& keys, const LoadArgs& args, const std::string& below,
                               std::string_view type) {
  const std::filesystem::path folder = args.data_path(keys.data_path, below);
  IdxPart train = load_part(args, folder, "train", type);
  IdxPart test = load_part(args, folder, "t10k", type);
  return std::make_unique<MnistDatabase>(std::move(train), std::move(test), keys.validation,
                                         args.common.random_partitioning, args.context.seed);
}

std::unique_ptr<Database> load_digits(const MnistKeys& keys, const LoadArgs& args) {
  return load(keys, args, "mnist", kHandwriting);
}

std::unique_ptr<Database> load_clothes(const MnistKeys& keys, const LoadArgs& args) {
  return load(keys, args, "fashion-mnist/data/fashion", kClothes);
}

}  // namespace

void register_mnist_idx(DatabaseRegistry& registry);
void register_mnist_idx(DatabaseRegistry& registry) {
  registry.add(kHandwriting, database_type<MnistKeys>("28x28x1 handwritten digits, IDX files", load_digits));
  registry.add(kClothes, database_type<MnistKeys>("28x28x1 pieces of clothing, IDX files", load_clothes));
}

}  // namespace n2d2::data
