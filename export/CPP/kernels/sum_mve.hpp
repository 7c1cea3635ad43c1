// Answers: how do MVE instructions (Cortex-M55, M85) add bytes of two tensors, each with a multiplier?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list for sums of elemwise.hpp of two operands with the
// size of the output, all of 8 bits. Other sums take the portable form. Multipliers of 31 bits are exact in
// 32 bits: with m = 65536 * high + low, (sum of x * m + 2^(f-1)) >> f is
//   ((sum of x * high) + ((sum of x * low) >> 16) + 2^(f-17)) >> (f - 16),  f >= 17,
// because the bits below 2^16 change nothing. With smaller shifts the products must fit 32 bits.
// Stack: below kStackBytes (plane.hpp). Scratch: none.
#pragma once

#include "elemwise.hpp"

#if defined(__GNUC__)  // the code is assembly

#if defined(__clang__)
#define N2D2_MVE_NAKED __attribute__((naked, noinline)) inline
#else
#define N2D2_MVE_NAKED __attribute__((naked, noinline, noclone)) inline
#endif

namespace N2D2_EXPORT_NAMESPACE {

// What a run adds: both multipliers in halves; minus_shift is 16 - f. With whole multipliers (high halves
// and minus_shift = -f) the low halves are not read. The start of the sum is start * 2^16 + start_low, or
// start with whole multipliers; start_low >= 0.
struct MveSum {
  int32_t high[2], low[2], minus_shift, lo, hi, start, start_low;
};

#define N2D2_MVE_SUM_START "push {r4-r9,lr}\n vpush {d8-d11}\n ldr r9,[sp,#60]\n ldm r9,{r4-r9}\n"
// r4, r5: high halves; r6, r7: low halves; r8: shift; q2, q3: bounds.
#define N2D2_MVE_SUM_BOUNDS "vdup.32 q2,r9\n ldr r9,[sp,#60]\n ldr r12,[r9,#24]\n vdup.32 q3,r12\n"
// q5: the first high half; r4: start; r12: start_low.
#define N2D2_MVE_SUM_STARTS "vdup.32 q5,r4\n ldr r4,[r9,#28]\n ldr r12,[r9,#32]\n"
#define N2D2_MVE_SUM_LOADS(A, B) "dlstp.32 lr,r3\n 1: vldrb." A "32 q0,[r0],#4\n vldrb." B "32 q1,[r1],#4\n"
#define N2D2_MVE_SUM_LOW "vmul.i32 q4,q0,r6\n vmla.s32 q4,q1,r7\n"
#define N2D2_MVE_SUM_END(Q)                                                              \
  "vrshl.s32 " Q ",r8\n vmax.s32 " Q "," Q ",q2\n vmin.s32 " Q "," Q ",q3\n vstrb.32 " Q \
  ",[r2],#4\n"                                                                           \
  "letp lr,1b\n vpop {d8-d11}\n pop {r4-r9,pc}\n"

// Adds n elements of two operands, which are signed or not; `whole`: multipliers are whole; `starts`: the sum
// does not start from 0.
template <int a_signed, int b_signed, int whole, int starts>
struct MveAdd;
#define N2D2_MVE_ADD_FORM(A_SIGNED, B_SIGNED, WHOLE, STARTS, CODE)                        \
  template <>                                                                             \
  struct MveAdd<A_SIGNED, B_SIGNED, WHOLE, STARTS> {                                      \
    static N2D2_MVE_NAKED void run(const void*, const void*, void*, int, const MveSum*) { \
      __asm__ volatile(N2D2_MVE_SUM_START N2D2_MVE_SUM_BOUNDS CODE);                      \
    }                                                                                     \
  };
#define N2D2_MVE_ADD(A_SIGNED, B_SIGNED, A, B)                                                         \
  N2D2_MVE_ADD_FORM(A_SIGNED, B_SIGNED, 0, 0,                                                          \
                    "mvn r9,#15\n" N2D2_MVE_SUM_LOADS(A, B) N2D2_MVE_SUM_LOW                           \
                    "vshl.s32 q4,r9\n vmla.s32 q4,q0,r4\n vmla.s32 q4,q1,r5\n" N2D2_MVE_SUM_END("q4")) \
  N2D2_MVE_ADD_FORM(                                                                                   \
      A_SIGNED, B_SIGNED, 1, 0,                                                                        \
      N2D2_MVE_SUM_LOADS(A, B) "vmul.i32 q4,q0,r4\n vmla.s32 q4,q1,r5\n" N2D2_MVE_SUM_END("q4"))       \
  N2D2_MVE_ADD_FORM(A_SIGNED, B_SIGNED, 0, 1,                                                          \
                    N2D2_MVE_SUM_STARTS "mvn r9,#15\n" N2D2_MVE_SUM_LOADS(A, B) N2D2_MVE_SUM_LOW       \
                    "vadd.i32 q4,q4,r12\n vmlas.s32 q0,q5,r4\n vshl.s32 q4,r9\n vmla.s32 q0,q1,r5\n"   \
                    "vadd.i32 q0,q0,q4\n" N2D2_MVE_SUM_END("q0"))                                      \
  N2D2_MVE_ADD_FORM(A_SIGNED, B_SIGNED, 1, 1,                                                          \
                    N2D2_MVE_SUM_STARTS N2D2_MVE_SUM_LOADS(                                            \
                        A, B) "vmlas.s32 q0,q5,r4\n vmla.s32 q0,q1,r5\n" N2D2_MVE_SUM_END("q0"))
N2D2_MVE_ADD(0, 0, "u", "u")
N2D2_MVE_ADD(0, 1, "u", "s")
N2D2_MVE_ADD(1, 0, "s", "u")
N2D2_MVE_ADD(1, 1, "s", "s")

// The arguments of MveAdd::run().
struct MveSumRun {
  const void *a, *b;
  void* out;
  int n;
  const MveSum& sum;

