// Which part of a picture is meant by a rectangle?
#pragma once

#include "n2d2/data/database.hpp"

namespace n2d2::data {

/// What of the rectangle lies in a picture of this size; a width or height of 0: nothing.
Roi inside(const Roi& roi, int width, int height);

/// The pixels of a rectangle that lies inside the picture and is not empty.
Image cut(const Image& image, const Roi& roi);

}  // namespace n2d2::data
