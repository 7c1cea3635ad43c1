// Answers: how do the DSP instructions widen the inputs of a tile and add its products?
// Part of an exported project; may be used without condition.
//
// It has no config fields; the code is compiled once for all layers. Inputs and weights lie in the order of
// words_dsp.hpp. With x a pair of inputs and W a word of weights, S = sum of SMLAD(x, W) is 256 * A + B, and
// B = sum of SMLAD(x, SXTB16(W)) is the sum of the odd output, so that A = (S - B) >> 8 is that of the even
// one. A is exact if it fits 24 bits (layouts/dsp.hpp proves it), whatever overflows on the way.
// The functions are assembly where the compiler takes GNU's, else intrinsics (tile_dsp_acle.hpp).
// Words, weights, biases and sums are aligned to 4 bytes; bytes of maps need no alignment.
// Stack: 56 bytes. Scratch: none.
#pragma once

#include "words_dsp.hpp"

#if defined(N2D2_ISA_DSP)

// 1: functions are GNU assembly; 0: intrinsics of arm_acle.h. May be predefined.
#if !defined(N2D2_DSP_ASSEMBLY)
#if defined(__GNUC__)
#define N2D2_DSP_ASSEMBLY 1
#else
#define N2D2_DSP_ASSEMBLY 0
#endif
#endif

#if N2D2_DSP_ASSEMBLY

#define N2D2_DSP_NAKED __attribute__((naked, noinline)) inline

