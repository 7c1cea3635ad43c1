#include "jpeg_file.hpp"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <vector>

#include <jpeglib.h>
// The codes of messages stand behind jpeglib.h, which they need.
#include <jerror.h>

namespace n2d2::data {

namespace {

/// What libjpeg says goes here; an error, and a warning about pixels, leave its functions.
struct Messages {
  jpeg_error_mgr manager{};  // first, so that libjpeg's pointer to it is one to all
  std::jmp_buf leave{};
  std::array<char, JMSG_LENGTH_MAX> damage{}, remark{};
  /// The picture is one scan: where the file ends, only bits that are then asked for are missing.
  bool is_one_scan = false;
  bool is_cut = false;
};

Messages& messages_of(j_common_ptr jpeg) {
  return *reinterpret_cast<Messages*>(jpeg->err);
}

[[noreturn]] void on_error(j_common_ptr jpeg) {
  Messages& messages = messages_of(jpeg);
  jpeg->err->format_message(jpeg, messages.damage.data());
  std::longjmp(messages.leave, 1);  // NOLINT(cert-err52-cpp): libjpeg is C, an exception may not pass it
}

/// Bytes between segments and odd headers change no pixel, nor does a file without the mark of its end.
void on_message(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  Messages& messages = messages_of(jpeg);
  const int code = jpeg->err->msg_code;
  messages.is_cut = messages.is_cut || code == JWRN_JPEG_EOF;
  const bool is_harmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR ||
                           code == JWRN_ADOBE_XFORM || code == JWRN_NOT_SEQUENTIAL ||
                           (code == JWRN_JPEG_EOF && messages.is_one_scan);
  if (!is_harmless) on_error(jpeg);
  jpeg->err->format_message(jpeg, messages.remark.data());
}

void print_nothing(j_common_ptr) {}

/// setjmp() stands in functions of their own, without objects that longjmp() would skip.
class JpegDecoder {
 public:
  JpegDecoder() {
    jpeg_.err = jpeg_std_error(&messages_.manager);
    messages_.manager.error_exit = on_error;
    messages_.manager.emit_message = on_message;
    messages_.manager.output_message = print_nothing;
  }
  ~JpegDecoder() { jpeg_destroy_decompress(&jpeg_); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  /// Up to the size; false when it cannot be read.
  bool read_header(std::string_view bytes) {
    if (setjmp(messages_.leave) != 0) return false;  // NOLINT(cert-err52-cpp): as above
    jpeg_create_decompress(&jpeg_);
    jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&jpeg_, TRUE);
    if (jpeg_.num_components == 4)
      jpeg_.out_color_space = JCS_CMYK;
    else if (jpeg_.num_components > 1)
      jpeg_.out_color_space = JCS_EXT_BGR;
    messages_.is_one_scan = jpeg_has_multiple_scans(&jpeg_) == FALSE;
    return true;
  }
  /// Rows from the top, each of width() * stored_channels() bytes.
  bool read_rows(unsigned char* to, size_t row_bytes) {
    if (setjmp(messages_.leave) != 0) return false;  // NOLINT(cert-err52-cpp): as above
    jpeg_start_decompress(&jpeg_);
    while (jpeg_.output_scanline < jpeg_.output_height) {
      JSAMPROW row = to + jpeg_.output_scanline * row_bytes;
      jpeg_read_scanlines(&jpeg_, &row, 1);
    }
    jpeg_finish_decompress(&jpeg_);
    return true;
  }

  uint64_t width() const { return jpeg_.image_width; }
  uint64_t height() const { return jpeg_.image_height; }
  int stored_channels() const { return jpeg_.num_components == 4 ? 4 : jpeg_.num_components > 1 ? 3 : 1; }
  std::string damage() const {
    return messages_.is_cut ? "the file ends before the picture does" : messages_.damage.data();
  }
  std::string remark() const { return messages_.remark.data(); }

 private:
  jpeg_decompress_struct jpeg_{};
  Messages messages_;
};

/// Inks as OpenCV's decoder makes colours of them.
void to_colours(const std::vector<unsigned char>& inks, uint8_t* colours) {
  for (size_t i = 0; i < inks.size(); i += 4, colours += 3)
    for (size_t ink = 0; ink < 3; ++ink) {
      const int black = inks[i + 3];
      colours[2 - ink] = static_cast<uint8_t>(black - ((255 - inks[i + ink]) * black >> 8));
    }
}

}  // namespace

bool is_jpeg(std::string_view bytes) {
  return bytes.starts_with("\xff\xd8\xff");
}

DecodedPicture decode_jpeg(std::string_view bytes, uint64_t most) {
  JpegDecoder decoder;
  DecodedPicture out;
  bool is_read = decoder.read_header(bytes);
  if (is_read && (decoder.width() < 1 || decoder.height() > most / std::max<uint64_t>(1, decoder.width()))) {
    out.damage = "its size is not the one of its header";
    return out;
  }
  if (is_read) {
    const auto width = static_cast<int>(decoder.width()), height = static_cast<int>(decoder.height());
    const int stored = decoder.stored_channels();
    Image image(width, height, stored == 1 ? 1 : 3);
    const size_t row_bytes = decoder.width() * static_cast<size_t>(stored);
    uint8_t* pixels = image.span<uint8_t>().data();
    std::vector<unsigned char> inks(stored == 4 ? row_bytes * decoder.height() : 0);
    is_read = decoder.read_rows(stored == 4 ? inks.data() : pixels, row_bytes);
    if (is_read && stored == 4) to_colours(inks, pixels);
    if (is_read) out.image = std::move(image);
  }
  if (!is_read) out.damage = decoder.damage();
  out.remark = decoder.remark();
  return out;
}

}  // namespace n2d2::data
