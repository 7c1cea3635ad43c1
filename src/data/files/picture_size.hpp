// How large is a picture, before anything is allocated for it?
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace n2d2::data {

/// Pixels of the largest picture that is read (8192 x 8192): a file of some kilobytes may declare billions.
inline constexpr uint64_t kMostPixels = uint64_t{1} << 26;

struct PictureSize {
  uint64_t width = 0, height = 0;
  friend bool operator==(const PictureSize&, const PictureSize&) = default;
};

/// What the header declares, whatever the name ends in: BMP, JPEG, JPEG 2000, PBM to PAM, PNG, Sun raster,
/// TIFF (of its first picture, or of a tile where that is larger), WebP. Nothing for another kind of file and
/// for a header that is cut or wrong.
std::optional<PictureSize> picture_size(const std::filesystem::path& path);

}  // namespace n2d2::data
