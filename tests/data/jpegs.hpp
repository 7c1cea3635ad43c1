// How do tests get JPEG files? Encoded here, with EXIF data, cut, or with bytes between.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include <jpeglib.h>

#include "n2d2/data/image.hpp"

namespace n2d2::data {

/// A picture of U8 with one channel, or blue, green and red.
inline std::string jpeg_of(const Image& image, int quality = 95) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &bytes, &size);
  jpeg.image_width = static_cast<JDIMENSION>(image.width());
  jpeg.image_height = static_cast<JDIMENSION>(image.height());
  jpeg.input_components = image.channels();
  jpeg.in_color_space = image.channels() == 1 ? JCS_GRAYSCALE : JCS_EXT_BGR;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, quality, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    const size_t row = static_cast<size_t>(jpeg.next_scanline) * static_cast<size_t>(image.width()) *
                       static_cast<size_t>(image.channels());
    JSAMPROW from = const_cast<JSAMPROW>(reinterpret_cast<const unsigned char*>(image.raw()) + row);
    jpeg_write_scanlines(&jpeg, &from, 1);
  }
  jpeg_finish_compress(&jpeg);
  std::string out(reinterpret_cast<const char*>(bytes), size);
  jpeg_destroy_compress(&jpeg);
  std::free(bytes);
  return out;
}

/// The TIFF structure of EXIF data with one entry, the orientation.
inline std::string exif_of(int orientation, bool is_little = true) {
  const auto value = static_cast<char>(orientation);
  const std::string little("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0", 18);
  const std::string big("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01", 18);
  return is_little ? little + value + std::string(7, '\0') : big + '\0' + value + std::string(6, '\0');
}

/// The JPEG file with EXIF data in a segment behind its start.
inline std::string with_exif(const std::string& jpeg, const std::string& exif) {
  const size_t length = 2 + 6 + exif.size();
  return jpeg.substr(0, 2) + "\xff\xe1" + static_cast<char>(length >> 8U) +
         static_cast<char>(length & 0xffU) + std::string("Exif\0\0", 6) + exif + jpeg.substr(2);
}

}  // namespace n2d2::data
