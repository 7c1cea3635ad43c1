// Answers: what does a fully connected layer compute over an input of any planned buffer?
// Part of an exported project; may be used without condition.
//
// y = rescale(bias[o] + sum over (y, x, c) of x * w), one output pixel.
// Config fields: in_*, out_c of plane.hpp (the output is 1 x 1 x out_c and does not wrap; its other fields
// are not read); lo, hi, shift, factor_step of rescale.hpp; and
//   parallel   1: blocks of outputs may run on several threads (needs OpenMP); 0: one thread
// Arrays: weights [out_c][in_h][in_w][in_c], bias [out_c], factor [out_c] or [1] by factor_step.
// Output and input must not overlap.
#pragma once

#include "conv.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Outputs [first, first + count), count <= kOutputBlock.
template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE void fc_block(const C& c, const In* in, Out* out, const Weight* weights, const Sum* bias,
                          const Factor* factor, int first, int count) {
  const Plane src = in_plane(c);
  const ptrdiff_t window = static_cast<ptrdiff_t>(src.h) * src.w * src.c;
  const Weight* rows = weights + first * window;
  Sum sums[1][kOutputBlock + 4];
  for (int n = 0; n < count; ++n) sums[0][n] = bias[first + n];
  for (int n = count; n < count + 3; ++n) sums[0][n] = 0;
  if (src.dense()) {
    dot_block<1>(&in, rows, window, count, static_cast<int>(window), sums);
  } else {
    const int run = src.dense_rows() ? src.w * src.c : src.c;
    const int runs = src.dense_rows() ? 1 : src.w;
    for (int y = 0; y < src.h; ++y)
      for (int x = 0; x < runs; ++x) {
        const In* from = in + src.row_at(y) + src.pixel_at(x);
        dot_block<1>(&from, rows + (static_cast<ptrdiff_t>(y) * runs + x) * run, window, count, run, sums);
      }
  }
  rescale_run(c, sums[0], factor + first * c.factor_step, count, out + first);
}

template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE void fc(const C& c, const In* in, Out* out, const Weight* weights, const Sum* bias,
                    const Factor* factor) {
  const int blocks = (c.out_c + kOutputBlock - 1) / kOutputBlock;
#if defined(_OPENMP)
  if (c.parallel) {
#pragma omp parallel for schedule(static)
    for (int b = 0; b < blocks; ++b)
      fc_block(c, in, out, weights, bias, factor, b * kOutputBlock,
               smaller(kOutputBlock, c.out_c - b * kOutputBlock));
    return;
  }
#endif
  for (int b = 0; b < blocks; ++b)
    fc_block(c, in, out, weights, bias, factor, b * kOutputBlock,
             smaller(kOutputBlock, c.out_c - b * kOutputBlock));
}

}  // namespace N2D2_EXPORT_NAMESPACE
