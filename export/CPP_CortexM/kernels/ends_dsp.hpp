// Answers: how do sums of a tile become bytes with the DSP instructions?
// Part of an exported project; may be used without condition.
//
// It has no config fields; the code is compiled once for all layers. Outputs have 8 bits, and their bounds
// are those of the type, so that saturation clamps. Forms, as in rescale.hpp:
//   float     VCVT, VMUL, VCVTR (rounds by FPSCR: to nearest, ties to even); without FPU the portable form
//   int32_t   shift = 32 alone: SMMULR is (x * m + 2^31) >> 32
// Sums and factors are aligned to 4 bytes; outputs need no alignment.
// Stack: 56 bytes. Scratch: none.
#pragma once

#include "rescale.hpp"
#include "tile_dsp.hpp"

#if defined(N2D2_ISA_DSP)

#if !N2D2_DSP_ASSEMBLY
#include <arm_acle.h>
#endif

// 1: VCVTR may round.
#if N2D2_DSP_ASSEMBLY && defined(__ARM_FP)
#if __ARM_FP & 4
#define N2D2_DSP_ROUNDS 1
#endif
#endif
#if !defined(N2D2_DSP_ROUNDS)
#define N2D2_DSP_ROUNDS 0
#endif

namespace N2D2_EXPORT_NAMESPACE {

template <class Out>
N2D2_INLINE Out saturated(int32_t x) {
  const bool is_signed = static_cast<Out>(-1) < 0;
#if N2D2_DSP_ASSEMBLY
  if (is_signed)
    __asm__("ssat %0, #8, %0" : "+r"(x));
  else
    __asm__("usat %0, #8, %0" : "+r"(x));
#else
  x = is_signed ? __ssat(x, 8) : static_cast<int32_t>(__usat(x, 8));
#endif
  return static_cast<Out>(x);
}

// Returns the output of a sum.
template <class Out>
N2D2_INLINE Out end_of(int32_t x, int32_t factor) {
#if N2D2_DSP_ASSEMBLY
  __asm__("smmulr %0, %0, %1" : "+r"(x) : "r"(factor));
#else
  x = static_cast<int32_t>((static_cast<int64_t>(x) * factor + (static_cast<int64_t>(1) << 31)) >> 32);
#endif
  return saturated<Out>(x);
}
template <class Out>
N2D2_INLINE Out end_of(int32_t x, float factor) {
#if N2D2_DSP_ROUNDS
  float v = static_cast<float>(x) * factor;
  int32_t rounded;
  __asm__("vcvtr.s32.f32 %0, %0" : "+t"(v));
  __asm__("vmov %0, %1" : "=r"(rounded) : "t"(v));
  return saturated<Out>(rounded);
#else
  struct Bounds {
    int lo, hi, shift;
  };
  const bool is_signed = static_cast<Out>(-1) < 0;
  const Bounds bounds = {is_signed ? -128 : 0, is_signed ? 127 : 255, 0};
  return rescale<Out>(bounds, x, factor);
#endif
}

// end_1_*(sums, factor, out, n): stores outputs [0, n) of one pixel.
template <class Out, class Factor>
N2D2_APART void end_1(const int32_t* sums, const void* factor, uint8_t* out, int n) {
  const Factor* f = static_cast<const Factor*>(factor);
  N2D2_LOOP
  for (int i = 0; i < n; ++i) out[i] = static_cast<uint8_t>(end_of<Out>(sums[i], f[i]));
}

// end_*(sums, factor, out, pairs): stores `pairs` > 0 pairs of outputs from sums[pair][output][P pixels],
// those of pixel p from out[p] on, and moves out[p] behind them.
template <int P, class Out, class Factor>
N2D2_APART void end_plain(const int32_t* sums, const void* factor, uint8_t** out, int pairs) {
  const Factor* f = static_cast<const Factor*>(factor);
  for (int i = 0; i < 2 * pairs; ++i, sums += P)
    for (int p = 0; p < P; ++p) *out[p]++ = static_cast<uint8_t>(end_of<Out>(sums[p], f[i]));
}

#if N2D2_DSP_ASSEMBLY

#define N2D2_DSP_BYTES(sat)                                       \
  sat " r4, #8, r4\n" sat " r5, #8, r5\n" sat " r6, #8, r6\n" sat \
      " r7, #8, r7\n"                                             \
      "bfi r4, r6, #8, #8\n"                                      \
      "bfi r5, r7, #8, #8\n"
#define N2D2_DSP_FIXED   \
  "smmulr r4, r4, r2\n"  \
  "smmulr r5, r5, r2\n"  \
  "smmulr r6, r6, r12\n" \
  "smmulr r7, r7, r12\n"
#define N2D2_DSP_EACH_OF_4(op) op " s0, s0\n" op " s1, s1\n" op " s2, s2\n" op " s3, s3\n"
#define N2D2_DSP_EACH_OF_8(op) \
  N2D2_DSP_EACH_OF_4(op) op " s4, s4\n" op " s5, s5\n" op " s6, s6\n" op " s7, s7\n"

// The parts of an end: what it keeps while it runs, and its last instructions.
#define N2D2_DSP_FOR_PAIRS(registers) \
  "push {r2, r4-r11, lr}\n"           \
  "ldmia r2, {" registers             \
  "}\n"                               \
  "1:\n"
#define N2D2_DSP_NEXT_PAIR(registers) \
  "subs r3, #1\n"                     \
  "bne 1b\n"                          \
  "ldr r2, [sp]\n"                    \
  "stmia r2, {" registers             \
  "}\n"                               \
  "pop {r2, r4-r11, pc}\n"

#define N2D2_DSP_ENDS(type, sat)                                                              \
  N2D2_DSP_NAKED void end_4_fixed_##type(const int32_t*, const void*, uint8_t**, int) {       \
    __asm__ volatile(N2D2_DSP_FOR_PAIRS("r8-r11")                                           \
                     "ldrd r2, r12, [r1], #8\n"                                             \
                     "ldrd r6, r7, [r0, #16]\n"                                             \
                     "ldrd r4, r5, [r0], #8\n" N2D2_DSP_FIXED N2D2_DSP_BYTES(sat)           \
                     "strh r4, [r8], #2\n"                                                  \
                     "strh r5, [r9], #2\n"                                                  \
                     "ldrd r6, r7, [r0, #16]\n"                                             \
                     "ldrd r4, r5, [r0], #24\n" N2D2_DSP_FIXED N2D2_DSP_BYTES(sat)          \
                     "strh r4, [r10], #2\n"                                                 \
                     "strh r5, [r11], #2\n" N2D2_DSP_NEXT_PAIR("r8-r11")); \
  }                                                                                           \
  N2D2_DSP_NAKED void end_2_fixed_##type(const int32_t*, const void*, uint8_t**, int) {       \
    __asm__ volatile(N2D2_DSP_FOR_PAIRS(                                                      \
        "r8-r9") "ldrd r2, r12, [r1], #8\n"                                                   \
                 "ldmia r0!, {r4-r7}\n" N2D2_DSP_FIXED N2D2_DSP_BYTES(                        \
                     sat) "strh r4, [r8], #2\n"                                               \
                          "strh r5, [r9], #2\n" N2D2_DSP_NEXT_PAIR("r8-r9"));                 \
  }
