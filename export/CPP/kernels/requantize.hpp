// Answers: how do sums of 32 bits become outputs?
// Part of an exported project; may be used without condition.
//
// y = rescale(sum + bias), or rescale(sum) where there is no bias. The rows of the input are the sums of a
// layer (partial_sums.hpp, average_pool_sums of pool.hpp), of which the last out_h are read.
// Config fields: those of plane.hpp (in_, out_, bottom_up; out_w = in_w, out_c = in_c), those of rescale.hpp;
//   small_factors   1: factors are floats of at most 0.5, so that their products with sums fit 32 bits; 0:
//                   they may not be
// Arrays: bias [out_c], factor [out_c] or [1] by factor_step.
// Output and input must not overlap.
// Stack: at most kStackBytes (plane.hpp). Scratch: none.
#pragma once

#include "blocks.hpp"
#include "rescale.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// The sums of a run with the biases of their channels, or without any.
template <class Factor>
struct Biased {
  const int32_t* bias;
  const Factor* factor;

  template <class C, class Out>
  N2D2_INLINE void run(const C& c, int32_t* sums, int first, int n, Out* out) const {
    rescale_biased(c, sums, bias + first, factor + first * c.factor_step, n, out);
  }
};
template <class Factor>
struct Unbiased {
  const Factor* factor;

  template <class C, class Out>
  N2D2_INLINE void run(const C& c, int32_t* sums, int first, int n, Out* out) const {
    rescale_run(c, sums, factor + first * c.factor_step, n, out);
  }
};

template <class C, class Out, class End>
struct RequantizeRun {
  enum { kSize = RunOf<int32_t>::kSize };
  const C& c;
  const int32_t* in;
  Out* out;
  End end;

  N2D2_INLINE void operator()(int y, int x, int first, int n) const {
    const Plane src = in_plane(c), dst = out_plane(c);
    const int32_t* from = in + src.row_at(y + src.h - dst.h) + src.pixel_at(x) + first;
    int32_t sums[kSize];
    for (int i = 0; i < n; ++i) sums[i] = from[i];
    end.run(c, sums, first, n, out + dst.row_at(y) + dst.pixel_at(x) + first);
  }
};

template <class C, class Out, class End>
N2D2_INLINE void requantize_rows(const C& c, Rows rows, const int32_t* in, Out* out, const End& end) {
  typedef RequantizeRun<C, Out, End> Run;
  const Run use = {c, in, out, end};
  for_runs<Run::kSize>(out_plane(c), rows, c.bottom_up, false, use);
}

template <class C, class Out, class Factor>
N2D2_INLINE void requantize(const C& c, Rows rows, const int32_t* in, Out* out, const int32_t* bias,
                            const Factor* factor) {
  const Biased<Factor> end = {bias, factor};
  requantize_rows(c, rows, in, out, end);
}
template <class C, class Out, class Factor>
N2D2_INLINE void requantize(const C& c, Rows rows, const int32_t* in, Out* out, const Factor* factor) {
  const Unbiased<Factor> end = {factor};
  requantize_rows(c, rows, in, out, end);
}

}  // namespace N2D2_EXPORT_NAMESPACE
