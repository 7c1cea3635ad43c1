// What samples of sound does a .wav file hold?
#pragma once

#include <filesystem>

#include "n2d2/data/image.hpp"

namespace n2d2::data {

/// RIFF WAVE of integers of 8, 16, 24 or 32 bits, or floats of 32: one row, a column for each moment, a
/// channel for each of the file's. Elements as they are stored: u8, i16, i32 (24 bits are the upper ones of
/// 32), f32. ConfigError "<path>: ...".
Image read_wav(const std::filesystem::path& path);

}  // namespace n2d2::data
