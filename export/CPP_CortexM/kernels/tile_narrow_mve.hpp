// Answers: how do MVE instructions multiply windows with weights of 4 bits?
// Part of an exported project; may be used without condition.
//
// It has no config fields; conv2d_mve.hpp and fc_mve.hpp share it with tile_mve.hpp, whose biases and sums it
// has. A weight is 16 times a signed number of 4 bits. Of the 4 outputs of a group, two share a byte, which
// is the signed number 16 * h + l: 16 * h is the weight of output 2 or 3, 16 * l that of output 0 or 1.
//
//   | step 0: outputs 0 and 2 (16 bytes) | outputs 1 and 3 | step 1: outputs 0 and 2 | ...
//
// A shift by 4 bits leaves 16 * l. Bytes need none: the sum of their products is that of h and a 16th of that
// of l, which is taken off at the end. So two vectors of weights take one load and one shift, as many
// instructions as two loads.
// Alignment, stack and scratch: those of tile_mve.hpp.
#pragma once

#include "narrow.hpp"
#include "tile_mve.hpp"

#if defined(N2D2_ISA_MVE) && !N2D2_MVE_ASSEMBLY
#include <arm_mve.h>
#endif

namespace N2D2_EXPORT_NAMESPACE {

// Tiles of one and of two pixels, and the bytes of a step of weights of a group.
struct MveTiles {
  void (*one)(const int8_t* x, const int8_t* weights, const int32_t* bias, int32_t* sums, int groups,
              int steps);
  void (*two)(const int8_t* x, const int8_t* weights, const int32_t* bias, int32_t* sums, int groups,
              int steps);
  int step;
};

enum { kMveNarrowStep = kMveGroup * kMveStep / 2 };

#if defined(N2D2_ISA_MVE) && N2D2_MVE_ASSEMBLY

// As N2D2_MVE_STEP, with outputs 0 and 2 in q2, 1 and 3 in q3.
#define N2D2_MVE_NARROW_STEP                                             \
  "vldrb.8 q0,[r1],#16\n vldrb.8 q2,[r3],#16\n vldrb.8 q1,[r5],#16\n"    \
  "vmladava.s8 r4,q0,q2\n vldrb.8 q3,[r3],#16\n vmladava.s8 r12,q1,q2\n" \
  "vshl.i8 q2,q2,#4\n vmladava.s8 r6,q0,q3\n vmladava.s8 lr,q1,q3\n"     \
  "vshl.i8 q3,q3,#4\n vmladava.s8 r0,q0,q2\n vmladava.s8 r8,q1,q2\n"     \
  "vmladava.s8 r2,q0,q3\n vmladava.s8 r10,q1,q3\n"

// As mve_tile2, also in its entry into the loop.
N2D2_ASSEMBLY void mve_narrow2(const int8_t* /*x*/, const int8_t* /*weights*/, const int32_t* /*bias*/,
                               int32_t* /*sums*/, int /*groups*/, int /*steps*/) {
  __asm__ volatile(
      "push {r4-r11,lr}\n"
      "ldrd r4,r5,[sp,#36]\n"
      "mov r7,r3\n"
      "sub r12,r2,r3\n"
      "mov r3,r1\n"
      "mov r1,r0\n"
      "add r9,r5,#3\n"
      "lsr r9,r9,#2\n"
      "rsb r6,r5,r9,lsl #2\n"
      "add r5,r0,r5,lsl #4\n"
      "add r4,r7,r4,lsl #4\n"
      "mov r10,#56\n"
      "adr.w r11,2f\n"
      "mla r11,r6,r10,r11\n"
      "orr r11,r11,#1\n"
      "push {r4}\n"
      "push {r1,r5,r9,r11,r12}\n"
      "1: ldm sp,{r1,r5,r9,r11,r12}\n"
      "add r12,r7\n"
      "ldm r12,{r0,r2,r4,r6}\n"
      "add r4,r4,r0,asr #4\n"
      "add r6,r6,r2,asr #4\n"
      "mov r8,r0\n"
      "mov r10,r2\n"
      "mov r12,r4\n"
      "mov lr,r6\n"
      "bx r11\n"
      ".p2align 2\n"
      "2:\n" N2D2_MVE_NARROW_STEP N2D2_MVE_NARROW_STEP N2D2_MVE_NARROW_STEP N2D2_MVE_NARROW_STEP
      "subs r9,#1\n"
      "bne 2b\n"
      "sub r4,r4,r0,asr #4\n"
      "sub r6,r6,r2,asr #4\n"
      "sub r12,r12,r8,asr #4\n"
      "sub lr,lr,r10,asr #4\n"
      "ldr r11,[sp,#20]\n"
      "add r9,r7,#64\n"
      "stmia r7!,{r0,r2,r4,r6}\n"
      "stmia r9,{r8,r10,r12,lr}\n"
      "cmp r7,r11\n"
      "bne 1b\n"
      "add sp,#24\n"
      "pop {r4-r11,pc}\n");
}

N2D2_ASSEMBLY void mve_narrow1(const int8_t* /*x*/, const int8_t* /*weights*/, const int32_t* /*bias*/,
                               int32_t* /*sums*/, int /*groups*/, int /*steps*/) {
  __asm__ volatile(
      "push {r4-r11,lr}\n"
      "ldrd r10,r9,[sp,#36]\n"
      "mov r7,r3\n"
      "mov r3,r1\n"
      "mov r5,r0\n"
      "mov r11,r2\n"
      "1: ldmia r11!,{r0,r2,r4,r6}\n"
      "add r4,r4,r0,asr #4\n"
      "add r6,r6,r2,asr #4\n"
      "mov r1,r5\n"
      "dls lr,r9\n"
      "2: vldrb.8 q0,[r1],#16\n"
      "vldrb.8 q2,[r3],#16\n"
      "vldrb.8 q3,[r3],#16\n"
      "vmladava.s8 r4,q0,q2\n"
      "vshl.i8 q2,q2,#4\n"
      "vmladava.s8 r6,q0,q3\n"
      "vshl.i8 q3,q3,#4\n"
      "vmladava.s8 r0,q0,q2\n"
      "vmladava.s8 r2,q0,q3\n"
      "le lr,2b\n"
      "sub r4,r4,r0,asr #4\n"
      "sub r6,r6,r2,asr #4\n"
      "stmia r7!,{r0,r2,r4,r6}\n"
      "subs r10,#1\n"
      "bne 1b\n"
      "pop {r4-r11,pc}\n");
}

#elif defined(N2D2_ISA_MVE)

N2D2_MVE_SHARED void mve_narrow1(const int8_t* x, const int8_t* weights, const int32_t* bias, int32_t* sums,
                                 int groups, int steps) {
  for (; groups > 0; --groups, bias += kMveGroup, sums += kMveGroup) {
    int32_t a0 = bias[0], a1 = bias[1], a2 = bias[2] + (a0 >> 4), a3 = bias[3] + (a1 >> 4);
    for (int step = 0; step < steps; ++step, weights += kMveNarrowStep) {
      const int8x16_t first = vldrbq_s8(x + step * kMveStep);
      const int8x16_t even = vldrbq_s8(weights), odd = vldrbq_s8(weights + kMveStep);
      a2 = vmladavaq_s8(a2, first, even), a3 = vmladavaq_s8(a3, first, odd);
      a0 = vmladavaq_s8(a0, first, vshlq_n_s8(even, 4));
      a1 = vmladavaq_s8(a1, first, vshlq_n_s8(odd, 4));
    }
    sums[0] = a0, sums[1] = a1, sums[2] = a2 - (a0 >> 4), sums[3] = a3 - (a1 >> 4);
  }
}

N2D2_MVE_SHARED void mve_narrow2(const int8_t* x, const int8_t* weights, const int32_t* bias, int32_t* sums,
                                 int groups, int steps) {
  mve_narrow1(x, weights, bias, sums, groups, steps);
  mve_narrow1(x + steps * kMveStep, weights, bias, sums + kMveOutputs, groups, steps);
}

#else

// Sums wrap around as those of the instructions do.
N2D2_MVE_SHARED void mve_narrow1(const int8_t* x, const int8_t* weights, const int32_t* bias, int32_t* sums,
                                 int groups, int steps) {
  for (int o = 0; o < groups * kMveGroup; ++o) {
    const int8_t* w = weights + o / kMveGroup * steps * kMveNarrowStep + o % 2 * kMveStep;
    uint32_t sum = static_cast<uint32_t>(bias[o]);
    for (int step = 0; step < steps; ++step, w += kMveNarrowStep) {
      int32_t part = 0;
      for (int i = 0; i < kMveStep; ++i) {
        const int lower = ((w[i] & 15) ^ 8) - 8;
        part += x[step * kMveStep + i] * (o % kMveGroup < 2 ? 16 * lower : w[i] - lower);
      }
      sum += static_cast<uint32_t>(part);
    }
    sums[o] = static_cast<int32_t>(sum);
  }
}

N2D2_MVE_SHARED void mve_narrow2(const int8_t* x, const int8_t* weights, const int32_t* bias, int32_t* sums,
                                 int groups, int steps) {
  mve_narrow1(x, weights, bias, sums, groups, steps);
  mve_narrow1(x + steps * kMveStep, weights, bias, sums + kMveOutputs, groups, steps);
}

#endif

// The tiles for weights of a type.
template <class Weight>
struct MveTilesOf;
template <>
struct MveTilesOf<int8_t> {
  static N2D2_INLINE MveTiles get() {
    const MveTiles tiles = {mve_tile1, mve_tile2, kMveGroup * kMveStep};
    return tiles;
  }
};
template <>
struct MveTilesOf<Narrow<4, 0> > {
  static N2D2_INLINE MveTiles get() {
    const MveTiles tiles = {mve_narrow1, mve_narrow2, kMveNarrowStep};
    return tiles;
  }
};

}  // namespace N2D2_EXPORT_NAMESPACE
