// How was the camera held when a picture was taken?
#pragma once

#include <filesystem>

namespace n2d2::data {

/// The orientation 1 to 8 that the EXIF data of a JPEG or PNG file declare; 1, upright, where there are none.
/// OpenCV sets TIFF upright by itself.
///   1 upright  2 mirrored  3 turned by 180 degrees  4 upside down  5 rows are columns
///   6 to be turned right by 90 degrees  7 rows are columns, turned by 180 degrees  8 to be turned left
/// Source: EXIF 2.32 (CIPA DC-008), tag 274.
int picture_orientation(const std::filesystem::path& path);

/// Whether width and height change places when the picture is set upright.
constexpr bool is_turned_sideways(int orientation) {
  return orientation >= 5;
}

}  // namespace n2d2::data
