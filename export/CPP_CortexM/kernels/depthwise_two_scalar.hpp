// Answers: how are two pixels of a depthwise convolution computed with SMLAL, without DSP instructions?
// Part of an exported project; may be used without condition.
//
// It has no config fields; depthwise_scalar.hpp is the kernel. Stack: 40 bytes. Scratch: none.
#pragma once

#include "ends_scalar.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Two pixels beside each other whose windows are whole in width. The assembly knows the offsets.
template <class In, class Out, class Factor>
struct ScalarTwo {
  const In* row[3];  // of the first window, of the next channel; row[2] may be null
  int pixel;         // from column to column
  const int8_t* weights;
  const int32_t* bias;
  Out* out;
  int out_pixel;
  int to_factor;            // bytes from a bias to the factor of the channel before
  const int32_t* bias_end;  // behind the biases
  int32_t sums[2];          // of the next channel, where its outputs are not stored
};

#if defined(N2D2_ISA_THUMB) && N2D2_LONG_PRODUCT

static_assert(sizeof(ScalarTwo<uint8_t, uint8_t, float>) == 48, "the assembly knows the offsets");

#define N2D2_WEIGHTS "ldrsb r8, [r4], #1\n ldrsb r9, [r4], #1\n ldrsb r10, [r4], #1\n"
// Three taps of a row for the sums r5 and r6; pixels are one or two columns apart.
#define N2D2_ROW_1(load, row)                                                                          \
  N2D2_WEIGHTS load " r7, [" row ", r3]\n mla r5, r7, r9, r5\n mla r6, r7, r8, r6\n" load " r7, [" row \
                    ", r3, lsl #1]\n mla r5, r7, r10, r5\n mla r6, r7, r9, r6\n" load " r7, [" row     \
                    ", r12]\n mla r6, r7, r10, r6\n" load " r7, [" row "], #1\n mla r5, r7, r8, r5\n"
#define N2D2_ROW_2(load, row)                                                                      \
  N2D2_WEIGHTS load " r7, [" row ", r3]\n mla r5, r7, r9, r5\n" load " r7, [" row                  \
                    ", r3, lsl #1]\n mla r5, r7, r10, r5\n mla r6, r7, r8, r6\n" load " r7, [" row \
                    ", r12]\n mla r6, r7, r9, r6\n" load " r7, [" row                              \
                    ", r3, lsl #2]\n mla r6, r7, r10, r6\n" load " r7, [" row "], #1\n mla r5, r7, r8, r5\n"
// r7 becomes the factor * 2^32, r10 what is added to products.
#define N2D2_FIXED_FACTOR "mov r10, #0x80000000\n"
#define N2D2_FLOAT_FACTOR                                                           \
  "lsr r10, r7, #23\n sub r9, r10, #114\n cmp r9, #11\n bhs 4f\n lsl r7, r7, #8\n"  \
  "orr r7, r7, #0x80000000\n rsb r10, r10, #126\n lsr r7, r7, r10\n movw r10, #0\n" \
  "movt r10, #0x8022\n"
