#include "picture_orientation.hpp"

#include <string_view>

#include "picture_pieces.hpp"

namespace n2d2::data {

namespace {

constexpr int kUpright = 1;
/// More segments or chunks than any camera or program writes are none.
constexpr int kMostSegments = 10000;

/// The first directory of the TIFF structure that begins at `start`.
int of_directory(Pieces& file, uint64_t start) {
  const std::string order_mark = file.read(start, 4);
  const bool is_little = order_mark == std::string_view("II*\0", 4);
  if (!is_little && order_mark != std::string_view("MM\0*", 4)) return kUpright;
  const ByteOrder order = is_little ? ByteOrder::Little : ByteOrder::Big;
  const auto directory = file.integer(start + 4, 4, order);
  const auto entries = directory ? file.integer(start + *directory, 2, order) : std::nullopt;
  for (uint64_t i = 0; entries && i < *entries; ++i) {
    constexpr uint64_t kOrientation = 274, kShort = 3;
    const uint64_t at = start + *directory + 2 + 12 * i;
    const auto tag = file.integer(at, 2, order), type = file.integer(at + 2, 2, order);
    const auto value = file.integer(at + 8, 2, order);
    if (!value) return kUpright;
    if (tag == kOrientation)
      return type == kShort && *value >= 1 && *value <= 8 ? static_cast<int>(*value) : kUpright;
  }
  return kUpright;
}

/// The segments up to that of EXIF data or the first that begins a scan.
int orientation_of_jpeg(Pieces& file) {
  constexpr uint64_t kApp1 = 0xe1, kScan = 0xda;
  uint64_t at = 2;
  for (int segments = 0; segments < kMostSegments; ++segments) {
    const auto marker = file.integer(at, 2, ByteOrder::Big), length = file.integer(at + 2, 2, ByteOrder::Big);
    if (!marker || *marker >> 8U != 0xff) return kUpright;
    const uint64_t kind = *marker & 0xffU;
    if (kind == 0xff) {
      ++at;
      continue;
    }
    const bool is_alone = kind == 0x01 || (kind >= 0xd0 && kind <= 0xd8);
    if (kind == kScan || (!is_alone && (!length || *length < 2))) return kUpright;
    if (kind == kApp1 && file.read(at + 4, 6) == std::string_view("Exif\0\0", 6))
      return of_directory(file, at + 10);
    at += is_alone ? 2 : 2 + *length;
  }
  return kUpright;
}

int orientation_of_png(Pieces& file) {
  uint64_t at = 8;
  for (int chunks = 0; chunks < kMostSegments; ++chunks) {
    const auto length = file.integer(at, 4, ByteOrder::Big);
    const std::string kind = file.read(at + 4, 4);
    if (!length || kind == "IEND") return kUpright;
    if (kind == "eXIf") return of_directory(file, at + 8);
    at += 12 + *length;
  }
  return kUpright;
}

}  // namespace

int picture_orientation(const std::filesystem::path& path) {
  Pieces file(path);
  const std::string_view head = file.head();
  if (head.starts_with("\xff\xd8\xff")) return orientation_of_jpeg(file);
  if (head.starts_with("\x89PNG\r\n\x1a\n")) return orientation_of_png(file);
  return kUpright;
}

}  // namespace n2d2::data
