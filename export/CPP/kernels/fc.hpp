// Answers: what does a fully connected layer compute over an input of any planned buffer?
// Part of an exported project; may be used without condition.
//
// y = rescale(bias[o] + sum over (y, x, c) of x * w), one output pixel: `rows` is {0, 1} or empty.
// Config fields: in_*, out_c of plane.hpp (the output is 1 x 1 x out_c and does not wrap; its other fields
// are not read); lo, hi, shift, factor_step of rescale.hpp; and
//   parallel   1: blocks of outputs may run on several threads (needs OpenMP); 0: one thread
// Arrays: weights [out_c][in_h][in_w][in_c], bias [out_c], factor [out_c] or [1] by factor_step.
// Stack: N2D2_PATCH_BYTES for the values of an input with gaps. Output and input must not overlap.
#pragma once

#include "conv.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Elements [first, first + n) of a tensor in the order (y, x, channel).
template <class In>
N2D2_INLINE void gather_elements(const Plane& src, const In* in, ptrdiff_t first, int n, In* patch) {
  int pixel = static_cast<int>(first / src.c);
  int channel = static_cast<int>(first % src.c);
  while (n > 0) {
    const int length = smaller(src.c - channel, n);
    copy_run(in + src.row_at(pixel / src.w) + src.pixel_at(pixel % src.w) + channel, length, patch);
    patch += length, n -= length;
    channel = 0, ++pixel;
  }
}

// Outputs [first, first + count), count <= kOutputBlock. Float sums are cut in the same pieces wherever the input
// lies, so that its place does not change them.
template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE void fc_block(const C& c, const In* in, Out* out, const Weight* weights, const Sum* bias,
                          const Factor* factor, int first, int count) {
  enum { kPatch = N2D2_PATCH_BYTES / sizeof(In) };
  const Plane src = in_plane(c);
  const int window = src.h * src.w * src.c;
  const Weight* rows = weights + static_cast<ptrdiff_t>(first) * window;
  const bool exact = static_cast<Sum>(0.5f) == static_cast<Sum>(0);
  Sum sums[1][kOutputBlock + 4];
  for (int n = 0; n < count; ++n) sums[0][n] = bias[first + n];
  for (int n = count; n < count + 3; ++n) sums[0][n] = 0;
  if (src.dense()) {
    const int piece = exact ? window : kPatch;
    for (int k = 0; k < window; k += piece) {
      const In* from = in + k;
      dot_block<1>(&from, rows + k, window, count, smaller(piece, window - k), sums);
    }
  } else {
    alignas(64) In patch[kPatch];
    const In* from = patch;
    for (int k = 0; k < window; k += kPatch) {
      const int n = smaller(kPatch, window - k);
      gather_elements(src, in, k, n, patch);
      dot_block<1>(&from, rows + k, window, count, n, sums);
    }
  }
  rescale_run(c, sums[0], factor + first * c.factor_step, count, out + first);
}

template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE void fc(const C& c, Rows rows, const In* in, Out* out, const Weight* weights, const Sum* bias,
                    const Factor* factor) {
  if (rows.count < 1) return;
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