namespace N2D2_EXPORT_NAMESPACE {

// One word of weights, at r1, for two pixels each with words at r0: sums S in r4-r7, B in r8-r11.
#define N2D2_DSP_WORD_OF_4   \
  "ldr r12, [r1], #4\n"      \
  "ldmia r0!, {r2, r3}\n"    \
  "sxtb16 lr, r12\n"         \
  "smlad r4, r2, r12, r4\n"  \
  "smlad r5, r3, r12, r5\n"  \
  "smlad r8, r2, lr, r8\n"   \
  "smlad r9, r3, lr, r9\n"   \
  "ldmia r0!, {r2, r3}\n"    \
  "smlad r6, r2, r12, r6\n"  \
  "smlad r7, r3, r12, r7\n"  \
  "smlad r10, r2, lr, r10\n" \
  "smlad r11, r3, lr, r11\n"

// Computes sums[pair][output][4 pixels] for `pairs` > 0 pairs of outputs of words of 4 pixels. `bytes` are
// those of the weights of a pair, bias is that of the first output.
N2D2_DSP_NAKED void tile_of_4(const uint32_t*, const int8_t*, const int32_t*, int32_t*, int, int) {
  // [sp]: end of the weights, [4]: bias, [8]: words, [12]: sums; [56]: pairs, [60]: bytes
  __asm__ volatile(
      "push {r4-r11, lr}\n"
      "sub sp, #20\n"
      "strd r2, r0, [sp, #4]\n"
      "str r3, [sp, #12]\n"
      "1:\n"
      "ldr r12, [sp, #60]\n"
      "ldrd r2, r0, [sp, #4]\n"
      "add r12, r12, r1\n"
      "ldmia r2!, {r4, r8}\n"
      "strd r12, r2, [sp]\n"
      "add r4, r8, r4, lsl #8\n"
      "mov r5, r4\n"
      "mov r6, r4\n"
      "mov r7, r4\n"
      "mov r9, r8\n"
      "mov r10, r8\n"
      "mov r11, r8\n"
      "2:\n"                                                                       //
      N2D2_DSP_WORD_OF_4 N2D2_DSP_WORD_OF_4 N2D2_DSP_WORD_OF_4 N2D2_DSP_WORD_OF_4  //
      "ldr r2, [sp]\n"
      "cmp r1, r2\n"
      "bne 2b\n"
      "ldr r2, [sp, #12]\n"
      "ldr r3, [sp, #56]\n"
      "sub r4, r4, r8\n"
      "sub r5, r5, r9\n"
      "sub r6, r6, r10\n"
      "sub r7, r7, r11\n"
      "asrs r4, r4, #8\n"
      "asrs r5, r5, #8\n"
      "asrs r6, r6, #8\n"
      "asrs r7, r7, #8\n"
      "stmia r2!, {r4-r11}\n"
      "subs r3, #1\n"
      "str r2, [sp, #12]\n"
      "str r3, [sp, #56]\n"
      "bne 1b\n"
      "add sp, #20\n"
      "pop {r4-r11, pc}\n");
}
#undef N2D2_DSP_WORD_OF_4

// Two words of weights, at r1, for two pixels with words at r0: sums S in r4 and r5, B in r6 and r7.
#define N2D2_DSP_WORDS_OF_2  \
  "ldmia r1!, {r2, r3}\n"    \
  "ldmia r0!, {r8-r11}\n"    \
  "sxtb16 r12, r2\n"         \
  "smlad r4, r8, r2, r4\n"   \
  "smlad r5, r9, r2, r5\n"   \
  "smlad r6, r8, r12, r6\n"  \
  "smlad r7, r9, r12, r7\n"  \
  "sxtb16 r12, r3\n"         \
  "smlad r4, r10, r3, r4\n"  \
  "smlad r5, r11, r3, r5\n"  \
  "smlad r6, r10, r12, r6\n" \
  "smlad r7, r11, r12, r7\n"

// As tile_of_4 for 2 pixels.
N2D2_DSP_NAKED void tile_of_2(const uint32_t*, const int8_t*, const int32_t*, int32_t*, int, int) {
  // [sp]: words, [4]: bias, [8]: sums; [56]: pairs, [60]: bytes
  __asm__ volatile(
      "push {r4-r11, lr}\n"
      "sub sp, #20\n"
      "strd r0, r2, [sp]\n"
      "str r3, [sp, #8]\n"
      "1:\n"
      "ldr lr, [sp, #60]\n"
      "ldrd r0, r2, [sp]\n"
      "add lr, lr, r1\n"
      "ldmia r2!, {r4, r6}\n"
      "str r2, [sp, #4]\n"
      "add r4, r6, r4, lsl #8\n"
      "mov r5, r4\n"
      "mov r7, r6\n"
      "2:\n"                                   //
      N2D2_DSP_WORDS_OF_2 N2D2_DSP_WORDS_OF_2  //
      "cmp r1, lr\n"
      "bne 2b\n"
      "ldr r2, [sp, #8]\n"
      "ldr r3, [sp, #56]\n"
      "sub r4, r4, r6\n"
      "sub r5, r5, r7\n"
      "asrs r4, r4, #8\n"
      "asrs r5, r5, #8\n"
      "stmia r2!, {r4-r7}\n"
      "subs r3, #1\n"
      "str r2, [sp, #8]\n"
      "str r3, [sp, #56]\n"
      "bne 1b\n"
      "add sp, #20\n"
      "pop {r4-r11, pc}\n");
}
#undef N2D2_DSP_WORDS_OF_2

#define N2D2_DSP_WORD_OF_1(W, X) \
  "sxtb16 r10, " W               \
  "\n"                           \
  "smlad r12, " X ", " W         \
  ", r12\n"                      \
  "smlad lr, " X ", r10, lr\n"

// As tile_of_4 for 1 pixel.
N2D2_DSP_NAKED void tile_of_1(const uint32_t*, const int8_t*, const int32_t*, int32_t*, int, int) {
  // [sp]: words, [4]: bias, [8]: sums; [56]: pairs, [60]: bytes
  __asm__ volatile(
      "push {r4-r11, lr}\n"
      "sub sp, #20\n"
      "strd r0, r2, [sp]\n"
      "str r3, [sp, #8]\n"
      "1:\n"
      "ldr r11, [sp, #60]\n"
      "ldrd r0, r2, [sp]\n"
      "add r11, r11, r1\n"
      "ldmia r2!, {r12, lr}\n"
      "str r2, [sp, #4]\n"
      "add r12, lr, r12, lsl #8\n"
      "2:\n"
      "ldmia r1!, {r6-r9}\n"
      "ldmia r0!, {r2-r5}\n"                                         //
      N2D2_DSP_WORD_OF_1("r6", "r2") N2D2_DSP_WORD_OF_1("r7", "r3")  //
      N2D2_DSP_WORD_OF_1("r8", "r4") N2D2_DSP_WORD_OF_1("r9", "r5")  //
      "cmp r1, r11\n"
      "bne 2b\n"
      "ldr r2, [sp, #8]\n"
      "ldr r3, [sp, #56]\n"
      "sub r12, r12, lr\n"
      "asr r12, r12, #8\n"
      "stmia r2!, {r12, lr}\n"
      "subs r3, #1\n"
      "str r2, [sp, #8]\n"
      "str r3, [sp, #56]\n"
      "bne 1b\n"
      "add sp, #20\n"
      "pop {r4-r11, pc}\n");
}
#undef N2D2_DSP_WORD_OF_1

// widen_4_*(from, n, to): widens a run of n > 0 bytes of each of 4 pixels, from[pixel], to words beside each
// other; u: bytes are unsigned, s: they are signed. widen_2_* has 2 pixels. Halves that no element has may
// hold anything, because their weights are zeros.
#define N2D2_DSP_WIDEN(name, extend, byte)                                                         \
  N2D2_DSP_NAKED void widen_4_##name(const uint8_t* const*, int, uint32_t*) {                      \
    __asm__ volatile(                                                                              \
        "push {r4-r11, lr}\n"                                                                      \
        "ldmia r0, {r0, r3, r12, lr}\n"                                                            \
        "subs r1, #4\n"                                                                            \
        "blt 2f\n"                                                                                 \
        "1:\n"                                                                                     \
        "ldr r4, [r0], #4\n"                                                                       \
        "ldr r5, [r3], #4\n"                                                                       \
        "ldr r6, [r12], #4\n"                                                                      \
        "ldr r7, [lr], #4\n" extend " r8, r4\n" extend " r9, r5\n" extend " r10, r6\n" extend      \
        " r11, r7\n"                                                                               \
        "stmia r2!, {r8-r11}\n" extend " r4, r4, ror #8\n" extend " r5, r5, ror #8\n" extend       \
        " r6, r6, ror #8\n" extend                                                                 \
        " r7, r7, ror #8\n"                                                                        \
        "subs r1, #4\n"                                                                            \
        "stmia r2!, {r4-r7}\n"                                                                     \
        "bge 1b\n"                                                                                 \
        "2:\n"                                                                                     \
        "adds r1, #3\n" /* the last element of the last n % 4, or -1 */                            \
        "bmi 4f\n" byte " r4, [r0]\n" byte " r5, [r3]\n" byte " r6, [r12]\n" byte                  \
        " r7, [lr]\n"                                                                              \
        "cbz r1, 3f\n" byte " r8, [r0, r1]\n" byte " r9, [r3, r1]\n" byte " r10, [r12, r1]\n" byte \
        " r11, [lr, r1]\n"                                                                         \
        "pkhbt r4, r4, r8, lsl #16\n"                                                              \
        "pkhbt r5, r5, r9, lsl #16\n"                                                              \
        "pkhbt r6, r6, r10, lsl #16\n"                                                             \
        "pkhbt r7, r7, r11, lsl #16\n"                                                             \
        "3:\n"                                                                                     \
        "stmia r2!, {r4-r7}\n"                                                                     \
        "cmp r1, #2\n"                                                                             \
        "bne 4f\n" byte " r4, [r0, #1]\n" byte " r5, [r3, #1]\n" byte " r6, [r12, #1]\n" byte      \
        " r7, [lr, #1]\n"                                                                          \
        "stmia r2!, {r4-r7}\n"                                                                     \
        "4:\n"                                                                                     \
        "pop {r4-r11, pc}\n");                                                                     \
  }                                                                                                \
  N2D2_DSP_NAKED void widen_2_##name(const uint8_t* const*, int, uint32_t*) {                      \
    __asm__ volatile(                                                                              \
        "push {r4-r6, lr}\n"                                                                       \
        "ldmia r0, {r0, r3}\n"                                                                     \
        "subs r1, #4\n"                                                                            \
        "blt 2f\n"                                                                                 \
        "1:\n"                                                                                     \
        "ldr r5, [r0], #4\n"                                                                       \
        "ldr r6, [r3], #4\n" extend " r4, r5\n" extend                                             \
        " r12, r6\n"                                                                               \
        "strd r4, r12, [r2], #8\n" extend " r5, r5, ror #8\n" extend                               \
        " r6, r6, ror #8\n"                                                                        \
        "subs r1, #4\n"                                                                            \
        "strd r5, r6, [r2], #8\n"                                                                  \
        "bge 1b\n"                                                                                 \
        "2:\n"                                                                                     \
        "adds r1, #3\n"                                                                            \
        "bmi 3f\n" byte " r4, [r0]\n" byte " r5, [r3]\n" byte " r6, [r0, r1]\n" byte               \
        " r12, [r3, r1]\n"                                                                         \
        "pkhbt r4, r4, r6, lsl #16\n"                                                              \
        "pkhbt r5, r5, r12, lsl #16\n"                                                             \
        "strd r4, r5, [r2], #8\n"                                                                  \
        "cmp r1, #2\n"                                                                             \
        "bne 3f\n" byte " r4, [r0, #1]\n" byte                                                     \
        " r5, [r3, #1]\n"                                                                          \
        "strd r4, r5, [r2]\n"                                                                      \
        "3:\n"                                                                                     \
        "pop {r4-r6, pc}\n");                                                                      \
  }
