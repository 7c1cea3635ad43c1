#include "picture_size.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "picture_pieces.hpp"

namespace n2d2::data {

namespace {

using Size = std::optional<PictureSize>;

Size size_of_png(Pieces& file) {
  return file.pair(16, 20, 4, ByteOrder::Big);
}

Size of_sun_raster(Pieces& file) {
  return file.pair(4, 8, 4, ByteOrder::Big);
}

/// A height below 0 says that rows go down.
Size of_bmp(Pieces& file) {
  const auto header = file.integer(14, 4, ByteOrder::Little);
  if (header == 12U) return file.pair(18, 20, 2, ByteOrder::Little);
  Size size = file.pair(18, 22, 4, ByteOrder::Little);
  if (size && size->height >= uint64_t{1} << 31U) size->height = (uint64_t{1} << 32U) - size->height;
  return size;
}

/// Walks the segments up to the first that begins a frame; more than any camera writes are none.
Size size_of_jpeg(Pieces& file) {
  uint64_t at = 2;
  for (int segments = 0; segments < 10000; ++segments) {
    const auto marker = file.integer(at, 2, ByteOrder::Big), length = file.integer(at + 2, 2, ByteOrder::Big);
    if (!marker || *marker >> 8U != 0xff) return {};
    const uint64_t kind = *marker & 0xffU;
    const bool fills = kind == 0xff, alone = kind == 0x01 || (kind >= 0xd0 && kind <= 0xd8);
    const bool frame = kind >= 0xc0 && kind <= 0xcf && kind != 0xc4 && kind != 0xc8 && kind != 0xcc;
    if (frame) return file.pair(at + 7, at + 5, 2, ByteOrder::Big);
    if (!fills && !alone && (!length || *length < 2)) return {};
    at += fills ? 1 : alone ? 2 : 2 + *length;
  }
  return {};
}

/// The SIZ segment of the code stream, which a file of boxes holds behind some of them.
Size size_of_jpeg_2000(Pieces& file) {
  const size_t at = file.head().find(std::string_view("\xff\x4f\xff\x51", 4));
  return at == std::string::npos ? Size() : file.pair(at + 8, at + 12, 4, ByteOrder::Big);
}

Size of_tiff(Pieces& file) {
  const ByteOrder order = file.head()[0] == 'I' ? ByteOrder::Little : ByteOrder::Big;
  const auto directory = file.integer(4, 4, order);
  const auto entries = directory ? file.integer(*directory, 2, order) : std::nullopt;
  if (!entries) return {};
  std::array<uint64_t, 4> found{};  // width, height, of the picture and of a tile
  for (uint64_t i = 0; i < *entries; ++i) {
    const uint64_t at = *directory + 2 + 12 * i;
    const auto tag = file.integer(at, 2, order), type = file.integer(at + 2, 2, order);
    const auto value = file.integer(at + 8, type == 3U ? 2 : 4, order);
    if (!tag || !value) return {};
    if (tag == 256U || tag == 257U) found[*tag - 256] = *value;
    if (tag == 322U || tag == 323U) found[*tag - 320] = *value;
  }
  return PictureSize{std::max(found[0], found[2]), std::max(found[1], found[3])};
}

Size of_webp(Pieces& file) {
  if (file.head().size() < 16) return {};
  const std::string_view kind = std::string_view(file.head()).substr(12, 4);
  if (kind == "VP8X") {
    const Size size = file.pair(24, 27, 3, ByteOrder::Little);
    return size ? Size({size->width + 1, size->height + 1}) : Size();
  }
  if (kind == "VP8L") {
    const auto bits = file.integer(21, 4, ByteOrder::Little);
    return bits ? Size({(*bits & 0x3fffU) + 1, (*bits >> 14U & 0x3fffU) + 1}) : Size();
  }
  const Size size = file.pair(26, 28, 2, ByteOrder::Little);
  return size ? Size({size->width & 0x3fffU, size->height & 0x3fffU}) : Size();
}

/// Decimal numbers between blanks and comments that go to the end of a line.
std::optional<uint64_t> next_number(std::string_view text, size_t& at) {
  while (at < text.size() && (std::isspace(static_cast<unsigned char>(text[at])) != 0 || text[at] == '#'))
    at = text[at] == '#' ? std::min(text.find('\n', at), text.size()) : at + 1;
  uint64_t value = 0;
  const size_t first = at;
  for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0; ++at)
    value = std::min<uint64_t>(value * 10 + static_cast<uint64_t>(text[at] - '0'), uint64_t{1} << 32U);
  return at > first ? std::optional(value) : std::nullopt;
}

Size of_netpbm(Pieces& file) {
  const std::string_view text = file.head();
  size_t at = 2, second = 0;
  if (text[1] == '7') {
    at = text.find("WIDTH"), second = text.find("HEIGHT");
    if (at == std::string_view::npos || second == std::string_view::npos) return {};
    at += 5, second += 6;
  }
  const auto width = next_number(text, at);
  const auto height = next_number(text, text[1] == '7' ? second : at);
  return width && height ? Size({*width, *height}) : Size();
}

struct Kind {
  std::string_view begins_with;
  Size (*size)(Pieces& file);
};
constexpr std::string_view kJpeg2000("\0\0\0\x0cjP  ", 8);
constexpr Kind kKinds[] = {{"\x89PNG\r\n\x1a\n", size_of_png},
                           {"\xff\xd8\xff", size_of_jpeg},
                           {"BM", of_bmp},
                           {kJpeg2000, size_of_jpeg_2000},
                           {"\xff\x4f\xff\x51", size_of_jpeg_2000},
                           {"\x59\xa6\x6a\x95", of_sun_raster},
                           {std::string_view("II*\0", 4), of_tiff},
                           {std::string_view("MM\0*", 4), of_tiff},
                           {"RIFF", of_webp}};

}  // namespace

std::optional<PictureSize> picture_size(const std::filesystem::path& path) {
  Pieces file(path);
  const std::string_view head = file.head();
  for (const Kind& kind : kKinds)
    if (head.starts_with(kind.begins_with)) return kind.size(file);
  if (head.size() > 2 && head[0] == 'P' && head[1] >= '1' && head[1] <= '7') return of_netpbm(file);
  return {};
}

}  // namespace n2d2::data
