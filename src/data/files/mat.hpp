// How do OpenCV and Image see the same pixels?
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <opencv2/core.hpp>

#include "n2d2/data/image.hpp"

namespace n2d2::data {

/// A header over the picture's own memory; valid while the picture is.
cv::Mat view(Image& image);
/// The pixels are only read through it.
cv::Mat view(const Image& image);
/// A dense copy. F64 becomes F32, I8 becomes I16.
Image to_image(const cv::Mat& mat);

/// Whether files that end in this (lower case, without dot) are decoded.
bool is_picture_ending(std::string_view ending);

/// Decodes a picture file: depth and channels as stored, colours blue, green, red; set upright
/// by its EXIF data if `is_upright`. ConfigError naming the file when its extension has no reader, it cannot
/// be decoded, or it is damaged.
/// `remarks` gets a sentence with the file's name where a picture that is whole has something odd. Nothing is
/// printed.
Image read_picture(const std::filesystem::path& path, bool is_upright = true,
                   std::vector<std::string>* remarks = nullptr);

}  // namespace n2d2::data
