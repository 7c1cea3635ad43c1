// Which picture do the bytes of a JPEG file hold, and is it whole?
#pragma once

#include <string>
#include <string_view>

#include "n2d2/data/image.hpp"

namespace n2d2::data {

struct DecodedJpeg {
  /// U8, grey or blue, green, red; empty when the picture is damaged.
  Image image;
  /// What libjpeg says of bytes that are missing or wrong.
  std::string damage;
  /// What libjpeg says of bytes that it skipped; the picture is whole.
  std::string remark;
};

bool is_jpeg(std::string_view bytes);

/// Decodes as OpenCV does, in the order of rows of the file. Four inks become colours. A picture of which a
/// part would be made up, or with more than `most` pixels, is damaged. Nothing is printed.
DecodedJpeg decode_jpeg(std::string_view bytes, uint64_t most);

}  // namespace n2d2::data
