// Answers: which real numbers do the elements of an output represent?
// Part of an exported project; may be used without condition.
//
// to[(y * in_w + x) * in_c + k] = scale * element (y, x, k). Config fields: in_* of plane.hpp.
// Stack: none of note. Scratch: none.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class C, class In>
N2D2_INLINE void scores(const C& c, const In* in, float scale, float* to) {
  const Plane src = in_plane(c);
  for (int y = 0; y < src.h; ++y)
    for (int x = 0; x < src.w; ++x) {
      const In* pixel = in + src.row_at(y) + src.pixel_at(x);
      for (int k = 0; k < src.c; ++k) *to++ = scale * static_cast<float>(pixel[k]);
    }
}

}  // namespace N2D2_EXPORT_NAMESPACE
