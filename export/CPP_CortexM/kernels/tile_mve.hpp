// Answers: how do MVE instructions gather windows and multiply them with weights?
// Part of an exported project; may be used without condition.
//
// It has no config fields; conv2d_mve.hpp, fc_mve.hpp and depthwise_mve.hpp share it. It knows no shape:
// its code is compiled once for all layers. Every function has a form in portable C++ with the same bytes,
// which machines without MVE run.
//
// A window is gathered into scratch, filled up to steps of 16 bytes; what lies behind the window meets
// weights of zero. Instructions multiply signed bytes alone: inputs are gathered XOR `flip`, which is 0x80
// for unsigned inputs (x - 128) and 0 for signed ones, and the biases hold 128 times the sum of the
// weights. Weights of a group of 4 outputs are steps of 4 x 16 bytes:
//
//   | step 0: output 0 (16 bytes) | output 1 | output 2 | output 3 | step 1: output 0 | ...
//
// Alignment: weights, biases and sums to 4 bytes. Stack: at most 64 bytes. Scratch: none of their own.
#pragma once

#include "plane.hpp"

// A function whose body is assembly: its arguments are in r0 to r3 and on the stack.
#if defined(__GNUC__) && !defined(__clang__)
#define N2D2_ASSEMBLY __attribute__((naked, noinline, noclone)) inline
#elif defined(__GNUC__)
#define N2D2_ASSEMBLY __attribute__((naked, noinline)) inline
#endif

// A function that all layers share: compilers make no copy of it for a caller.
#if defined(__GNUC__) && !defined(__clang__)
#define N2D2_MVE_SHARED inline __attribute__((noinline, noclone))
#else
#define N2D2_MVE_SHARED N2D2_APART
#endif

// 1: functions are GNU assembly; 0: they are intrinsics of arm_mve.h (*_mve_acle.hpp). May be predefined.
#if defined(N2D2_ISA_MVE) && !defined(N2D2_MVE_ASSEMBLY)
#if defined(N2D2_ASSEMBLY)
#define N2D2_MVE_ASSEMBLY 1
#else
#define N2D2_MVE_ASSEMBLY 0
#endif
#endif

namespace N2D2_EXPORT_NAMESPACE {

// How rows of bytes are copied: `rows` rows of `bytes` bytes for each of `windows` windows, all of them at
// least 1; the distances are those from row to row and from window to window, in bytes.
struct MveCopy {
  int bytes, rows, from_row, to_row, windows, from_window, to_window, flip;
};

// The outputs whose sums are added at a time, and those that share a group of weights.
enum { kMveOutputs = 16, kMveGroup = 4, kMveStep = 16 };

// Returns the first multiple of 8 in scratch, which has kMveScratchSpare bytes more than are used.
enum { kMveScratchSpare = 7 };
N2D2_INLINE int8_t* mve_scratch(void* scratch) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(scratch);
  return static_cast<int8_t*>(scratch) + ((address + 7) / 8 * 8 - address);
}

// Returns the steps of 16 bytes of a window.
N2D2_INLINE constexpr int mve_steps(int window) {
  return (window + kMveStep - 1) / kMveStep;
}

#if defined(N2D2_ISA_MVE) && N2D2_MVE_ASSEMBLY

// Copies rows, each byte XOR `flip`. Rows up to 16 bytes take one predicated step.
N2D2_ASSEMBLY void mve_copy(void* /*to*/, const void* /*from*/, const MveCopy* /*copy*/) {
  __asm__ volatile(
      "push {r4-r11,lr}\n"
      "ldm r2,{r2-r9}\n"
      "vdup.8 q1,r9\n"
      "cmp r2,#16\n"
      "bhi 3f\n"
      "vctp.8 r2\n"
      "1: mov r10,r0\n"
      "mov r11,r1\n"
      "dls lr,r3\n"
      "2: vpsttt\n"
      "vldrbt.u8 q0,[r11]\n"
      "veort q0,q0,q1\n"
      "vstrbt.8 q0,[r10]\n"
      "add r11,r4\n"
      "add r10,r5\n"
      "le lr,2b\n"
      "add r0,r8\n"
      "add r1,r7\n"
      "subs r6,#1\n"
      "bne 1b\n"
      "pop {r4-r11,pc}\n"
      // Pointers advance by whole steps, so the distances of rows are less by as much.
      "3: add r12,r2,#15\n"
      "bic r12,r12,#15\n"
      "sub r4,r4,r12\n"
      "sub r5,r5,r12\n"
      "4: mov r10,r0\n"
      "mov r11,r1\n"
      "mov r9,r3\n"
      "5: dlstp.8 lr,r2\n"
      "6: vldrb.u8 q0,[r11],#16\n"
      "veor q0,q0,q1\n"
      "vstrb.8 q0,[r10],#16\n"
      "letp lr,6b\n"
      "add r11,r4\n"
      "add r10,r5\n"
      "subs r9,#1\n"
      "bne 5b\n"
      "add r0,r8\n"
      "add r1,r7\n"
      "subs r6,#1\n"
      "bne 4b\n"
      "pop {r4-r11,pc}\n");
}

// Sets n >= 1 bytes to a value.
N2D2_ASSEMBLY void mve_fill(void* /*to*/, int /*n*/, int /*value*/) {
  __asm__ volatile(
      "push {r4,lr}\n"
      "vdup.8 q0,r2\n"
      "dlstp.8 lr,r1\n"
      "1: vstrb.8 q0,[r0],#16\n"
      "letp lr,1b\n"
      "pop {r4,pc}\n");
}

