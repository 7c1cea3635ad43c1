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
// and minus_shift = -f) the low halves are not read.
struct MveSum {
  int32_t high[2], low[2], minus_shift, lo, hi;
};

#define N2D2_MVE_SUM_START "push {r4-r9,lr}\n vpush {d8-d9}\n ldr r9,[sp,#44]\n ldm r9,{r4-r9}\n"
// r4, r5: high halves; r6, r7: low halves; r8: shift; q2, q3: bounds.
#define N2D2_MVE_SUM_BOUNDS "vdup.32 q2,r9\n ldr r9,[sp,#44]\n ldr r9,[r9,#24]\n vdup.32 q3,r9\n"
#define N2D2_MVE_SUM_LOADS(A, B) "dlstp.32 lr,r3\n 1: vldrb." A "32 q0,[r0],#4\n vldrb." B "32 q1,[r1],#4\n"
#define N2D2_MVE_SUM_END                                                                         \
  "vrshl.s32 q4,r8\n vmax.s32 q4,q4,q2\n vmin.s32 q4,q4,q3\n vstrb.32 q4,[r2],#4\n letp lr,1b\n" \
  "vpop {d8-d9}\n pop {r4-r9,pc}\n"

// Adds n elements of two operands, which are signed or not; `whole`: multipliers are whole.
template <int a_signed, int b_signed, int whole>
struct MveAdd;
#define N2D2_MVE_ADD(A_SIGNED, B_SIGNED, A, B)                                                   \
  template <>                                                                                    \
  struct MveAdd<A_SIGNED, B_SIGNED, 0> {                                                         \
    static N2D2_MVE_NAKED void run(const void*, const void*, void*, int, const MveSum*) {        \
      __asm__ volatile(N2D2_MVE_SUM_START N2D2_MVE_SUM_BOUNDS "mvn r9,#15\n" N2D2_MVE_SUM_LOADS( \
          A, B) "vmul.i32 q4,q0,r6\n vmla.s32 q4,q1,r7\n vshl.s32 q4,r9\n"                       \
                "vmla.s32 q4,q0,r4\n vmla.s32 q4,q1,r5\n" N2D2_MVE_SUM_END);                     \
    }                                                                                            \
  };                                                                                             \
  template <>                                                                                    \
  struct MveAdd<A_SIGNED, B_SIGNED, 1> {                                                         \
    static N2D2_MVE_NAKED void run(const void*, const void*, void*, int, const MveSum*) {        \
      __asm__ volatile(N2D2_MVE_SUM_START N2D2_MVE_SUM_BOUNDS N2D2_MVE_SUM_LOADS(                \
          A, B) "vmul.i32 q4,q0,r4\n vmla.s32 q4,q1,r5\n" N2D2_MVE_SUM_END);                     \
    }                                                                                            \
  };
N2D2_MVE_ADD(0, 0, "u", "u")
N2D2_MVE_ADD(0, 1, "u", "s")
N2D2_MVE_ADD(1, 0, "s", "u")
N2D2_MVE_ADD(1, 1, "s", "s")

N2D2_INLINE void mve_add(int a_signed, int b_signed, bool whole, const void* a, const void* b, void* out,
                         int n, const MveSum& sum) {
  if (a_signed == 0 && b_signed == 0)
    return whole ? MveAdd<0, 0, 1>::run(a, b, out, n, &sum) : MveAdd<0, 0, 0>::run(a, b, out, n, &sum);
  if (a_signed == 0)
    return whole ? MveAdd<0, 1, 1>::run(a, b, out, n, &sum) : MveAdd<0, 1, 0>::run(a, b, out, n, &sum);
  if (b_signed == 0)
    return whole ? MveAdd<1, 0, 1>::run(a, b, out, n, &sum) : MveAdd<1, 0, 0>::run(a, b, out, n, &sum);
  return whole ? MveAdd<1, 1, 1>::run(a, b, out, n, &sum) : MveAdd<1, 1, 0>::run(a, b, out, n, &sum);
}

// Whether (sum of the products + half) of two operands fits 32 bits.
N2D2_INLINE bool mve_sum_fits(int32_t m, int32_t n, int shift) {
  const int64_t a = m, b = n, magnitude = ((a < 0 ? -a : a) + (b < 0 ? -b : b)) * 255;
  return shift < 31 && magnitude + (static_cast<int64_t>(1) << (shift < 31 ? shift : 0)) <= INT32_MAX;
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
    return mve_sum_reads(dst, a) && mve_sum_reads(dst, b) &&
           (c.shift >= 17 || mve_sum_fits(a.c.multiplier, b.c.multiplier, c.shift));
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
    const bool whole = mve_sum_fits(m, n, c.shift);
    const int low = whole ? 0 : 16;
    const MveSum sum = {{m >> low, n >> low}, {m & 0xffff, n & 0xffff}, low - c.shift, c.lo, c.hi};
    const bool dense = dst.dense_rows() && src_a.dense_rows() && src_b.dense_rows();
    const int width = dense ? 1 : dst.w, length = dense ? dst.w * dst.c : dst.c;
    for (int r = 0; r < rows.count; ++r) {
      const int y = scan(c.bottom_up, r, rows);
      for (int x = 0; x < width; ++x)
        mve_add(a.c.is_signed, b.c.is_signed, whole, a.data + src_a.row_at(y) + src_a.pixel_at(x),
                b.data + src_b.row_at(y) + src_b.pixel_at(x), out + dst.row_at(y) + dst.pixel_at(x), length,
                sum);
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
