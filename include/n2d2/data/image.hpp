// What is a picture before it is a tensor? Rows of interleaved channels of one element type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "n2d2/tensor/data_type.hpp"

namespace n2d2::data {

/// Dense H,W,C picture. Depth is one of U8, I8, U16, I16, I32, F32. Colour pictures come out of the databases
/// in the order blue, green, red; grey ones have one channel.
class Image {
 public:
  Image() = default;
  /// Zero-filled. width, height, channels >= 1.
  Image(int width, int height, int channels, DataType depth = DataType::U8);

  int width() const { return width_; }
  int height() const { return height_; }
  int channels() const { return channels_; }
  DataType depth() const { return depth_; }
  int64_t elements() const { return int64_t{width_} * height_ * channels_; }
  int64_t bytes() const { return elements() * size_bytes(depth_); }
  bool empty() const { return bytes_.empty(); }
  /// "28x28x1 u8": width, height, channels, depth.
  std::string text() const;

  std::byte* raw() { return bytes_.data(); }
  const std::byte* raw() const { return bytes_.data(); }
  /// Throws InternalError when T is not the element type.
  template <class T>
  std::span<T> span() {
    check_depth(data_type_of<T>());
    return {reinterpret_cast<T*>(bytes_.data()), static_cast<size_t>(elements())};
  }
  template <class T>
  std::span<const T> span() const {
    check_depth(data_type_of<T>());
    return {reinterpret_cast<const T*>(bytes_.data()), static_cast<size_t>(elements())};
  }
  friend bool operator==(const Image&, const Image&) = default;

 private:
  void check_depth(DataType wanted) const;
  int width_ = 0, height_ = 0, channels_ = 0;
  DataType depth_ = DataType::U8;
  std::vector<std::byte> bytes_;
};

/// A picture of U8 with one channel, or three as they are in files. ConfigError when it cannot be written.
void write_png(const Image& image, const std::filesystem::path& file);

/// What is known of pictures before one is read; 0 and no depth: not known.
struct PictureForm {
  int width = 0, height = 0, channels = 0;
  std::optional<DataType> depth;

  bool is_known() const { return width > 0 && height > 0 && channels > 0 && depth.has_value(); }
  friend bool operator==(const PictureForm&, const PictureForm&) = default;
};
inline PictureForm form_of(const Image& image) {
  return {image.width(), image.height(), image.channels(), image.depth()};
}

/// A PNG file for people: one channel is grey, three are blue, green and red, others stand in grey beside
/// each other. Bytes are as they are; other values reach from the least, as 0, to the largest, as 255.
std::string png(const Image& image);

}  // namespace n2d2::data
