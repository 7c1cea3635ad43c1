// Which picture do the bytes of a JPEG file hold, and is it whole?
#pragma once

#include <cstdint>
#include <string_view>

#include "decoded_picture.hpp"

namespace n2d2::data {

bool is_jpeg(std::string_view bytes);

/// Decodes as OpenCV does, in the order of rows of the file, to U8 of one channel or of blue, green, red.
/// Four inks become colours. A picture of which a part would be made up, or with more than `most` pixels, is
/// damaged. Nothing is printed.
DecodedPicture decode_jpeg(std::string_view bytes, uint64_t most);

}  // namespace n2d2::data