N2D2_DSP_ENDS(u, "usat")
N2D2_DSP_ENDS(s, "ssat")
#undef N2D2_DSP_ENDS

#if N2D2_DSP_ROUNDS
#define N2D2_DSP_ENDS(type, sat)                                                              \
  N2D2_DSP_NAKED void end_4_float_##type(const int32_t*, const void*, uint8_t**, int) {       \
    __asm__ volatile(                                                                       \
        N2D2_DSP_FOR_PAIRS("r8-r11")                                                        \
        "vldmia r0!, {s0-s7}\n"                                                             \
        "vldmia r1!, {s8-s9}\n" N2D2_DSP_EACH_OF_8("vcvt.f32.s32")                          \
        "vmul.f32 s0, s0, s8\n vmul.f32 s1, s1, s8\n vmul.f32 s2, s2, s8\n"                 \
        "vmul.f32 s3, s3, s8\n vmul.f32 s4, s4, s9\n vmul.f32 s5, s5, s9\n"                 \
        "vmul.f32 s6, s6, s9\n vmul.f32 s7, s7, s9\n" N2D2_DSP_EACH_OF_8("vcvtr.s32.f32")   \
        "vmov r4, r5, s0, s1\n"                                                             \
        "vmov r6, r7, s4, s5\n" N2D2_DSP_BYTES(sat)                                         \
        "strh r4, [r8], #2\n"                                                               \
        "strh r5, [r9], #2\n"                                                               \
        "vmov r4, r5, s2, s3\n"                                                             \
        "vmov r6, r7, s6, s7\n" N2D2_DSP_BYTES(sat)                                         \
        "strh r4, [r10], #2\n"                                                              \
        "strh r5, [r11], #2\n" N2D2_DSP_NEXT_PAIR("r8-r11")); \
  }                                                                                           \
  N2D2_DSP_NAKED void end_2_float_##type(const int32_t*, const void*, uint8_t**, int) {       \
    __asm__ volatile(                                                                       \
        N2D2_DSP_FOR_PAIRS("r8-r9")                                                         \
        "vldmia r0!, {s0-s3}\n"                                                             \
        "vldmia r1!, {s8-s9}\n" N2D2_DSP_EACH_OF_4("vcvt.f32.s32")                          \
        "vmul.f32 s0, s0, s8\n vmul.f32 s1, s1, s8\n vmul.f32 s2, s2, s9\n"                 \
        "vmul.f32 s3, s3, s9\n" N2D2_DSP_EACH_OF_4("vcvtr.s32.f32")                         \
        "vmov r4, r5, s0, s1\n"                                                             \
        "vmov r6, r7, s2, s3\n" N2D2_DSP_BYTES(sat)                                         \
        "strh r4, [r8], #2\n"                                                               \
        "strh r5, [r9], #2\n" N2D2_DSP_NEXT_PAIR("r8-r9")); \
  }
