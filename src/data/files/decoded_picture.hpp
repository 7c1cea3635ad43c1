// What does the decoder of one kind of picture give?
#pragma once

#include <string>

#include "n2d2/data/image.hpp"

namespace n2d2::data {

struct DecodedPicture {
  /// Depth and channels as stored; empty when the picture is damaged.
  Image image;
  /// What the library says of bytes that are missing or wrong.
  std::string damage;
  /// What the library says of bytes that it skipped; the picture is whole.
  std::string remark;
};

}  // namespace n2d2::data