#define N2D2_CLOSE(fraction) "cmp " fraction ", #0x00440000\n blo 4f\n"
#define N2D2_ALWAYS(fraction)
#define N2D2_TWO(row, load, factor, check, saturate)                                                  \
  "push {r0, r4-r11, lr}\n ldr r11, [r0, #24]\n ldr lr, [r0, #20]\n ldr r4, [r0, #16]\n"              \
  "ldmia r0, {r0-r3}\n add r12, r3, r3, lsl #1\n"                                                     \
  "1:\n ldr r5, [lr], #4\n mov r6, r5\n" row(load, "r0") row(load, "r1") "cmp r2, #0\n beq 3f\n" row( \
      load, "r2") "2:\n ldr r8, [sp]\n ldr r7, [r8, #32]\n ldr r7, [lr, r7]\n" factor                 \
                  "mov r8, r10\n mov r9, #0\n smlal r8, r9, r6, r7\n" check(                          \
                      "r8") "mov r8, #0\n smlal r10, r8, r5, r7\n" check("r10") saturate              \
      " r9, #8, r9\n" saturate                                                                        \
      " r8, #8, r8\n ldr r10, [sp]\n ldr r7, [r10, #28]\n"                                            \
      "strb r9, [r11, r7]\n strb r8, [r11], #1\n ldr r7, [r10, #36]\n cmp lr, r7\n bne 1b\n"          \
      "movs r0, #0\n pop {r3-r11, pc}\n"                                                              \
      "3:\n adds r4, #3\n b 2b\n"                                                                     \
      "4:\n ldr r8, [sp]\n stmia r8, {r0-r4}\n str lr, [r8, #20]\n str r11, [r8, #24]\n"              \
      "str r5, [r8, #40]\n str r6, [r8, #44]\n movs r0, #1\n pop {r3-r11, pc}\n"
// All channels of two pixels that are kStride apart. Returns 0 at the end; 1 where the next outputs are left
// to sums, because the factor is not in [2^-13, 2^-2) or a fraction is close to one half
// (float_by_integers.hpp).
template <int kStride>
struct TwoPixels;
#define N2D2_FUNCTION(In, load, Out, saturate, Factor, factor, check, row)       \
  static __attribute__((naked, noinline)) int run(ScalarTwo<In, Out, Factor>*) { \
    __asm__ volatile(N2D2_TWO(row, load, factor, check, saturate));              \
  }
#define N2D2_FUNCTIONS(row, In, load)                                                    \
  N2D2_FUNCTION(In, load, uint8_t, "usat", int32_t, N2D2_FIXED_FACTOR, N2D2_ALWAYS, row) \
  N2D2_FUNCTION(In, load, int8_t, "ssat", int32_t, N2D2_FIXED_FACTOR, N2D2_ALWAYS, row)  \
  N2D2_FUNCTION(In, load, uint8_t, "usat", float, N2D2_FLOAT_FACTOR, N2D2_CLOSE, row)    \
  N2D2_FUNCTION(In, load, int8_t, "ssat", float, N2D2_FLOAT_FACTOR, N2D2_CLOSE, row)
template <>
struct TwoPixels<1> {
  N2D2_FUNCTIONS(N2D2_ROW_1, uint8_t, "ldrb")
  N2D2_FUNCTIONS(N2D2_ROW_1, int8_t, "ldrsb")
};
template <>
struct TwoPixels<2> {
  N2D2_FUNCTIONS(N2D2_ROW_2, uint8_t, "ldrb")
  N2D2_FUNCTIONS(N2D2_ROW_2, int8_t, "ldrsb")
};
#undef N2D2_WEIGHTS
#undef N2D2_ROW_1
#undef N2D2_ROW_2
#undef N2D2_FIXED_FACTOR
#undef N2D2_FLOAT_FACTOR
#undef N2D2_CLOSE
#undef N2D2_ALWAYS
#undef N2D2_TWO
#undef N2D2_FUNCTION
#undef N2D2_FUNCTIONS

// Computes two pixels if there is assembly for the window.
template <int kStride, class In, class Out, class Factor>
N2D2_APART void two_by_assembly(const ConvWindow& w, ScalarTwo<In, Out, Factor> two) {
  while (TwoPixels<kStride>::run(&two) != 0) {
    const Factor* factor =
        reinterpret_cast<const Factor*>(reinterpret_cast<const uint8_t*>(two.bias) + two.to_factor);
    const End<Factor> end = End<Factor>::of(w, *factor);
    end.put(two.sums[0], two.out), end.put(two.sums[1], two.out + two.out_pixel);
    ++two.out;
    if (two.bias == two.bias_end) return;
  }
}

#endif

}  // namespace N2D2_EXPORT_NAMESPACE
