// How do tests get PNG files? Made here chunk by chunk, so that each of them may be wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <zlib.h>

namespace n2d2::data {

/// Length, type, data, checksum; of a wrong checksum if `is_damaged`.
inline std::string png_chunk(const std::string& type, const std::string& content, bool is_damaged = false) {
  const auto big = [](uint64_t value) {
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xffU);
    return out;
  };
  const std::string checked = type + content;
  const uint64_t check =
      crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()));
  return big(content.size()) + checked + big(is_damaged ? check ^ 1U : check);
}

/// The PNG file with chunks behind its header.
inline std::string png_with(const std::string& png, const std::string& chunks) {
  const size_t behind_header = 8 + 25;
  return png.substr(0, behind_header) + chunks + png.substr(behind_header);
}

struct PngKind {
  int bits = 8, colours = 0;  ///< as the header has them: bits of a sample, type of colours
};

/// A PNG file of `width` pixels a row, whose rows are these bytes, without filters.
inline std::string png_of(int width, const std::vector<std::string>& rows, PngKind kind,
                          const std::string& chunks = {}) {
  const auto byte = [](int value) { return std::string(1, static_cast<char>(value)); };
  const std::string none(3, '\0');
  const std::string header = none + byte(width) + none + byte(static_cast<int>(rows.size())) +
                             byte(kind.bits) + byte(kind.colours) + none;
  std::string raw;
  for (const std::string& row : rows) raw += '\0' + row;
  uLongf size = compressBound(static_cast<uLong>(raw.size()));
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
           static_cast<uLong>(raw.size()));
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header) + chunks +
         png_chunk("IDAT", packed.substr(0, size)) + png_chunk("IEND", "");
}

}  // namespace n2d2::data
