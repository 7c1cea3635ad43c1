// Answers: how do the DSP instructions multiply the inputs of a tile with weights of 4 bits?
// Part of an exported project; may be used without condition.
//
// It has no config fields; the code is compiled once for all layers. A weight is 16 times a signed number
// of 4 bits. Weights lie as those of words_dsp.hpp do, [quads of outputs][words], but a half of a word has
// the weights of four outputs for one input: it is the signed number 4096 * d + 256 * c + 16 * b + a, where
// a, b, c and d are those of outputs 0, 1, 2 and 3. With x a pair of inputs and W a word,
//   D = sum of SMLAD(x, W)                 B = sum of SMLAD(x, SXTB16(W))
//   C = sum of SMLAD(x, W << 4 in halves)  A = sum of SMLAD(x, SXTB16(W << 4))
// A is the sum of output 0, B - A / 16 that of output 1, (C - 16 * B) / 256 that of output 2, and what is
// left of D gives that of output 3. The latter two are exact if they fit 24 bits (layouts/dsp.hpp proves
// it). Four pixels have registers for two of these sums: weights are read twice. Biases, sums and alignment
// are those of tile_dsp.hpp; of the last quad, up to two biases are read that no output has. Stack: 56
// bytes. Scratch: none.
#pragma once

#include "narrow.hpp"
#include "words_dsp.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Returns the weight of an output (0 to 3) from a half of a word.
N2D2_INLINE int dsp_narrow_weight(int half, int output) {
  const int from =
      static_cast<int16_t>(static_cast<uint16_t>(half << (12 - 4 * output))) >> (12 - 4 * output);
  const int below = output == 0 ? 0
                                : static_cast<int16_t>(static_cast<uint16_t>(half << (16 - 4 * output))) >>
                                      (16 - 4 * output);
  return (from - below) * 16 / (1 << (4 * output));
}

}  // namespace N2D2_EXPORT_NAMESPACE

#if defined(N2D2_ISA_DSP)

#include "tile_dsp.hpp"