N2D2_DSP_ENDS(u, "usat")
N2D2_DSP_ENDS(s, "ssat")
#undef N2D2_DSP_ENDS
#endif

#undef N2D2_DSP_BYTES
#undef N2D2_DSP_FIXED
#undef N2D2_DSP_EACH_OF_4
#undef N2D2_DSP_EACH_OF_8
#undef N2D2_DSP_FOR_PAIRS
#undef N2D2_DSP_NEXT_PAIR

#endif  // N2D2_DSP_ASSEMBLY

// The ends of tiles, by the types of outputs and factors.
typedef void (*DspEnd)(const int32_t*, const void*, uint8_t**, int);
template <class Out, class Factor>
struct DspEnds {
  static N2D2_INLINE constexpr DspEnd of_4() { return &end_plain<4, Out, Factor>; }
  static N2D2_INLINE constexpr DspEnd of_2() { return &end_plain<2, Out, Factor>; }
};
#if N2D2_DSP_ASSEMBLY
#define N2D2_DSP_ENDS(Out, Factor, type)                                 \
  template <>                                                            \
  struct DspEnds<Out, Factor> {                                          \
    static N2D2_INLINE constexpr DspEnd of_4() { return &end_4_##type; } \
    static N2D2_INLINE constexpr DspEnd of_2() { return &end_2_##type; } \
  };
N2D2_DSP_ENDS(uint8_t, int32_t, fixed_u)
N2D2_DSP_ENDS(int8_t, int32_t, fixed_s)
#if N2D2_DSP_ROUNDS
N2D2_DSP_ENDS(uint8_t, float, float_u)
N2D2_DSP_ENDS(int8_t, float, float_s)
#endif
#undef N2D2_DSP_ENDS
#endif

// Returns the output of a sum, with the instructions.
template <class Out, class C, class Factor>
N2D2_INLINE Out dsp_end(const C&, int32_t x, Factor factor) {
  return end_of<Out>(x, factor);
}

}  // namespace N2D2_EXPORT_NAMESPACE

#else

namespace N2D2_EXPORT_NAMESPACE {

// Returns the output of a sum, in plain code.
template <class Out, class C, class Factor>
N2D2_INLINE Out dsp_end(const C& c, int32_t x, Factor factor) {
  return rescale<Out>(c, x, factor);
}

}  // namespace N2D2_EXPORT_NAMESPACE

#endif  // N2D2_ISA_DSP
