// Which numbers does a step take from a file, one for each place of the picture?
#pragma once

#include <string>

#include "n2d2/data/image.hpp"

namespace n2d2::data {

/// A picture, or the first sample of a file of numbers, as floats. ConfigError "<path>: ...".
Image read_matrix(const std::string& path);

/// Writes a picture of floats as .npy of 1,C,H,W. ConfigError "<path>: ...".
void write_matrix(const std::string& path, const Image& matrix);

}  // namespace n2d2::data
