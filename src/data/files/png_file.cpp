#include "png_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <png.h>

#include "n2d2/base/error.hpp"

namespace n2d2::data {

namespace {

/// The bytes that libpng reads, and what it says of them; an error leaves its functions.
struct Source {
  std::string_view bytes;
  size_t used = 0;
  std::jmp_buf leave{};
  std::array<char, 256> damage{}, remark{};
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto& source = *static_cast<Source*>(png_get_error_ptr(png));
  std::snprintf(source.damage.data(), source.damage.size(), "%s", message);
  std::longjmp(source.leave, 1);  // NOLINT(cert-err52-cpp): libpng is C, an exception may not pass it
}

/// The first message is kept: what follows is often its consequence.
void on_warning(png_structp png, png_const_charp message) {
  auto& source = *static_cast<Source*>(png_get_error_ptr(png));
  if (source.remark[0] == '\0') std::snprintf(source.remark.data(), source.remark.size(), "%s", message);
}

void read_bytes(png_structp png, png_bytep to, size_t count) {
  auto& source = *static_cast<Source*>(png_get_io_ptr(png));
  if (count > source.bytes.size() - source.used) png_error(png, "the file ends before the picture does");
  std::memcpy(to, source.bytes.data() + source.used, count);
  source.used += count;
}

/// setjmp() stands in functions of their own, without objects that longjmp() would skip.
class PngDecoder {
 public:
  explicit PngDecoder(std::string_view bytes) {
    source_.bytes = bytes;
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source_, on_error, on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  ~PngDecoder() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  /// Up to the pixels; false when that cannot be read.
  bool read_header() {
    if (info_ == nullptr) return false;
    if (setjmp(source_.leave) != 0) return false;  // NOLINT(cert-err52-cpp): as above
    png_set_read_fn(png_, &source_, read_bytes);
    png_read_info(png_, info_);
    return true;
  }
  /// Into rows of width() * channels() * depth() / 8 bytes.
  bool read_rows(png_bytepp rows) {
    if (setjmp(source_.leave) != 0) return false;  // NOLINT(cert-err52-cpp): as above
    const bool is_colour = (colours() & PNG_COLOR_MASK_COLOR) != 0;
    if (std::endian::native == std::endian::little) png_set_swap(png_);
    if (channels() < 4)
      png_set_strip_alpha(png_);
    else
      png_set_tRNS_to_alpha(png_);
    if (colours() == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
    if (!is_colour && png_get_bit_depth(png_, info_) < 8) png_set_expand_gray_1_2_4_to_8(png_);
    if (is_colour)
      png_set_bgr(png_);
    else if (channels() > 1)
      png_set_gray_to_rgb(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    png_read_image(png_, rows);
    png_read_end(png_, nullptr);
    return true;
  }

  uint64_t width() const { return png_get_image_width(png_, info_); }
  uint64_t height() const { return png_get_image_height(png_, info_); }
  DataType depth() const { return png_get_bit_depth(png_, info_) == 16 ? DataType::U16 : DataType::U8; }
  /// Before read_rows().
  int channels() const {
    const bool has_colours = (colours() & PNG_COLOR_MASK_COLOR) != 0;
    const bool has_alpha = (colours() & PNG_COLOR_MASK_ALPHA) != 0 ||
                           (has_colours && png_get_valid(png_, info_, PNG_INFO_tRNS) != 0);
    return has_alpha ? 4 : has_colours ? 3 : 1;
  }
  std::string damage() const {
    return source_.damage[0] == '\0' ? "libpng cannot be used" : source_.damage.data();
  }
  std::string remark() const { return source_.remark.data(); }

 private:
  int colours() const { return png_get_color_type(png_, info_); }

  Source source_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

/// Bytes that libpng writes; it cannot pass an exception.
void write_bytes(png_structp png, png_bytep from, size_t count) noexcept {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(from), count);
}
void flush_bytes(png_structp) {}

class PngEncoder {
 public:
  PngEncoder() {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, &source_, on_error, on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  ~PngEncoder() { png_destroy_write_struct(&png_, &info_); }
  PngEncoder(const PngEncoder&) = delete;
  PngEncoder& operator=(const PngEncoder&) = delete;

  bool write(const Image& image, png_bytepp rows, std::string& bytes) {
    if (info_ == nullptr) return false;
    if (setjmp(source_.leave) != 0) return false;  // NOLINT(cert-err52-cpp): as above
    png_set_write_fn(png_, &bytes, write_bytes, flush_bytes);
    png_set_filter(png_, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_set_compression_level(png_, kFastest);
    png_set_compression_strategy(png_, kRunLengths);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(image.width()),
                 static_cast<png_uint_32>(image.height()), bits_of(image), colours_of(image),
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png_, info_);
    png_set_bgr(png_);
    if (std::endian::native == std::endian::little) png_set_swap(png_);
    png_write_image(png_, rows);
    png_write_end(png_, info_);
    return true;
  }
  std::string damage() const {
    return source_.damage[0] == '\0' ? "libpng cannot be used" : source_.damage.data();
  }

 private:
  static int bits_of(const Image& image) { return image.depth() == DataType::U16 ? 16 : 8; }
  static int colours_of(const Image& image) {
    if (image.channels() == 1) return PNG_COLOR_TYPE_GRAY;
    return image.channels() == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGB_ALPHA;
  }

  // Z_BEST_SPEED and Z_RLE of zlib.
  static constexpr int kFastest = 1, kRunLengths = 3;

  Source source_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

/// The addresses of the rows of a picture.
std::vector<png_bytep> rows_of(const Image& image) {
  const size_t row_bytes = static_cast<size_t>(image.bytes()) / static_cast<size_t>(image.height());
  std::vector<png_bytep> rows(static_cast<size_t>(image.height()));
  for (size_t y = 0; y < rows.size(); ++y)
    rows[y] = reinterpret_cast<png_bytep>(const_cast<std::byte*>(image.raw())) + y * row_bytes;
  return rows;
}

}  // namespace

bool is_png(std::string_view bytes) {
  return bytes.starts_with("\x89PNG\r\n\x1a\n");
}

DecodedPicture decode_png(std::string_view bytes, uint64_t most) {
  PngDecoder decoder(bytes);
  DecodedPicture out;
  bool is_read = decoder.read_header();
  if (is_read && decoder.height() > most / std::max<uint64_t>(1, decoder.width())) {
    out.damage = "its size is not the one of its header";
    return out;
  }
  if (is_read) {
    Image image(static_cast<int>(decoder.width()), static_cast<int>(decoder.height()), decoder.channels(),
                decoder.depth());
    is_read = decoder.read_rows(rows_of(image).data());
    if (is_read) out.image = std::move(image);
  }
  if (!is_read) out.damage = decoder.damage();
  out.remark = decoder.remark();
  return out;
}

EncodedPicture encode_png(const Image& image) {
  N2D2_CHECK(image.depth() == DataType::U8 || image.depth() == DataType::U16, "a PNG file of {}",
             image.text());
  N2D2_CHECK(image.channels() == 1 || image.channels() == 3 || image.channels() == 4, "a PNG file of {}",
             image.text());
  PngEncoder encoder;
  EncodedPicture out;
  std::vector<png_bytep> rows = rows_of(image);
  if (!encoder.write(image, rows.data(), out.bytes)) {
    out.reason = encoder.damage();
    out.bytes.clear();
  }
  return out;
}

}  // namespace n2d2::data
