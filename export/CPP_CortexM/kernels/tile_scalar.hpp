// Answers: how are the products of four pixels and two outputs added up on a core without DSP instructions?
// Part of an exported project; may be used without condition.
//
// It has no config fields. A word holds the inputs of two pixels, x0 + x1 * 2^kWordShift, and one
// multiplication by w + 128 serves both: inputs and weights are bytes without sign, so neither product
// reaches the other. Words come as [inputs][2], pixels 0 and 1, pixels 2 and 3; weights as [inputs][2], both
// outputs; the number of inputs is a multiple of 4. Two kinds of tiles:
//   with products of 64 bits (M3)  SMLAL adds up both products. The lower sum stays below 2^23 for 128
//                                  inputs, so a longer window is several parts.
//   without (M0, M0+, M23)         MULS makes both products, of 16 bits each. Their sum S wraps; the upper
//                                  ones are also added to A, and S - A * 2^16 is the sum of the lower ones.
// Stack: 64 bytes. Scratch: none.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum { kWordShift = N2D2_LONG_PRODUCT ? 23 : 16 };

// Four pixels and the outputs that are to be made of them, two by two. The assembly knows the offsets.
template <class Out, class Factor>
struct ScalarPairs {
  int32_t less[4];  // 128 * sum of the inputs of a pixel
  Out* to[4];
  const uint32_t* words;
  const int8_t* weights;  // of the next two outputs
  const int32_t* bias;    // of output 0, as factor
  const Factor* factor;
  int bytes;        // of weights of two outputs
  int at, end;      // the next two outputs, the end of those that are made
  int is_stored;    // 1: factors are floats, or multipliers with a shift of 32; 0: nothing is stored
  int32_t sums[8];  // [output][pixel], of the next outputs where they are not stored
  const int8_t* weights_end;
};

#if defined(N2D2_ISA_THUMB) && N2D2_LONG_PRODUCT

static_assert(sizeof(ScalarPairs<uint8_t, float>) == 100, "the assembly knows the offsets");

#define N2D2_FOUR_PRODUCTS                                               \
  "ldrd r2, r3, [r0], #8\n ldrb r12, [r1], #1\n smlal r4, r5, r2, r12\n" \
  "smlal r6, r7, r3, r12\n ldrb r12, [r1], #1\n smlal r8, r9, r2, r12\n" \
  "smlal r10, r11, r3, r12\n"
#define N2D2_SPLIT(low, high) \
  "lsr r2, " low ", #23\n ubfx " low ", " low ", #0, #23\n orr " high ", r2, " high ", lsl #9\n"
#define N2D2_ADD_TWO(first, second) \
  "ldrd r12, lr, [r2], #8\n add " first ", " first ", r12\n add " second ", " second ", lr\n"
// r12 = the factor of output r0 * 2^32, r1 = what is added to its products.
#define N2D2_FIXED_FACTOR "ldr r2, [r3, #44]\n ldr r12, [r2, r0, lsl #2]\n mov r1, #0x80000000\n"
#define N2D2_FLOAT_FACTOR                                                                 \
  "ldr r2, [r3, #44]\n ldr r12, [r2, r0, lsl #2]\n lsr r1, r12, #23\n sub r2, r1, #114\n" \
  "cmp r2, #11\n bhs 5f\n lsl r12, r12, #8\n orr r12, r12, #0x80000000\n"                 \
  "rsb r1, r1, #126\n lsr r12, r12, r1\n movw r1, #0\n movt r1, #0x8022\n"
#define N2D2_CLOSE "cmp r2, #0x00440000\n blo 5f\n"
// One output: (sum * r12 + r1) >> 32, saturated.
#define N2D2_PUT(sum, to, check, saturate)                                                                  \
  "mov r2, r1\n mov lr, #0\n smlal r2, lr, " sum ", r12\n" check saturate " lr, #8, lr\n ldr r2, [r3, #" to \
  "]\n strb lr, [r2, r0]\n"
