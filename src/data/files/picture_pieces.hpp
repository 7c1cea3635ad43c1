// How are pieces of a picture file read without reading all of it?
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "picture_size.hpp"

namespace n2d2::data {

enum class ByteOrder { Big, Little };

/// A file of which pieces are read; nothing behind its end.
class Pieces {
 public:
  explicit Pieces(const std::filesystem::path& path) : in_(path, std::ios::binary), head_(read(0, 65536)) {}

  /// Its first 64 KiB.
  const std::string& head() const { return head_; }

  std::string read(uint64_t at, size_t size) {
    std::string out(size, '\0');
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(at));
    in_.read(out.data(), static_cast<std::streamsize>(size));
    out.resize(static_cast<size_t>(std::max<std::streamsize>(in_.gcount(), 0)));
    return out;
  }

  /// An unsigned integer of some bytes.
  std::optional<uint64_t> integer(uint64_t at, size_t bytes, ByteOrder order) {
    std::string piece = read(at, bytes);
    if (piece.size() < bytes) return {};
    if (order == ByteOrder::Little) std::reverse(piece.begin(), piece.end());
    uint64_t value = 0;
    for (const char c : piece) value = value << 8U | static_cast<unsigned char>(c);
    return value;
  }

  std::optional<PictureSize> pair(uint64_t width_at, uint64_t height_at, size_t bytes, ByteOrder order) {
    const auto width = integer(width_at, bytes, order), height = integer(height_at, bytes, order);
    return width && height ? std::optional<PictureSize>({*width, *height}) : std::nullopt;
  }

 private:
  std::ifstream in_;
  std::string head_;
};

}  // namespace n2d2::data
