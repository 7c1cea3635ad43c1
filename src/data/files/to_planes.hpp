// How do the values of a picture become those of a tensor?
#pragma once

#include "n2d2/data/image.hpp"

namespace n2d2::data {

struct ProviderOptions;

/// What happens to every value last.
struct InputMapping {
  /// Integers go to [-1, 1) instead of [0, 1].
  bool is_signed = false;
  /// Values are the nearest of this many between min and max; 0: as they are.
  int levels = 0;
  double min = 0, max = 1;
};
InputMapping input_mapping(const ProviderOptions& options);

/// C,H,W floats of the picture. Integers are normalized.
void to_planes(const Image& image, const InputMapping& mapping, float* to);

}  // namespace n2d2::data
