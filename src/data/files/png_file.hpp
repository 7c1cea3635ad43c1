// Which picture do the bytes of a PNG file hold, and is it whole? Which bytes hold a picture?
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "decoded_picture.hpp"

namespace n2d2::data {

bool is_png(std::string_view bytes);

/// Decodes as OpenCV does: U8, or U16 where the file has 16 bits, of one channel, of blue, green, red, or of
/// those and alpha. Palettes become colours; grey with alpha has four channels. A picture that is not
/// complete, of wrong bytes, or with more than `most` pixels is damaged. Nothing is printed.
DecodedPicture decode_png(std::string_view bytes, uint64_t most);

/// The bytes of a file; none with the reason.
struct EncodedPicture {
  std::string bytes, reason;
};
/// Encodes to the bytes that OpenCV writes: U8 or U16 of one channel, of blue, green, red, or of those and
/// alpha.
EncodedPicture encode_png(const Image& image);

}  // namespace n2d2::data