  template <int a_signed, int b_signed>
  N2D2_INLINE void run(bool whole) const {
    const bool starts = sum.start != 0 || sum.start_low != 0;
    if (whole && starts) return MveAdd<a_signed, b_signed, 1, 1>::run(a, b, out, n, &sum);
    if (whole) return MveAdd<a_signed, b_signed, 1, 0>::run(a, b, out, n, &sum);
    if (starts) return MveAdd<a_signed, b_signed, 0, 1>::run(a, b, out, n, &sum);
    MveAdd<a_signed, b_signed, 0, 0>::run(a, b, out, n, &sum);
  }
};
N2D2_INLINE void mve_add(int a_signed, int b_signed, bool whole, const MveSumRun& add) {
  if (a_signed == 0 && b_signed == 0) return add.run<0, 0>(whole);
  if (a_signed == 0) return add.run<0, 1>(whole);
  if (b_signed == 0) return add.run<1, 0>(whole);
  add.run<1, 1>(whole);
}

// Returns whether (start + sum of the products of two operands + half) fits 32 bits.
N2D2_INLINE bool mve_sum_fits(int32_t m, int32_t n, int64_t start, int shift) {
  const int64_t a = m, b = n;
  const int64_t magnitude = (start < 0 ? -start : start) + ((a < 0 ? -a : a) + (b < 0 ? -b : b)) * 255;
  return shift < 31 && magnitude + (static_cast<int64_t>(1) << (shift < 31 ? shift : 0)) <= INT32_MAX;
}
// Returns whether the high half of the start leaves room for the high halves of the products in 32 bits.
N2D2_INLINE bool mve_may_start(int64_t start) {
  const int64_t most = static_cast<int64_t>(1) << 46;
  return -most <= start && start <= most;
}

template <class P, class In>
N2D2_INLINE bool mve_sum_reads(const Plane& dst, const Operand<P, In>& o) {
  return sizeof(In) == 1 && o.c.in_w == dst.w && o.c.in_h == dst.h && o.c.in_c == dst.c;
}

// Two operands of bytes, row by row.
template <class Out>
struct MveSumRows {
  enum { kThere = 1 };
  template <class C, class A, class InA, class B, class InB>
  static N2D2_INLINE bool fits(const C& c, const Operand<A, InA>& a, const Operand<B, InB>& b) {
    const Plane dst = out_plane(c);
    return mve_sum_reads(dst, a) && mve_sum_reads(dst, b) && mve_may_start(start_of(c)) &&
           (c.shift >= 17 || mve_sum_fits(a.c.multiplier, b.c.multiplier, start_of(c), c.shift));
  }
  template <class C, class... Operands>
  static N2D2_INLINE bool fits(const C&, const Operands&...) {
    return false;
  }
  template <class C, class A, class InA, class B, class InB>
  static N2D2_INLINE void run(const C& c, Rows rows, Out* out, const Operand<A, InA>& a,
                              const Operand<B, InB>& b) {
    const Plane dst = out_plane(c), src_a = in_plane(a.c), src_b = in_plane(b.c);
    const int32_t m = a.c.multiplier, n = b.c.multiplier;
    const int64_t start = start_of(c);
    const bool whole = mve_sum_fits(m, n, start, c.shift);
    const int low = whole ? 0 : 16;
    const MveSum sum = {{m >> low, n >> low},
                        {m & 0xffff, n & 0xffff},
                        low - c.shift,
                        c.lo,
                        c.hi,
                        static_cast<int32_t>(start >> low),
                        static_cast<int32_t>(start & (whole ? 0 : 0xffff))};
    const bool dense = dst.dense_rows() && src_a.dense_rows() && src_b.dense_rows();
    const int width = dense ? 1 : dst.w, length = dense ? dst.w * dst.c : dst.c;
    for (int r = 0; r < rows.count; ++r) {
      const int y = scan(c.bottom_up, r, rows);
      for (int x = 0; x < width; ++x)
        mve_add(a.c.is_signed, b.c.is_signed, whole,
                {a.data + src_a.row_at(y) + src_a.pixel_at(x), b.data + src_b.row_at(y) + src_b.pixel_at(x),
                 out + dst.row_at(y) + dst.pixel_at(x), length, sum});
    }
  }
  template <class... Layer>
  static N2D2_INLINE void run(const Layer&...) {}
};
template <>
struct SumRows<uint8_t> : MveSumRows<uint8_t> {};
template <>
struct SumRows<int8_t> : MveSumRows<int8_t> {};

}  // namespace N2D2_EXPORT_NAMESPACE

#endif
