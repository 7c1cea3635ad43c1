// Answers: in which runs are the pixels of an element-wise layer visited?
// Part of an exported project; may be used without condition.
//
// No config fields of its own. A run is a block of elements that lie one after the other in the output and in
// every input: a piece of a whole row where all of them have dense rows, else a piece of one pixel's
// channels. Runs come in scan order and a run is read completely before it is written, so an output may lie
// exactly on an input.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum { kRun = 64 };  // elements worked on together

// Calls use(y, x, first, n): n elements, n <= kRun, from channel `first` of pixel (x, y) on. `dense`: every
// plane has dense rows, so a run may go on into the next pixels.
template <class Use>
N2D2_INLINE void for_runs(const Plane& dst, int bottom_up, bool dense, const Use& use) {
  const int width = dense ? 1 : dst.w;
  const int length = dense ? dst.w * dst.c : dst.c;
  const int runs = (length + kRun - 1) / kRun;
  const bool back = bottom_up && dst.h == 1;
  for (int r = 0; r < dst.h; ++r)
    for (int i = 0; i < width; ++i)
      for (int b = 0; b < runs; ++b) {
        const int first = (back ? runs - 1 - b : b) * kRun;
        use(scan(bottom_up, r, dst.h), scan(back, i, width), first, smaller(kRun, length - first));
      }
}

}  // namespace N2D2_EXPORT_NAMESPACE
