// Answers: in which runs does an element-wise layer visit its pixels?
// Part of an exported project; may be used without condition.
//
// It has no config fields. A run is a block of elements that are contiguous in the output and in every input:
// a piece of a whole row where all of them have dense rows, else a piece of one pixel's channels. Rows come
// in scan order, everything else in ascending order. A run is read completely before it is written, so an
// output may start exactly on an input.
// Stack: below kStackBytes (plane.hpp) with the layer's run. Scratch: none.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Number of elements that are computed together; T holds one of them meanwhile.
template <class T>
struct RunOf {
  enum { kSize = kBlockBytes / sizeof(T) };
};

// Calls use(y, x, first, n) for n elements, n <= kSize, from channel `first` of pixel (x, y) on. `dense`:
// every plane has dense rows, so a run may continue into the next pixels.
template <int kSize, class Use>
N2D2_INLINE void for_runs(const Plane& dst, Rows rows, int bottom_up, bool dense, const Use& use) {
  const int width = dense ? 1 : dst.w;
  const int length = dense ? dst.w * dst.c : dst.c;
  const int whole = length / kSize * kSize;
  for (int r = 0; r < rows.count; ++r)
    for (int x = 0; x < width; ++x) {
      const int y = scan(bottom_up, r, rows);
      for (int first = 0; first < whole; first += kSize) use(y, x, first, static_cast<int>(kSize));
      if (whole < length) use(y, x, whole, length - whole);
    }
}

// Computes a run of one input with a factor for each element: Step::run(c, in, factor, n, out).
template <class Step, class C, class In, class Out, class Factor>
struct FactorRun {
  const C& c;
  const In* in;
  Out* out;
  const Factor* factor;

  N2D2_INLINE void operator()(int y, int x, int first, int n) const {
    const Plane src = in_plane(c);
    const Plane dst = out_plane(c);
    Step::run(c, in + src.row_at(y) + src.pixel_at(x) + first, factor + first * c.factor_step, n,
              out + dst.row_at(y) + dst.pixel_at(x) + first);
  }
};

// Applies Step to all elements of these rows, kSize at a time.
template <class Step, int kSize, class C, class In, class Out, class Factor>
N2D2_INLINE void for_factor_runs(const C& c, Rows rows, const In* in, Out* out, const Factor* factor) {
  const FactorRun<Step, C, In, Out, Factor> use = {c, in, out, factor};
  const bool dense = in_plane(c).dense_rows() && out_plane(c).dense_rows();
  for_runs<kSize>(out_plane(c), rows, c.bottom_up, dense && c.factor_step == 0, use);
}

}  // namespace N2D2_EXPORT_NAMESPACE
