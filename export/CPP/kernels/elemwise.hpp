// Answers: what is the weighted sum of any number of tensors, each on its own scale?
// Part of an exported project; may be used without condition.
//
// y = clamp((sum over operands p of x_p * m_p + h) >> shift) in 64 bits, h = 2^(shift-1) (0 if shift = 0):
// one rounding. In a float network y = clamp(sum of x_p * m_p). Config fields of the layer: out_*, bottom_up
// of plane.hpp; lo, hi, shift of rescale.hpp. Config fields of an operand: in_* of plane.hpp (in_w, in_h,
// in_c equal out_w, out_h, out_c) and
//   multiplier   m_p: int32_t, any sign; float in a float network
//   is_signed    how to read the operand's elements. 1: as signed, 0: as unsigned integers of their size,
//                whatever the signedness of the pointer's type; not read in a float network
// Call: sum(c, rows, out, operand(c0, in0), operand(c1, in1), ...). The output may lie exactly on any operand.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "blocks.hpp"
#include "rescale.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class P, class In>
struct Operand {
  const P& c;
  const In* data;
};

template <class P, class In>
N2D2_INLINE Operand<P, In> operand(const P& c, const In* data) {
  const Operand<P, In> o = {c, data};
  return o;
}

// Signed and unsigned reading of an element type, and the accumulator of a sum of products. Of 32 bits are outputs only.
template <class In>
struct Reading;
template <>
struct Reading<uint8_t> {
  typedef int8_t Signed;
  typedef uint8_t Unsigned;
  typedef int64_t Sum;
  typedef int32_t Multiplier;
};
template <>
struct Reading<int8_t> : Reading<uint8_t> {};
template <>
struct Reading<uint16_t> {
  typedef int16_t Signed;
  typedef uint16_t Unsigned;
  typedef int64_t Sum;
  typedef int32_t Multiplier;
};
template <>
struct Reading<int16_t> : Reading<uint16_t> {};
template <>
struct Reading<int32_t> {
  typedef int64_t Sum;
};
template <>
struct Reading<float> {
  typedef float Signed;
  typedef float Unsigned;
  typedef float Sum;
  typedef float Multiplier;
};

template <class Out, class C>
N2D2_INLINE Out finish_sum(const C& c, int64_t sum) {
  return shift_round<Out>(c, sum);
}
template <class Out, class C>
N2D2_INLINE Out finish_sum(const C& c, float sum) {
  return clamp_to<Out>(c, sum);
}

template <class Sum>
N2D2_INLINE void add_operands(Sum*, int, int, int, int) {}

// Adds the products of each operand in turn to sums[0, n).
template <class Sum, class P, class In, class... Rest>
N2D2_INLINE void add_operands(Sum* sums, int y, int x, int first, int n, const Operand<P, In>& o,
                              const Rest&... rest) {
  typedef Reading<In> R;
  const Plane src = in_plane(o.c);
  const In* from = o.data + src.row_at(y) + src.pixel_at(x) + first;
  const Sum m = static_cast<Sum>(static_cast<typename R::Multiplier>(o.c.multiplier));
  if (o.c.is_signed)
    for (int i = 0; i < n; ++i) sums[i] += static_cast<Sum>(static_cast<typename R::Signed>(from[i])) * m;
  else
    for (int i = 0; i < n; ++i) sums[i] += static_cast<Sum>(static_cast<typename R::Unsigned>(from[i])) * m;
  add_operands(sums, y, x, first, n, rest...);
}

N2D2_INLINE bool all_dense() {
  return true;
}
template <class P, class In, class... Rest>
N2D2_INLINE bool all_dense(const Operand<P, In>& o, const Rest&... rest) {
  return in_plane(o.c).dense_rows() && all_dense(rest...);
}

template <class Out, class C, class... Operands>
N2D2_INLINE void sum_run(const C& c, Out* out, int y, int x, int first, int n, const Operands&... operands) {
  typedef typename Reading<Out>::Sum Sum;
  const Plane dst = out_plane(c);
  Sum sums[RunOf<Sum>::kSize];
  for (int i = 0; i < n; ++i) sums[i] = 0;
  add_operands(sums, y, x, first, n, operands...);
  Out* to = out + dst.row_at(y) + dst.pixel_at(x) + first;
  for (int i = 0; i < n; ++i) to[i] = finish_sum<Out>(c, sums[i]);
}

template <class C, class Out, class... Operands>
N2D2_INLINE void sum(const C& c, Rows rows, Out* out, const Operands&... operands) {
  enum { kRun = RunOf<typename Reading<Out>::Sum>::kSize };
  const Plane dst = out_plane(c);
  const bool dense = dst.dense_rows() && all_dense(operands...);
  const int width = dense ? 1 : dst.w;
  const int length = dense ? dst.w * dst.c : dst.c;
  const int whole = length / kRun * kRun;
  for (int r = 0; r < rows.count; ++r)
    for (int x = 0; x < width; ++x) {
      const int y = scan(c.bottom_up, r, rows);
      for (int first = 0; first < whole; first += kRun) sum_run(c, out, y, x, first, kRun, operands...);
      if (whole < length) sum_run(c, out, y, x, whole, length - whole, operands...);
    }
}

}  // namespace N2D2_EXPORT_NAMESPACE
