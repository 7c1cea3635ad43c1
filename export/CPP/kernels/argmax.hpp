// Answers: which class does each pixel of the network's output have?
// Part of an exported project; may be used without condition.
//
// classes[x + in_w * y] is the index of the largest channel, the first one of equals. With a single channel
// it is 1 if the value is above the threshold, else 0. Config fields: in_* of plane.hpp and
//   threshold   for a single channel; int, float in a float network (0 for signed and float, half of the
//               type's maximum for unsigned values)
// Stack: none of note. Scratch: none.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class C, class In>
N2D2_INLINE void argmax(const C& c, const In* in, int32_t* classes) {
  const Plane src = in_plane(c);
  for (int y = 0; y < src.h; ++y)
    for (int x = 0; x < src.w; ++x) {
      const In* pixel = in + src.row_at(y) + src.pixel_at(x);
      int32_t best = 0;
      for (int k = 1; k < src.c; ++k)
        if (pixel[k] > pixel[best]) best = k;
      if (src.c == 1) best = pixel[0] > c.threshold ? 1 : 0;
      classes[x + static_cast<ptrdiff_t>(src.w) * y] = best;
    }
}

}  // namespace N2D2_EXPORT_NAMESPACE