#define N2D2_PUT_FOUR(a, b, c, d, check, saturate) \
  N2D2_PUT(a, "16", check, saturate)               \
  N2D2_PUT(b, "20", check, saturate)               \
  N2D2_PUT(c, "24", check, saturate)               \
  N2D2_PUT(d, "28", check, saturate)
#define N2D2_PAIRS(factor, check, saturate) \
  "push {r0, r4-r11, lr}\n mov r3, r0\n"                                                     \
  "1:\n ldmia r3, {r4-r7}\n ldr r0, [r3, #52]\n ldr r2, [r3, #40]\n"                         \
  "add r2, r2, r0, lsl #2\n ldrd r1, r2, [r2]\n"                                             \
  "sub r8, r2, r4\n sub r9, r2, r5\n sub r10, r2, r6\n sub r11, r2, r7\n"                    \
  "sub r4, r1, r4\n sub r5, r1, r5\n sub r6, r1, r6\n sub r7, r1, r7\n"                      \
  "add r0, r3, #64\n stmia r0, {r4-r11}\n"                                                   \
  "ldrd r0, r1, [r3, #32]\n ldr r2, [r3, #48]\n add r12, r1, r2\n str r12, [r3, #96]\n"      \
  "2:\n add lr, r1, #256\n cmp lr, r12\n it hi\n movhi lr, r12\n"                            \
  "movs r4, #0\n movs r5, #0\n movs r6, #0\n movs r7, #0\n"                                  \
  "mov r8, #0\n mov r9, #0\n mov r10, #0\n mov r11, #0\n"                                    \
  "3:\n" N2D2_FOUR_PRODUCTS N2D2_FOUR_PRODUCTS N2D2_FOUR_PRODUCTS N2D2_FOUR_PRODUCTS         \
  "cmp r1, lr\n bne 3b\n ldr r3, [sp]\n"                                                     \
  N2D2_SPLIT("r4", "r5") N2D2_SPLIT("r6", "r7")                                              \
  N2D2_SPLIT("r8", "r9") N2D2_SPLIT("r10", "r11")                                            \
  "add r2, r3, #64\n"                                                                        \
  N2D2_ADD_TWO("r4", "r5") N2D2_ADD_TWO("r6", "r7")                                          \
  N2D2_ADD_TWO("r8", "r9") N2D2_ADD_TWO("r10", "r11")                                        \
  "ldr r12, [r3, #96]\n cmp r1, r12\n beq 4f\n"                                              \
  "add r2, r3, #64\n stmia r2, {r4-r11}\n b 2b\n"                                            \
  "4:\n ldrd r0, r1, [r3, #52]\n ldr r2, [r3, #60]\n cmp r2, #0\n beq 5f\n"                  \
  factor N2D2_PUT_FOUR("r4", "r5", "r6", "r7", check, saturate) "adds r0, #1\n"              \
  factor N2D2_PUT_FOUR("r8", "r9", "r10", "r11", check, saturate) "adds r0, #1\n"            \
  "ldr r1, [r3, #96]\n str r1, [r3, #36]\n str r0, [r3, #52]\n"                              \
  "ldr r1, [r3, #56]\n cmp r0, r1\n blo 1b\n movs r0, #0\n pop {r3-r11, pc}\n"              \
  "5:\n add r2, r3, #64\n stmia r2, {r4-r11}\n movs r0, #1\n pop {r3-r11, pc}\n"
// Stores outputs two by two. Returns 0 at the end; 1 where two outputs are left to sums, because a factor is
// not in [2^-13, 2^-2), a fraction is close to one half (float_by_integers.hpp), or they are not stored.
__attribute__((naked, noinline)) inline int pairs_scalar(ScalarPairs<uint8_t, int32_t>*) {
  __asm__ volatile(N2D2_PAIRS(N2D2_FIXED_FACTOR, "", "usat"));
}
__attribute__((naked, noinline)) inline int pairs_scalar(ScalarPairs<int8_t, int32_t>*) {
  __asm__ volatile(N2D2_PAIRS(N2D2_FIXED_FACTOR, "", "ssat"));
}
__attribute__((naked, noinline)) inline int pairs_scalar(ScalarPairs<uint8_t, float>*) {
  __asm__ volatile(N2D2_PAIRS(N2D2_FLOAT_FACTOR, N2D2_CLOSE, "usat"));
}
__attribute__((naked, noinline)) inline int pairs_scalar(ScalarPairs<int8_t, float>*) {
  __asm__ volatile(N2D2_PAIRS(N2D2_FLOAT_FACTOR, N2D2_CLOSE, "ssat"));
}
#undef N2D2_FOUR_PRODUCTS
#undef N2D2_SPLIT
#undef N2D2_ADD_TWO
#undef N2D2_FIXED_FACTOR
#undef N2D2_FLOAT_FACTOR
#undef N2D2_CLOSE
#undef N2D2_PUT
#undef N2D2_PUT_FOUR
#undef N2D2_PAIRS

