// Answers: in which runs are the pixels of an element-wise layer visited?
// Part of an exported project; may be used without condition.
//
// No config fields of its own. A run is a block of elements that lie one after the other in the output and in
// every input: a piece of a whole row where all of them have dense rows, else a piece of one pixel's
// channels. Rows, in a single row pixels, come in scan order, everything else in ascending order (the runs of a
// dense single row of several pixels follow its scan). A run is read completely before it is written, so an
// output may lie exactly on an input.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum { kRun = 64 };  // elements worked on together

// The runs of an element-wise layer. `dense`: every plane has dense rows, so a run may go on into the next pixels.
struct Runs {
  int rows, width, length, count;
  bool back;

  N2D2_INLINE Runs(const Plane& dst, int bottom_up, bool dense)
      : rows(dst.h),
        width(dense ? 1 : dst.w),
        length(dense ? dst.w * dst.c : dst.c),
        count((length + kRun - 1) / kRun),
        back(bottom_up && dst.h == 1 && dst.w > 1) {}
  // First element of the b-th run of a row or pixel, in elements.
  N2D2_INLINE int first(int b) const { return scan(back && width == 1, b, count) * kRun; }
  N2D2_INLINE int pixel(int i) const { return scan(back, i, width); }
  N2D2_INLINE int size(int first) const { return smaller(kRun, length - first); }
};

// Calls use(y, x, first, n): n elements, n <= kRun, from channel `first` of pixel (x, y) on.
template <class Use>
N2D2_INLINE void for_runs(const Plane& dst, int bottom_up, bool dense, const Use& use) {
  const Runs runs(dst, bottom_up, dense);
  for (int r = 0; r < runs.rows; ++r)
    for (int i = 0; i < runs.width; ++i)
      for (int b = 0; b < runs.count; ++b)
        use(scan(bottom_up, r, runs.rows), runs.pixel(i), runs.first(b), runs.size(runs.first(b)));
}

}  // namespace N2D2_EXPORT_NAMESPACE