N2D2_DSP_WIDEN(u, "uxtb16", "ldrb")
N2D2_DSP_WIDEN(s, "sxtb16", "ldrsb")
#undef N2D2_DSP_WIDEN

// widen_1_*(from, n, step, to): the same of one pixel, with `step` bytes from word to word.
#define N2D2_DSP_WIDEN(name, extend, byte)                                  \
  N2D2_DSP_NAKED void widen_1_##name(const uint8_t*, int, int, uint32_t*) { \
    __asm__ volatile(                                                       \
        "push {r4, lr}\n"                                                   \
        "subs r1, #4\n"                                                     \
        "blt 2f\n"                                                          \
        "1:\n"                                                              \
        "ldr r4, [r0], #4\n" extend " r12, r4\n" extend                     \
        " r4, r4, ror #8\n"                                                 \
        "subs r1, #4\n"                                                     \
        "str r12, [r3]\n"                                                   \
        "str r4, [r3, r2]\n"                                                \
        "add r3, r3, r2, lsl #1\n"                                          \
        "bge 1b\n"                                                          \
        "2:\n"                                                              \
        "adds r1, #3\n"                                                     \
        "bmi 3f\n" byte " r4, [r0]\n" byte                                  \
        " r12, [r0, r1]\n"                                                  \
        "pkhbt r4, r4, r12, lsl #16\n"                                      \
        "str r4, [r3]\n"                                                    \
        "cmp r1, #2\n"                                                      \
        "bne 3f\n" byte                                                     \
        " r4, [r0, #1]\n"                                                   \
        "str r4, [r3, r2]\n"                                                \
        "3:\n"                                                              \
        "pop {r4, pc}\n");                                                  \
  }
N2D2_DSP_WIDEN(u, "uxtb16", "ldrb")
N2D2_DSP_WIDEN(s, "sxtb16", "ldrsb")
#undef N2D2_DSP_WIDEN

}  // namespace N2D2_EXPORT_NAMESPACE

#else
#include "tile_dsp_acle.hpp"
#endif

#endif  // N2D2_ISA_DSP
