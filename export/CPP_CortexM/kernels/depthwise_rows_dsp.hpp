// Answers: how do the DSP instructions compute four channels of a depthwise window of 3 x 3 at a time?
// Part of an exported project; may be used without condition.
//
// It has no config fields; the code is compiled once for all layers. Weights have 16 bits and lie in the
// order of depthwise_dsp.hpp, 72 bytes for four channels: SMLABB and SMLATT multiply the halves of UXTB16(x)
// and
// UXTB16(x ROR 8), which are channels (c, c + 2) and (c + 1, c + 3), by those of a word.
// Stack: 40 bytes. Scratch: none.
#pragma once

#include "ends_dsp.hpp"

#if defined(N2D2_ISA_DSP) && N2D2_DSP_ASSEMBLY

namespace N2D2_EXPORT_NAMESPACE {

// What four channels take besides inputs and weights; the functions move all but `end` forward.
struct DspChannels {
  const int32_t* bias;
  const void* factor;
  uint8_t* out;
  const int8_t* end;  // of the weights
};

// Computes channels [0, 4n), n > 0, of one pixel from the rows of its window. row0 = null leaves the first
// row out. Rows begin at the first column that is inside; `pixel` are the bytes from column to column.
typedef void (*DspDepthwise)(const uint8_t* row0, const uint8_t* row1, const uint8_t* row2, ptrdiff_t pixel,
                             const int8_t* weights, DspChannels* channels);

// A tap with x in r8: sums in r4-r7, weights at lr. The first and the third sum are multiplied beside r9.
#define N2D2_DSP_TAP(x, address, weights)                    \
  "ldr r8, " address                                         \
  "\n"                                                       \
  "ldrd r10, r11, [lr, #" #weights "]\n" x "tb16 r9, r8\n" x \
  "tb16 r8, r8, ror #8\n"                                    \
  "smlabb r4, r9, r10, r4\n"                                 \
  "smlatt r6, r9, r10, r6\n"                                 \
  "smlabb r5, r8, r11, r5\n"                                 \
  "smlatt r7, r8, r11, r7\n"
// A row of the window, its columns from the right to the left; `two` has columns 2 and 1, or with weights 8
// bytes further, 1 and 0.
#define N2D2_DSP_ROW_all(x, row, a, b, c)     \
  N2D2_DSP_TAP(x, "[" row ", r3, lsl #1]", a) \
  N2D2_DSP_TAP(x, "[" row ", r3]", b)         \
  N2D2_DSP_TAP(x, "[" row "], #4", c)
#define N2D2_DSP_ROW_two(x, row, a, b, c) \
  N2D2_DSP_TAP(x, "[" row ", r3]", a)     \
  N2D2_DSP_TAP(x, "[" row "], #4", b)

#define N2D2_DSP_FIXED    \
  "ldr r8, [r12, #4]\n"   \
  "ldmia r8!, {r9-r11}\n" \
  "smmulr r4, r4, r9\n"   \
  "ldr r9, [r8], #4\n"    \
  "smmulr r5, r5, r10\n"  \
  "smmulr r6, r6, r11\n"  \
  "str r8, [r12, #4]\n"   \
  "smmulr r7, r7, r9\n"
#define N2D2_DSP_FLOAT                            \
  "ldr r8, [r12, #4]\n"                           \
  "vmov s0, s1, r4, r5\n"                         \
  "vmov s2, s3, r6, r7\n"                         \
  "vldmia r8!, {s4-s7}\n"                         \
  "vcvt.f32.s32 s0, s0\n vcvt.f32.s32 s1, s1\n"   \
  "vcvt.f32.s32 s2, s2\n vcvt.f32.s32 s3, s3\n"   \
  "vmul.f32 s0, s0, s4\n vmul.f32 s1, s1, s5\n"   \
  "vmul.f32 s2, s2, s6\n vmul.f32 s3, s3, s7\n"   \
  "str r8, [r12, #4]\n"                           \
  "vcvtr.s32.f32 s0, s0\n vcvtr.s32.f32 s1, s1\n" \
  "vcvtr.s32.f32 s2, s2\n vcvtr.s32.f32 s3, s3\n" \
  "vmov r4, r5, s0, s1\n"                         \
  "vmov r6, r7, s2, s3\n"

#define N2D2_DSP_DEPTHWISE(columns, type, x, end, sat)                                             \
  N2D2_DSP_NAKED void depthwise_##columns##_##type(const uint8_t*, const uint8_t*, const uint8_t*, \
                                                   ptrdiff_t, const int8_t*, DspChannels*) {       \
    __asm__ volatile(                                                                              \
        "push {r4-r11, lr}\n"                                                                      \
        "ldrd lr, r12, [sp, #36]\n"                                                                \
        "1:\n"                                                                                     \
        "ldr r8, [r12]\n"                                                                          \
        "ldmia r8!, {r4-r7}\n"                                                                     \
        "str r8, [r12]\n"                                                                          \
        "cbz r0, 2f\n" N2D2_DSP_ROW_##columns(x, "r0", 0, 8, 16) "2:\n" N2D2_DSP_ROW_##columns(    \
            x, "r1", 24, 32, 40) N2D2_DSP_ROW_##columns(x, "r2", 48, 56, 64) end sat               \
        " r4, #8, r4\n" sat " r5, #8, r5\n" sat " r6, #8, r6\n" sat                                \
        " r7, #8, r7\n"                                                                            \
        "ldrd r8, r9, [r12, #8]\n"                                                                 \
        "bfi r4, r5, #8, #8\n"                                                                     \
        "bfi r4, r6, #16, #8\n"                                                                    \
        "bfi r4, r7, #24, #8\n"                                                                    \
        "add lr, #72\n"                                                                            \
        "str r4, [r8], #4\n"                                                                       \
        "cmp lr, r9\n"                                                                             \
        "str r8, [r12, #8]\n"                                                                      \
        "bne 1b\n"                                                                                 \
        "pop {r4-r11, pc}\n");                                                                     \
  }

