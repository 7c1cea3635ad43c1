// Answers: how do the DSP instructions of Cortex-M add two tensors of bytes, each with a multiplier?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list for sums of elemwise.hpp. It serves two operands of
// the size of the output, bounds that are those of the output's type, and shifts from 17 to 38. The code is
// compiled once for all layers and all signs of bytes.
//
// With m = 2^16 * mh + ml and |ml| <= 2^15, and the same of n,
//   (x * m + y * n + k) >> f = (x * mh + y * nh + kh + ((x * ml + y * nl + kl) >> 16)) >> (f - 16)
// in 32 bits. A signed byte x is read as x + 128, and written as y + 128; k makes up for it.
// Stack: 90 bytes. Scratch: none.
#pragma once

#include "elemwise.hpp"

#if defined(N2D2_ISA_DSP) && defined(__GNUC__)

namespace N2D2_EXPORT_NAMESPACE {

// The order of the members is that of the registers of dsp_sum_words.
struct DspSum {
  const uint8_t* x;
  const uint8_t* y;
  uint8_t* out;
  int words;
  uint32_t high, low;  // mh and nh, ml and nl as pairs
  int32_t kh, kl;
  int shift;                          // f - 16
  uint32_t sign_x, sign_y, sign_out;  // 0x80 in each signed byte
};

// Adds the four bytes of each of `words` > 0 words.
__attribute__((naked, noinline)) inline void dsp_sum_words(const DspSum*) {
#define N2D2_DSP_SUM(pair) \
  "smlad r11, " pair       \
  ", r5, r7\n"             \
  "smlad " pair ", " pair  \
  ", r4, r6\n"             \
  "add " pair ", " pair    \
  ", r11, asr #16\n"       \
  "asr " pair ", " pair    \
  ", r8\n"                 \
  "usat " pair ", #8, " pair "\n"
  __asm__ volatile(
      "push {r4-r11, lr}\n"
      "sub sp, #12\n"
      "add r1, r0, #36\n"
      "ldmia r1, {r2-r4}\n"
      "stmia sp, {r2-r4}\n"
      "ldmia r0, {r0-r8}\n"
      "1:\n"
      "ldrd r9, r10, [sp]\n"
      "ldr r11, [r0], #4\n"
      "ldr r12, [r1], #4\n"
      "eor r11, r11, r9\n"
      "eor r12, r12, r10\n"
      "uxtb16 r9, r11\n"
      "uxtb16 r10, r12\n"
      "uxtb16 r11, r11, ror #8\n"
      "uxtb16 r12, r12, ror #8\n"
      "pkhbt lr, r9, r10, lsl #16\n"                                                 // elements 0
      "pkhtb r10, r10, r9, asr #16\n"                                                // 2
      "pkhbt r9, r11, r12, lsl #16\n"                                                // 1
      "pkhtb r12, r12, r11, asr #16\n"                                               // 3
      N2D2_DSP_SUM("lr") N2D2_DSP_SUM("r9") N2D2_DSP_SUM("r10") N2D2_DSP_SUM("r12")  //
      "ldr r11, [sp, #8]\n"
      "orr lr, lr, r9, lsl #8\n"
      "orr lr, lr, r10, lsl #16\n"
      "orr lr, lr, r12, lsl #24\n"
      "eor lr, lr, r11\n"
      "subs r3, #1\n"
      "str lr, [r2], #4\n"
      "bne 1b\n"
      "add sp, #12\n"
      "pop {r4-r11, pc}\n");
#undef N2D2_DSP_SUM
}

// The halves of a multiplier.
N2D2_INLINE int32_t dsp_low(int32_t m) {
  return static_cast<int16_t>(m & 0xffff);
}
N2D2_INLINE int32_t dsp_high(int32_t m) {
  return static_cast<int32_t>((static_cast<int64_t>(m) - dsp_low(m)) >> 16);
}
N2D2_INLINE uint32_t dsp_pair(int32_t low, int32_t high) {
  return (static_cast<uint32_t>(low) & 0xffff) | static_cast<uint32_t>(high) << 16;
}

// Whether the sum of the products and of this fits 48 bits.
N2D2_INLINE bool dsp_may_start(int64_t start) {
  const int64_t most = static_cast<int64_t>(1) << 46;
  return -most <= start && start <= most;
}
template <class P, class In>
N2D2_INLINE bool dsp_may_add(const Plane& dst, const Operand<P, In>& o) {
  return sizeof(In) == 1 && o.c.in_w == dst.w && o.c.in_h == dst.h && o.c.in_c == dst.c &&
         dsp_high(static_cast<int32_t>(o.c.multiplier)) <= INT16_MAX;
}

template <class Out>
struct DspSumRows {
  enum { kThere = 1 };
  template <class... Layer>
  static N2D2_INLINE bool fits(const Layer&...) {
    return false;
  }
  template <class C, class P, class In, class Q, class Other>
  static N2D2_INLINE bool fits(const C& c, const Operand<P, In>& x, const Operand<Q, Other>& y) {
    const bool is_signed = static_cast<Out>(-1) < 0;
    return c.lo == (is_signed ? -128 : 0) && c.hi == (is_signed ? 127 : 255) && c.shift >= 17 &&
           c.shift <= 38 && dsp_may_start(start_of(c)) && dsp_may_add(out_plane(c), x) &&
           dsp_may_add(out_plane(c), y);
  }
  template <class... Layer>
  static N2D2_INLINE void run(const Layer&...) {}
  template <class C, class P, class In, class Q, class Other>
  static N2D2_INLINE void run(const C& c, Rows rows, Out* out, const Operand<P, In>& x,
                              const Operand<Q, Other>& y) {
    const bool is_signed = static_cast<Out>(-1) < 0;
    const int32_t m = static_cast<int32_t>(x.c.multiplier), n = static_cast<int32_t>(y.c.multiplier);
    const int64_t one = 1;
    const int64_t k = start_of(c) + (one << (c.shift - 1)) - (x.c.is_signed ? m * (one << 7) : 0) -
                      (y.c.is_signed ? n * (one << 7) : 0) + (is_signed ? one << (c.shift + 7) : 0);
    const Plane dst = out_plane(c);
    const bool dense = dst.dense_rows() && all_dense(dst, x, y);
    const int width = dense ? 1 : dst.w, length = dense ? dst.w * dst.c : dst.c;
    DspSum s = {0,
                0,
                0,
                length / 4,
                dsp_pair(dsp_high(m), dsp_high(n)),
                dsp_pair(dsp_low(m), dsp_low(n)),
                static_cast<int32_t>(k >> 16),
                static_cast<int32_t>(k & 0xffff),
                c.shift - 16,
                x.c.is_signed ? 0x80808080u : 0u,
                y.c.is_signed ? 0x80808080u : 0u,
                is_signed ? 0x80808080u : 0u};
    for (int r = 0; r < rows.count; ++r)
      for (int column = 0; column < width; ++column) {
        const int row = scan(c.bottom_up, r, rows);
        if (s.words > 0) {
          s.x = reinterpret_cast<const uint8_t*>(beside(x, dst, row, column, 0).data);
          s.y = reinterpret_cast<const uint8_t*>(beside(y, dst, row, column, 0).data);
          s.out = reinterpret_cast<uint8_t*>(out + dst.row_at(row) + dst.pixel_at(column));
          dsp_sum_words(&s);
        }
        if (length % 4 != 0) elemwise_run<Adding>(c, out, row, column, length / 4 * 4, length % 4, x, y);
      }
  }
};
template <>
struct SumRows<uint8_t> : DspSumRows<uint8_t> {};
template <>
struct SumRows<int8_t> : DspSumRows<int8_t> {};

}  // namespace N2D2_EXPORT_NAMESPACE

#endif
