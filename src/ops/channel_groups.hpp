// Where are the channels of a group at one position? What softmax and its logarithm walk over.
#pragma once

#include <cstdint>

#include "n2d2/tensor/shape.hpp"

namespace n2d2::ops {

/// Calls group(first) for each group of each position; its channels are at first + k * pixels, k < size.
template <class Group>
void for_groups(const Shape& s, int64_t size, Group&& group) {
  const int64_t pixels = s.h() * s.w();
  for (int64_t n = 0; n < s.n(); ++n)
    for (int64_t c = 0; c < s.c(); c += size)
      for (int64_t p = 0; p < pixels; ++p) group((n * s.c() + c) * pixels + p);
}

}  // namespace n2d2::ops
