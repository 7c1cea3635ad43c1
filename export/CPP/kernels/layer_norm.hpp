// Answers: what are the channels of each pixel with mean 0 and variance 1, scaled and shifted?
// Part of an exported project; may be used without condition.
//
// Integers: q counts from the integer that stands for 0, n = out_c, S = sum of q (0 unless centered), and
// D = n sum of q^2 - S^2 + terms[0] + terms[1] 2^30. With the least h for which D 4^h >= 2^60,
// r = floor(2^61 / floor(sqrt(D 4^h))) and N_c = (n q_c - S) r >> (45 - h), or 0 where D is 0,
// y_c = rescale(start + (N_c terms[4 + 2c] >> 20) + terms[5 + 2c], factor[0]).
// Floats: y_c = clamp((x_c - mean) / sqrt(variance + epsilon) terms[4 + 2c] + terms[5 + 2c]); the mean is 0
// unless centered. Config fields, besides those of plane.hpp (in_, out_, bottom_up; out_w, out_h, out_c equal
// in_w, in_h, in_c) and rescale.hpp (lo, hi, shift, factor_step = 0):
//   centered      1: the mean is taken off; 0: it is taken for 0
//   epsilon       float; read in a float network
//   start         int64_t; a config without it has 0
//   zero          the integer of the input that stands for 0; a config without it has 0
// out_c is at most 16384. terms [2 (out_c + 2)] are int32_t, floats in a float network.
// The output may start exactly on the input if the elements have the same size.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include <math.h>

#include "product.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Returns the largest integer whose square is at most x, for x in [2^60, 2^62).
N2D2_INLINE uint32_t root_of(int64_t x) {
  uint64_t rest = static_cast<uint64_t>(x), root = 0;
  for (int bit = 60; bit >= 0; bit -= 2) {
    const uint64_t next = root + (static_cast<uint64_t>(1) << bit);
    root >>= 1;
    if (rest < next) continue;
    rest -= next;
    root += static_cast<uint64_t>(1) << bit;
  }
  return static_cast<uint32_t>(root);
}

template <class C, class In, class Out, class Factor>
N2D2_INLINE void normalize(const C& c, const In* x, Out* y, const int32_t* terms, const Factor* factor) {
  typedef typename SumOf<In>::type Sum;
  const Sum zero = static_cast<Sum>(zero_of(c));
  const int n = c.out_c;
  Sum sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const Sum q = static_cast<Sum>(x[i]) - zero;
    sum += q;
    squares += q * q;
  }
  const int64_t total = c.centered ? static_cast<int64_t>(sum) : 0;
  int64_t spread = static_cast<int64_t>(n) * squares - total * total + terms[0] +
                   static_cast<int64_t>(terms[1]) * (1 << 30);
  int half = 0;
  int64_t reciprocal = 0;
  if (spread > 0) {
    for (; spread < static_cast<int64_t>(1) << 60; spread <<= 2) ++half;
    reciprocal = (static_cast<int64_t>(1) << 61) / root_of(spread);
  }
  for (int i = 0; i < n; ++i) {
    const int64_t off = static_cast<int64_t>(n) * (static_cast<Sum>(x[i]) - zero) - total;
    const int64_t norm = (off * reciprocal) >> (45 - half);
    const int64_t value = ((norm * terms[4 + 2 * i]) >> 20) + terms[5 + 2 * i] + start_of(c);
    y[i] = rescale<Out>(c, static_cast<int32_t>(value), factor[0]);
  }
}
template <class C, class Out, class Factor>
N2D2_INLINE void normalize(const C& c, const float* x, Out* y, const float* terms, const Factor*) {
  const int n = c.out_c;
  const float count = static_cast<float>(n);
  float sum = 0, squares = 0;
  if (c.centered)
    for (int i = 0; i < n; ++i) sum += x[i];
  const float mean = sum / count;
  for (int i = 0; i < n; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const float length = sqrtf(squares / count + c.epsilon);
  const float share = length > 0 ? 1 / length : 0;
  for (int i = 0; i < n; ++i)
    y[i] = clamp_to<Out>(c, (x[i] - mean) * share * terms[4 + 2 * i] + terms[5 + 2 * i]);
}

template <class C, class In, class Out, class Factor, class Term>
N2D2_INLINE void layer_norm(const C& c, Rows rows, const In* in, Out* out, const Factor* factor,
                            const Term* terms) {
  const Plane src = in_plane(c);
  const Plane dst = out_plane(c);
  for (int r = 0; r < rows.count; ++r)
    for (int x = 0; x < dst.w; ++x) {
      const int y = scan(c.bottom_up, r, rows);
      normalize(c, in + src.row_at(y) + src.pixel_at(x), out + dst.row_at(y) + dst.pixel_at(x), terms,
                factor);
    }
}

}  // namespace N2D2_EXPORT_NAMESPACE
