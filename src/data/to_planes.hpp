// Which floats does the network see for the values of a picture?
#pragma once

#include "n2d2/data/image.hpp"

namespace n2d2::data {

/// Interleaved picture to float planes, image.elements() of them. Integers are normalized (spec data 5), floats stay.
void to_planes(const Image& image, bool signed_mapping, float* to);

}  // namespace n2d2::data
