// Which picture do the bytes of a PBM, PGM or PPM file hold, and is it whole?
#pragma once

#include <cstdint>
#include <string_view>

#include "decoded_picture.hpp"

namespace n2d2::data {

bool is_pnm(std::string_view bytes);

/// Decodes as OpenCV does: U8, or U16 where the largest value is above 255, of one channel or of blue, green,
/// red. Bits become 255 (0, white) and 0. Numbers of 8 bits are scaled to 255, bytes are as they are stored.
/// A picture that is not complete, or with more than `most` pixels, is damaged.
/// Source: the pages pbm(5), pgm(5) and ppm(5) of Netpbm.
DecodedPicture decode_pnm(std::string_view bytes, uint64_t most);

}  // namespace n2d2::data
