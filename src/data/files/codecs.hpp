// How does OpenCV encode and decode pictures?
//
// Its library brings GDAL and some 80 others, and loading them takes five times as long as all else that
// happens before main(). So the program is not linked with it: the first call loads a library of n2d2 that
// is, lib/n2d2/modules/imgcodecs.so, which is the package n2d2-imgcodecs of Debian. JPEG, PNG, PBM, PGM and
// PPM files do not need it.
#pragma once

#include "codec_functions.hpp"

namespace n2d2::data::codecs {

/// The functions throw cv::Exception. ConfigError where the library is missing.
const Functions& functions();

}  // namespace n2d2::data::codecs