#elif defined(N2D2_ISA_THUMB)

#define N2D2_FOUR_PRODUCTS(word, weight)                                                 \
  "ldrb r2, [r1, #" #weight "]\n ldrb r3, [r1, #" #weight " + 1]\n ldr r4, [r0, #" #word \
  "]\n movs r5, r4\n muls r5, r2\n adds r6, r5\n lsrs r5, r5, #16\n adds r7, r5\n"       \
  "muls r4, r3\n add r8, r4\n lsrs r4, r4, #16\n add r9, r4\n ldr r4, [r0, #" #word      \
  " + 4]\n muls r2, r4\n add r10, r2\n lsrs r2, r2, #16\n add r11, r2\n"                 \
  "muls r4, r3\n add r12, r4\n lsrs r4, r4, #16\n add lr, r4\n"
// products = S, A of pixels 0 and 1 of output 0, of output 1, of pixels 2 and 3 of output 0, of output 1;
// bytes / 2 inputs, bytes > 0.
__attribute__((naked, noinline)) inline void make_products(const uint32_t*, const int8_t*, int, uint32_t*) {
  __asm__ volatile(
      ".syntax unified\n"
      "push {r4-r7, lr}\n mov r4, r8\n mov r5, r9\n mov r6, r10\n mov r7, r11\n push {r4-r7}\n"
      "adds r2, r2, r1\n push {r2, r3}\n movs r6, #0\n movs r7, #0\n mov r8, r6\n mov r9, r6\n"
      "mov r10, r6\n mov r11, r6\n mov r12, r6\n mov lr, r6\n"
      "1:\n" N2D2_FOUR_PRODUCTS(0, 0) N2D2_FOUR_PRODUCTS(8, 2)
      N2D2_FOUR_PRODUCTS(16, 4) N2D2_FOUR_PRODUCTS(24, 6)
      "adds r0, #32\n adds r1, #8\n ldr r5, [sp]\n cmp r1, r5\n bne 1b\n"
      "pop {r2, r3}\n mov r4, r8\n mov r5, r9\n stmia r3!, {r6, r7}\n stmia r3!, {r4, r5}\n"
      "mov r4, r10\n mov r5, r11\n mov r6, r12\n mov r7, lr\n stmia r3!, {r4-r7}\n"
      "pop {r4-r7}\n mov r8, r4\n mov r9, r5\n mov r10, r6\n mov r11, r7\n pop {r4-r7, pc}\n");
}
#undef N2D2_FOUR_PRODUCTS
// Returns 1: the next two outputs are left to sums.
template <class Out, class Factor>
inline int pairs_scalar(ScalarPairs<Out, Factor>* pairs) {
  uint32_t products[8];
  make_products(pairs->words, pairs->weights, pairs->bytes, products);
  for (int j = 0; j < 4; ++j) {
    const uint32_t upper = products[2 * j + 1];
    const int32_t bias = pairs->bias[pairs->at + j % 2], *const less = pairs->less + j / 2 * 2;
    int32_t* const to = pairs->sums + 4 * (j % 2) + j / 2 * 2;
    to[0] = static_cast<int32_t>(products[2 * j] - (upper << kWordShift)) + bias - less[0];
    to[1] = static_cast<int32_t>(upper) + bias - less[1];
  }
  return 1;
}

#endif

}  // namespace N2D2_EXPORT_NAMESPACE