namespace N2D2_EXPORT_NAMESPACE {

#if N2D2_DSP_ASSEMBLY

// What both passes of narrow_of_4 do with words of weights r12 and lr: sums in r4-r7 and r8-r11.
#define N2D2_DSP_PRODUCTS    \
  "ldmia r0!, {r2, r3}\n"    \
  "smlad r4, r2, r12, r4\n"  \
  "smlad r5, r3, r12, r5\n"  \
  "smlad r8, r2, lr, r8\n"   \
  "smlad r9, r3, lr, r9\n"   \
  "ldmia r0!, {r2, r3}\n"    \
  "smlad r6, r2, r12, r6\n"  \
  "smlad r7, r3, r12, r7\n"  \
  "smlad r10, r2, lr, r10\n" \
  "smlad r11, r3, lr, r11\n"
#define N2D2_DSP_UPPER  \
  "ldr r12, [r1], #4\n" \
  "sxtb16 lr, r12\n" N2D2_DSP_PRODUCTS
// The shift moves a number from the lower half to the upper one, which is cleared.
#define N2D2_DSP_LOWER          \
  "ldr r12, [r1], #4\n"         \
  "lsl r12, r12, #4\n"          \
  "bic r12, r12, #0x000f0000\n" \
  "sxtb16 lr, r12\n" N2D2_DSP_PRODUCTS
// Turns sums C (register) and A (register) of pixel p into those of outputs 2 and 1; those of D and B are
// in memory.
#define N2D2_DSP_APART(C, A, B_AT, D_AT) \
  "ldr r3, [r2, #" B_AT                  \
  "]\n"                                  \
  "ldr r12, [r2, #" D_AT                 \
  "]\n"                                  \
  "sub " A ", r3, " A                    \
  ", asr #4\n"                           \
  "sub " C ", " C                        \
  ", r3, lsl #4\n"                       \
  "asr " C ", " C                        \
  ", #8\n"                               \
  "sub r12, r12, r3\n"                   \
  "sub r12, r12, " C                     \
  ", lsl #4\n"                           \
  "asr r12, r12, #8\n"                   \
  "str r12, [r2, #" D_AT "]\n"

// As tile_of_4; `bytes` are half of those of a quad.
N2D2_DSP_NAKED void narrow_of_4(const uint32_t*, const int8_t*, const int32_t*, int32_t*, int, int) {
  // [sp]: end of the weights, [4]: bias, [8]: words, [12]: sums; [56]: pairs, [60]: bytes
  __asm__ volatile(
      "push {r4-r11, lr}\n"
      "sub sp, #20\n"
      "strd r2, r0, [sp, #4]\n"
      "str r3, [sp, #12]\n"
      "1:\n"
      "ldr r12, [sp, #60]\n"
      "ldrd r2, r0, [sp, #4]\n"
      "add r12, r1, r12, lsl #1\n"
      "str r12, [sp]\n"
      "ldmia r2, {r4-r7}\n"
      "add r8, r5, r4, asr #4\n"
      "add r4, r8, r7, lsl #8\n"
      "add r4, r4, r6, lsl #4\n"
      "mov r5, r4\n"
      "mov r6, r4\n"
      "mov r7, r4\n"
      "mov r9, r8\n"
      "mov r10, r8\n"
      "mov r11, r8\n"
      "2:\n"                                                       //
      N2D2_DSP_UPPER N2D2_DSP_UPPER N2D2_DSP_UPPER N2D2_DSP_UPPER  //
      "ldr r2, [sp]\n"
      "cmp r1, r2\n"
      "bne 2b\n"
      "ldr r2, [sp, #12]\n"
      "add r3, r2, #48\n"
      "stmia r3, {r4-r7}\n"
      "add r3, r2, #16\n"
      "stmia r3, {r8-r11}\n"
      "ldr r12, [sp, #60]\n"
      "ldrd r2, r0, [sp, #4]\n"
      "sub r1, r1, r12, lsl #1\n"
      "ldmia r2!, {r4-r7}\n"
      "str r2, [sp, #4]\n"
      "mov r8, r4\n"
      "add r5, r5, r4, asr #4\n"
      "lsl r4, r6, #8\n"
      "add r4, r4, r5, lsl #4\n"
      "mov r5, r4\n"
      "mov r6, r4\n"
      "mov r7, r4\n"
      "mov r9, r8\n"
      "mov r10, r8\n"
      "mov r11, r8\n"
      "3:\n"                                                       //
      N2D2_DSP_LOWER N2D2_DSP_LOWER N2D2_DSP_LOWER N2D2_DSP_LOWER  //
      "ldr r2, [sp]\n"
      "cmp r1, r2\n"
      "bne 3b\n"
      "ldr r2, [sp, #12]\n"
      "stmia r2!, {r8-r11}\n"                                                         //
      N2D2_DSP_APART("r4", "r8", "0", "32") N2D2_DSP_APART("r5", "r9", "4", "36")     //
      N2D2_DSP_APART("r6", "r10", "8", "40") N2D2_DSP_APART("r7", "r11", "12", "44")  //
      "stmia r2!, {r8-r11}\n"
      "stmia r2!, {r4-r7}\n"
      "ldr r3, [sp, #56]\n"
      "add r2, #16\n"
      "subs r3, #2\n"
      "str r2, [sp, #12]\n"
      "str r3, [sp, #56]\n"
      "bgt 1b\n"
      "add sp, #20\n"
      "pop {r4-r11, pc}\n");
}
#undef N2D2_DSP_PRODUCTS
#undef N2D2_DSP_UPPER
#undef N2D2_DSP_LOWER
#undef N2D2_DSP_APART

// Sets the sums D, B, C and A (r4-r7) before the first product from biases at r2, and moves r2 behind them.
#define N2D2_DSP_BEGIN        \
  "ldmia r2!, {r7-r10}\n"     \
  "add r5, r8, r7, asr #4\n"  \
  "add r4, r5, r10, lsl #8\n" \
  "add r4, r4, r9, lsl #4\n"  \
  "lsl r6, r9, #8\n"          \
  "add r6, r6, r5, lsl #4\n"
// Products of a word of weights and of inputs, in registers; that of the weights is spent.
#define N2D2_DSP_WORD(W, X) \
  "sxtb16 lr, " W           \
  "\n"                      \
  "smlad r4, " X ", " W     \
  ", r4\n"                  \
  "lsl " W ", " W           \
  ", #4\n"                  \
  "smlad r5, " X            \
  ", lr, r5\n"              \
  "bic " W ", " W           \
  ", #0x000f0000\n"         \
  "smlad r6, " X ", " W     \
  ", r6\n"                  \
  "sxtb16 " W ", " W        \
  "\n"                      \
  "smlad r7, " X ", " W ", r7\n"

// As narrow_of_4 for 1 pixel.
N2D2_DSP_NAKED void narrow_of_1(const uint32_t*, const int8_t*, const int32_t*, int32_t*, int, int) {
  // [sp]: words, [4]: bias, [8]: sums; [56]: pairs, [60]: bytes
  __asm__ volatile(
      "push {r4-r11, lr}\n"
      "sub sp, #20\n"
      "strd r0, r2, [sp]\n"
      "str r3, [sp, #8]\n"
      "1:\n"
      "ldr r12, [sp, #60]\n"
      "ldrd r0, r2, [sp]\n"
      "add r12, r1, r12, lsl #1\n"  //
      N2D2_DSP_BEGIN
      "str r2, [sp, #4]\n"
      "2:\n"
      "ldmia r0!, {r2, r3, r8, r9}\n"
      "ldmia r1!, {r10, r11}\n"                              //
      N2D2_DSP_WORD("r10", "r2") N2D2_DSP_WORD("r11", "r3")  //
      "ldmia r1!, {r10, r11}\n"                              //
      N2D2_DSP_WORD("r10", "r8") N2D2_DSP_WORD("r11", "r9")  //
      "cmp r1, r12\n"
      "bne 2b\n"
      "ldr r2, [sp, #8]\n"
      "ldr r3, [sp, #56]\n"
      "sub r8, r5, r7, asr #4\n"
      "sub r6, r6, r5, lsl #4\n"
      "asr r9, r6, #8\n"
      "sub r4, r4, r5\n"
      "sub r4, r4, r9, lsl #4\n"
      "asr r10, r4, #8\n"
      "stmia r2!, {r7-r10}\n"
      "subs r3, #2\n"
      "str r2, [sp, #8]\n"
      "str r3, [sp, #56]\n"
      "bgt 1b\n"
      "add sp, #20\n"
      "pop {r4-r11, pc}\n");
}
#undef N2D2_DSP_BEGIN
#undef N2D2_DSP_WORD

#else

// Adds the products of a quad of outputs for one of the `pixels` pixels of a tile.
N2D2_INLINE void dsp_add_quad(const uint32_t* xs, const int8_t* weights, int words, int pixels,
                              const int32_t* bias, int32_t* sums) {
  const uint32_t* w = reinterpret_cast<const uint32_t*>(weights);
  int32_t a = bias[0], b = bias[1] + (bias[0] >> 4), c = (bias[2] << 8) + (b << 4),
          d = (bias[3] << 8) + (bias[2] << 4) + b;
  for (int i = 0; i < words; ++i, xs += pixels) {
    const int16x2_t x = static_cast<int16x2_t>(*xs);
    const uint32_t lower = w[i] << 4 & 0xfff0fff0u;
    d = __smlad(x, static_cast<int16x2_t>(w[i]), d);
    b = __smlad(x, __sxtb16(static_cast<int8x4_t>(w[i])), b);
    c = __smlad(x, static_cast<int16x2_t>(lower), c);
    a = __smlad(x, __sxtb16(static_cast<int8x4_t>(lower)), a);
  }
  sums[0] = a, sums[pixels] = b - (a >> 4);
  sums[2 * pixels] = static_cast<int32_t>(static_cast<uint32_t>(c) - (static_cast<uint32_t>(b) << 4)) >> 8;
  sums[3 * pixels] = static_cast<int32_t>(static_cast<uint32_t>(d) - static_cast<uint32_t>(b) -
                                          (static_cast<uint32_t>(sums[2 * pixels]) << 4)) >>
                     8;
}

template <int pixels>
N2D2_INLINE void dsp_narrow_tile(const uint32_t* xs, const int8_t* weights, const int32_t* bias,
                                 int32_t* sums, int pairs, int bytes) {
  for (; pairs > 0; pairs -= 2, weights += 2 * bytes, bias += 4, sums += 4 * pixels)
    for (int p = 0; p < pixels; ++p) dsp_add_quad(xs + p, weights, bytes / 2, pixels, bias, sums + p);
}
N2D2_APART void narrow_of_4(const uint32_t* xs, const int8_t* weights, const int32_t* bias, int32_t* sums,
                            int pairs, int bytes) {
  dsp_narrow_tile<4>(xs, weights, bias, sums, pairs, bytes);
}
N2D2_APART void narrow_of_1(const uint32_t* xs, const int8_t* weights, const int32_t* bias, int32_t* sums,
                            int pairs, int bytes) {
  dsp_narrow_tile<1>(xs, weights, bias, sums, pairs, bytes);
}

#endif

}  // namespace N2D2_EXPORT_NAMESPACE

#endif  // N2D2_ISA_DSP
