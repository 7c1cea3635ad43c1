#include "disk_cache.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "n2d2/base/error.hpp"
#include "n2d2/base/random.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/base/sha256.hpp"

namespace n2d2::data {

namespace {

constexpr int64_t kMostBytes = int64_t{1} << 31;

/// What begins the file of a picture: a name, then these numbers and a hash of the elements.
struct Head {
  char name[8] = {'n', '2', 'd', '2', 'p', 'i', 'c', '1'};
  int32_t width = 0, height = 0, channels = 0, depth = 0;
  uint64_t hash = 0;
};

std::string_view bytes_of(const Image& image) {
  return {reinterpret_cast<const char*>(image.raw()), static_cast<size_t>(image.bytes())};
}

constexpr std::array kImageDepths{DataType::U8,  DataType::I8,  DataType::U16,
                                  DataType::I16, DataType::I32, DataType::F32};

bool is_depth(int32_t depth) {
  return std::any_of(kImageDepths.begin(), kImageDepths.end(),
                     [&](DataType type) { return static_cast<int32_t>(type) == depth; });
}

}  // namespace

DiskCache::DiskCache(const std::filesystem::path& root, const std::string& made_from)
    : folder_(root / sha256(made_from).substr(0, 32)) {
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  if (failed) throw ConfigError(fmt::format("{}: cannot be created: {}", folder_.string(), failed.message()));
}

std::filesystem::path DiskCache::file(int64_t id) const {
  // Folders of a thousand: file systems and people are slow with more.
  return folder_ / fmt::format("{:03}", id / 1000) / fmt::format("{}.pic", id);
}

std::optional<Image> DiskCache::find(int64_t id) const {
  std::string text;
  try {
    text = read_regular_file(file(id), kMostBytes);
  } catch (const FileError&) {
    return std::nullopt;
  }
  Head head;
  const Head expected;
  if (text.size() < sizeof(Head)) return std::nullopt;
  std::memcpy(&head, text.data(), sizeof(Head));
  constexpr int32_t kMostSide = 1 << 20;
  const auto is_side = [](int32_t side) { return side >= 1 && side <= kMostSide; };
  if (std::memcmp(head.name, expected.name, sizeof head.name) != 0 || !is_side(head.width) ||
      !is_side(head.height) || !is_side(head.channels) || !is_depth(head.depth))
    return std::nullopt;
  const auto depth = static_cast<DataType>(head.depth);
  const auto left = static_cast<int64_t>(text.size() - sizeof(Head));
  if (left / head.width / head.height / head.channels / size_bytes(depth) != 1) return std::nullopt;
  Image image(head.width, head.height, head.channels, depth);
  if (image.bytes() != left) return std::nullopt;
  std::memcpy(image.raw(), text.data() + sizeof(Head), static_cast<size_t>(left));
  if (hash_bytes(bytes_of(image)) != head.hash) return std::nullopt;
  return image;
}

void DiskCache::keep(int64_t id, const Image& image) const {
  Head head;
  head.width = image.width();
  head.height = image.height();
  head.channels = image.channels();
  head.depth = static_cast<int32_t>(image.depth());
  head.hash = hash_bytes(bytes_of(image));
  const std::filesystem::path to = file(id);
  static std::atomic<uint64_t> writes{0};  // two threads may make one picture
  const std::filesystem::path part = fmt::format("{}.{}.{}", to.string(), getpid(), writes++);
  std::error_code failed;
  std::filesystem::create_directories(to.parent_path(), failed);
  std::ofstream out(part, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&head), sizeof head);
  out.write(reinterpret_cast<const char*>(image.raw()), static_cast<std::streamsize>(image.bytes()));
  out.close();
  if (out) std::filesystem::rename(part, to, failed);
  if (out && !failed) return;
  std::filesystem::remove(part, failed);
  throw ConfigError(fmt::format("{}: cannot be written", to.string()), {}, "is there room on the disk?");
}

}  // namespace n2d2::data