// 16 inputs of two windows (r1, r5), 4 outputs (weights r3), 128 products in 14 instructions; sums in the
// even registers r0 to lr. Loads and products alternate.
#define N2D2_MVE_STEP                                                    \
  "vldrb.8 q0,[r1],#16\n vldrb.8 q2,[r3],#16\n vldrb.8 q1,[r5],#16\n"    \
  "vmladava.s8 r0,q0,q2\n vldrb.8 q3,[r3],#16\n vmladava.s8 r8,q1,q2\n"  \
  "vldrb.8 q2,[r3],#16\n vmladava.s8 r2,q0,q3\n vmladava.s8 r10,q1,q3\n" \
  "vldrb.8 q3,[r3],#16\n vmladava.s8 r4,q0,q2\n vmladava.s8 r12,q1,q2\n" \
  "vmladava.s8 r6,q0,q3\n vmladava.s8 lr,q1,q3\n"

// Sums of `groups` groups of outputs for the windows at x and x + 16 * steps: sums[0..15] and sums[16..31].
// A step has 56 bytes of code; the first turn of the loop is entered where the steps are a multiple of 4
// from.
N2D2_ASSEMBLY void mve_tile2(const int8_t* /*x*/, const int8_t* /*weights*/, const int32_t* /*bias*/,
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
      "mov r8,r0\n"
      "mov r10,r2\n"
      "mov r12,r4\n"
      "mov lr,r6\n"
      "bx r11\n"
      ".p2align 2\n"
      "2:\n" N2D2_MVE_STEP N2D2_MVE_STEP N2D2_MVE_STEP N2D2_MVE_STEP
      "subs r9,#1\n"
      "bne 2b\n"
      "ldr r11,[sp,#20]\n"
      "add r9,r7,#64\n"
      "stmia r7!,{r0,r2,r4,r6}\n"
      "stmia r9,{r8,r10,r12,lr}\n"
      "cmp r7,r11\n"
      "bne 1b\n"
      "add sp,#24\n"
      "pop {r4-r11,pc}\n");
}

// Sums of the window at x alone: sums[0..15].
N2D2_ASSEMBLY void mve_tile1(const int8_t* /*x*/, const int8_t* /*weights*/, const int32_t* /*bias*/,
                             int32_t* /*sums*/, int /*groups*/, int /*steps*/) {
  __asm__ volatile(
      "push {r4-r11,lr}\n"
      "ldrd r10,r9,[sp,#36]\n"
      "mov r7,r3\n"
      "mov r3,r1\n"
      "mov r5,r0\n"
      "mov r11,r2\n"
      "1: ldmia r11!,{r0,r2,r4,r6}\n"
      "mov r1,r5\n"
      "dls lr,r9\n"
      "2: vldrb.8 q0,[r1],#16\n"
      "vldrb.8 q2,[r3],#16\n"
      "vldrb.8 q3,[r3],#16\n"
      "vmladava.s8 r0,q0,q2\n"
      "vldrb.8 q2,[r3],#16\n"
      "vmladava.s8 r2,q0,q3\n"
      "vldrb.8 q3,[r3],#16\n"
      "vmladava.s8 r4,q0,q2\n"
      "vmladava.s8 r6,q0,q3\n"
      "le lr,2b\n"
      "stmia r7!,{r0,r2,r4,r6}\n"
      "subs r10,#1\n"
      "bne 1b\n"
      "pop {r4-r11,pc}\n");
}

#elif !defined(N2D2_ISA_MVE)

N2D2_MVE_SHARED void mve_copy(void* to, const void* from, const MveCopy* copy) {
  for (int window = 0; window < copy->windows; ++window)
    for (int row = 0; row < copy->rows; ++row) {
      uint8_t* t = static_cast<uint8_t*>(to) + window * copy->to_window + row * copy->to_row;
      const uint8_t* f =
          static_cast<const uint8_t*>(from) + window * copy->from_window + row * copy->from_row;
      for (int i = 0; i < copy->bytes; ++i) t[i] = static_cast<uint8_t>(f[i] ^ copy->flip);
    }
}

N2D2_MVE_SHARED void mve_fill(void* to, int n, int value) {
  for (int i = 0; i < n; ++i) static_cast<uint8_t*>(to)[i] = static_cast<uint8_t>(value);
}

// Sums wrap around as those of the instructions do.
N2D2_MVE_SHARED void mve_tile1(const int8_t* x, const int8_t* weights, const int32_t* bias, int32_t* sums,
                               int groups, int steps) {
  for (int o = 0; o < groups * kMveGroup; ++o) {
    const int8_t* w = weights + o / kMveGroup * steps * kMveGroup * kMveStep + o % kMveGroup * kMveStep;
    uint32_t sum = static_cast<uint32_t>(bias[o]);
    for (int step = 0; step < steps; ++step) {
      int32_t part = 0;
      for (int i = 0; i < kMveStep; ++i) part += x[step * kMveStep + i] * w[step * kMveGroup * kMveStep + i];
      sum += static_cast<uint32_t>(part);
    }
    sums[o] = static_cast<int32_t>(sum);
  }
}

N2D2_MVE_SHARED void mve_tile2(const int8_t* x, const int8_t* weights, const int32_t* bias, int32_t* sums,
                               int groups, int steps) {
  mve_tile1(x, weights, bias, sums, groups, steps);
  mve_tile1(x + steps * kMveStep, weights, bias, sums + kMveOutputs, groups, steps);
}

#endif

}  // namespace N2D2_EXPORT_NAMESPACE

#if defined(N2D2_ISA_MVE) && !N2D2_MVE_ASSEMBLY
#include "tile_mve_acle.hpp"
#endif
