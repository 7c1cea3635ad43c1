// Answers: in which runs are the pixels of an element-wise layer visited?
// Part of an exported project; may be used without condition.
//
// No config fields of its own. A run is a block of elements that lie one after the other in the output and in
// every input: a piece of a whole row where all of them have dense rows, else a piece of one pixel's
// channels. Rows come in scan order, everything else in ascending order. A run is read completely before it is
// written, so an output may lie exactly on an input.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum { kRun = 64 };  // elements worked on together

// The runs of a row of an element-wise layer. `dense`: every plane has dense rows, so a run may go on into the next
// pixels.
struct Runs {
  int width, length;

  N2D2_INLINE Runs(const Plane& dst, bool dense)
      : width(dense ? 1 : dst.w), length(dense ? dst.w * dst.c : dst.c) {}
  N2D2_INLINE int size(int first) const { return smaller(kRun, length - first); }
};

// Calls use(y, x, first, n): n elements, n <= kRun, from channel `first` of pixel (x, y) on.
template <class Use>
N2D2_INLINE void for_runs(const Plane& dst, Rows rows, int bottom_up, bool dense, const Use& use) {
  const Runs runs(dst, dense);
  for (int r = 0; r < rows.count; ++r)
    for (int x = 0; x < runs.width; ++x)
      for (int first = 0; first < runs.length; first += kRun)
        use(scan(bottom_up, r, rows), x, first, runs.size(first));
}

}  // namespace N2D2_EXPORT_NAMESPACE