// The forms of a pixel, by the types of a layer, for windows of all columns and of two; null where there is
// none.
struct DspDepthwiseCode {
  DspDepthwise all, two;
};
template <class In, class Out, class Factor>
struct DspDepthwises {
  static N2D2_INLINE DspDepthwiseCode code() { return DspDepthwiseCode(); }
};
#define N2D2_DSP_DEPTHWISES(In, Out, Factor, type, x, end, sat)                  \
  N2D2_DSP_DEPTHWISE(all, type, x, end, sat)                                     \
  N2D2_DSP_DEPTHWISE(two, type, x, end, sat)                                     \
  template <>                                                                    \
  struct DspDepthwises<In, Out, Factor> {                                        \
    static N2D2_INLINE DspDepthwiseCode code() {                                 \
      const DspDepthwiseCode c = {&depthwise_all_##type, &depthwise_two_##type}; \
      return c;                                                                  \
    }                                                                            \
  };
N2D2_DSP_DEPTHWISES(uint8_t, uint8_t, int32_t, fixed_u_u, "ux", N2D2_DSP_FIXED, "usat")
N2D2_DSP_DEPTHWISES(uint8_t, int8_t, int32_t, fixed_u_s, "ux", N2D2_DSP_FIXED, "ssat")
N2D2_DSP_DEPTHWISES(int8_t, uint8_t, int32_t, fixed_s_u, "sx", N2D2_DSP_FIXED, "usat")
N2D2_DSP_DEPTHWISES(int8_t, int8_t, int32_t, fixed_s_s, "sx", N2D2_DSP_FIXED, "ssat")
#if N2D2_DSP_ROUNDS
N2D2_DSP_DEPTHWISES(uint8_t, uint8_t, float, float_u_u, "ux", N2D2_DSP_FLOAT, "usat")
N2D2_DSP_DEPTHWISES(uint8_t, int8_t, float, float_u_s, "ux", N2D2_DSP_FLOAT, "ssat")
N2D2_DSP_DEPTHWISES(int8_t, uint8_t, float, float_s_u, "sx", N2D2_DSP_FLOAT, "usat")
N2D2_DSP_DEPTHWISES(int8_t, int8_t, float, float_s_s, "sx", N2D2_DSP_FLOAT, "ssat")
#endif

#undef N2D2_DSP_TAP
#undef N2D2_DSP_ROW_all
#undef N2D2_DSP_ROW_two
#undef N2D2_DSP_FIXED
#undef N2D2_DSP_FLOAT
#undef N2D2_DSP_DEPTHWISE
#undef N2D2_DSP_DEPTHWISES

}  // namespace N2D2_EXPORT_NAMESPACE

#endif  // N2D2_ISA_DSP
