// Samples of a network of several inputs: each is joined from files of arrays, one for each input.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "n2d2/base/text.hpp"

#include "database/database_type.hpp"
#include "files/array_file.hpp"
#include "files/file_stamp.hpp"

namespace n2d2::data {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kZeros = "0";

struct JoinedKeys {
  std::string files;
  std::vector<int> sizes;

  template <class V>
  static void fields(V&& v) {
    using K = JoinedKeys;
    v("Files", &K::files, required,
      help("a .npy, .csv or .bin for each input, separated by commas; 0: zeros"));
    v("Sizes", &K::sizes, required, at_least(1), help("how many elements of a sample come from each file"));
  }
};

/// What one file gives to each sample.
struct Piece {
  std::string path;  // kZeros: no file
  int size = 0;
  std::shared_ptr<const ArrayFile> file;

  int64_t samples() const { return file ? file->size() : 1; }
};

std::vector<float> reals_of(const Image& image) {
  std::vector<float> out(static_cast<size_t>(image.elements()));
  const auto take = [&](auto element) {
    const auto from = image.span<decltype(element)>();
    std::transform(from.begin(), from.end(), out.begin(), [](auto x) { return static_cast<float>(x); });
  };
  switch (image.depth()) {
    case DataType::U8:
      take(uint8_t{});
      break;
    case DataType::I8:
      take(int8_t{});
      break;
    case DataType::U16:
      take(uint16_t{});
      break;
    case DataType::I16:
      take(int16_t{});
      break;
    case DataType::I32:
      take(int32_t{});
      break;
    default:
      take(float{});
  }
  return out;
}

/// Sample i has the elements of sample i of each file, in the order of the files, as channels of one pixel. A
/// file of one sample gives it to all.
class JoinedDatabase final : public Database {
 public:
  JoinedDatabase(std::vector<Piece> pieces, int64_t samples) : pieces_(std::move(pieces)) {
    for (const Piece& piece : pieces_) channels_ += piece.size;
    auto& list = partitions_[static_cast<size_t>(Partition::Test)];
    list.resize(static_cast<size_t>(samples));
    std::iota(list.begin(), list.end(), 0);
  }

  int64_t size() const override { return static_cast<int64_t>(list(Partition::Test).size()); }
  std::string name(int64_t id) const override {
    const auto longest = std::max_element(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) {
      return a.samples() < b.samples();
    });
    return fmt::format("{}[{}]", fs::path(longest->path).filename().generic_string(), id);
  }
  int label(int64_t) const override { return -1; }
  Image image(int64_t id) const override {
    N2D2_CHECK(id >= 0 && id < size(), "sample {} of {}", id, size());
    Image out(1, 1, channels_, DataType::F32);
    float* to = out.span<float>().data();
    for (const Piece& piece : pieces_) {
      if (piece.file) {
        const std::vector<float> values = reals_of(piece.file->image(piece.samples() == 1 ? 0 : id));
        std::copy(values.begin(), values.end(), to);
      }
      to += piece.size;
    }
    return out;
  }
  std::string stamp() const override {
    std::string out = "joined\n";
    for (const Piece& piece : pieces_)
      out += fmt::format("{} {}\n", piece.size, piece.file ? file_stamp(piece.path) : "zeros");
    return out;
  }

 private:
  std::vector<Piece> pieces_;
  int channels_ = 0;
};

/// How many samples the files have; those of one have as many as the others.
int64_t samples_in(const std::vector<Piece>& pieces, const LoadArgs& args) {
  const Piece* first = nullptr;
  for (const Piece& piece : pieces) {
    if (piece.samples() == 1) continue;
    if (first == nullptr) first = &piece;
    if (piece.samples() != first->samples())
      args.fail("Files", fmt::format("Files: '{}' has {} samples, '{}' has {}", first->path, first->samples(),
                                     piece.path, piece.samples()));
  }
  return first == nullptr ? 1 : first->samples();
}

std::unique_ptr<Database> load(const JoinedKeys& keys, const LoadArgs& args) {
  const std::vector<std::string> files = split(keys.files, ',');
  if (files.size() != keys.sizes.size())
    args.fail("Sizes", fmt::format("Sizes: expected {} numbers, one for each of Files, got {}", files.size(),
                                   keys.sizes.size()));
  std::vector<Piece> pieces;
  for (size_t i = 0; i < files.size(); ++i) {
    Piece& piece = pieces.emplace_back(Piece{std::string(trim(files[i])), keys.sizes[i], nullptr});
    if (piece.path == kZeros) continue;
    piece.path = expand_environment(piece.path);
    piece.file = std::make_shared<const ArrayFile>(
        piece.path, ArrayFormat{args.common.sample_type, {piece.size, 1, 1}, false, true});
  }
  const bool has_file = std::any_of(pieces.begin(), pieces.end(), [](const Piece& p) { return p.file; });
  if (!has_file) args.fail("Files", "Files: expected a file for one of the inputs");
  return std::make_unique<JoinedDatabase>(pieces, samples_in(pieces, args));
}

}  // namespace

void register_joined(DatabaseRegistry& registry);
void register_joined(DatabaseRegistry& registry) {
  registry.add(
      "Joined_Database",
      database_type<JoinedKeys>("arrays of several files, joined for a network of several inputs", load));
}

}  // namespace n2d2::data
