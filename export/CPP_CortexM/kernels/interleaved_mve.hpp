// Answers: how do MVE instructions multiply the windows of 16 channels that are kept apart (depthwise)?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is part of depthwise_mve.hpp. Three rows of a block of 16 channels are
// interleaved into words of 4 bytes, so that a window of up to 4 columns of a channel is 4 words, one
// gathering load:
//
//   scratch [column][channel] = | row 0 | row 1 | row 2 | any |
//
// Channel 4 * i + j of a block is at slot 4 * j + i of weights, biases, factors and sums: four loads at
// distances of 16 bytes serve the channels j, j + 4, j + 8, j + 12, and narrowing puts the bytes in order.
// Alignment: all but inputs and outputs to 4 bytes. Stack: at most 112 bytes. Scratch: that of
// depthwise_mve.hpp.
#pragma once

#include "ends_mve.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum {
  kMveLanes = 16,
  kMveColumn = 4 * kMveLanes
};  // channels of a block; bytes of a column, and of its sums

// Three rows whose columns are interleaved. `lanes` bytes of a column are read, 1 to 16.
struct MveColumns {
  const int8_t* row[3];
  int step[3];  // bytes from column to column
  int columns, lanes, flip;
};

// The windows of `pixels` >= 1 pixels that are multiplied; the words of a window are `tap` bytes apart.
struct MveWindows {
  const int8_t* columns;
  int tap;
  const int8_t* weights;  // [j][i][column][4 bytes]
  const int32_t* bias;
  int32_t* sums;  // [pixels][16]
  int pixels;
};

// Stores `lanes` outputs of each of `pixels` >= 1 pixels, `step` bytes apart.
struct MveOutputs {
  const int32_t* sums;
  const void* factor;
  void* out;
  int pixels, lanes, step;
};

#if defined(N2D2_ISA_MVE) && N2D2_MVE_ASSEMBLY

N2D2_ASSEMBLY void mve_interleave(int8_t* /*to*/, const MveColumns* /*from*/) {
  __asm__ volatile(
      "push {r4-r9,lr}\n"
      "ldm r1,{r1-r9}\n"
      "vdup.8 q3,r9\n"
      "vctp.8 r8\n"
      "dls lr,r7\n"
      "1: vpsttt\n"
      "vldrbt.u8 q0,[r1]\n"
      "vldrbt.u8 q1,[r2]\n"
      "vldrbt.u8 q2,[r3]\n"
      "add r1,r4\n"
      "veor q0,q0,q3\n"
      "add r2,r5\n"
      "veor q1,q1,q3\n"
      "add r3,r6\n"
      "veor q2,q2,q3\n"
      "vst40.8 {q0,q1,q2,q3},[r0]\n"
      "vst41.8 {q0,q1,q2,q3},[r0]\n"
      "vst42.8 {q0,q1,q2,q3},[r0]\n"
      "vst43.8 {q0,q1,q2,q3},[r0]!\n"
      "le lr,1b\n"
      "pop {r4-r9,pc}\n");
}

// The windows of neighbours are STEP bytes apart. Loads and products alternate.
#define N2D2_MVE_SUMS(NAME, STEP)                                                                 \
  N2D2_ASSEMBLY void NAME(const MveWindows* /*windows*/) {                                        \
    __asm__ volatile(                                                                             \
        "push {r4-r11,lr}\n vpush {d8-d15}\n ldm r0,{r1,r3,r5,r7,r8,r9}\n"                        \
        "sub r1,#" STEP                                                                           \
        "\n movs r2,#0\n vidup.u32 q6,r2,#1\n vmul.i32 q6,q6,r3\n"                                \
        "vadd.i32 q6,q6,r1\n movs r3,#4\n mov r10,#4\n"                                           \
        "1: vldrb.8 q1,[r5],#16\n vldrb.8 q2,[r5],#16\n vldrb.8 q3,[r5],#16\n"                    \
        "vldrb.8 q4,[r5],#16\n vmov q7,q6\n vadd.i32 q6,q6,r10\n mov r11,r8\n dls lr,r9\n"        \
        "2: ldm r7,{r0,r2,r4,r6}\n vldrw.u32 q0,[q7,#" STEP                                       \
        "]!\n vldrw.u32 q5,[q7,#16]\n"                                                            \
        "vmladava.s8 r0,q0,q1\n vldrw.u32 q0,[q7,#32]\n vmladava.s8 r2,q5,q2\n"                   \
        "vldrw.u32 q5,[q7,#48]\n vmladava.s8 r4,q0,q3\n vmladava.s8 r6,q5,q4\n"                   \
        "stm r11,{r0,r2,r4,r6}\n add r11,r11,#64\n le lr,2b\n"                                    \
        "adds r7,#16\n add r8,r8,#16\n subs r3,#1\n bne 1b\n vpop {d8-d15}\n pop {r4-r11,pc}\n"); \
  }
N2D2_MVE_SUMS(mve_sums_64, "64")
N2D2_MVE_SUMS(mve_sums_128, "128")

#elif !defined(N2D2_ISA_MVE)

N2D2_MVE_SHARED void mve_interleave(int8_t* to, const MveColumns* from) {
  for (int column = 0; column < from->columns; ++column)
    for (int k = 0; k < 3; ++k)
      for (int lane = 0; lane < from->lanes; ++lane) {
        const uint8_t x = static_cast<uint8_t>(from->row[k][column * from->step[k] + lane]);
        reinterpret_cast<uint8_t*>(to)[column * kMveColumn + 4 * lane + k] =
            static_cast<uint8_t>(x ^ from->flip);
      }
}

// Bytes that were never written meet weights of zero.
N2D2_INLINE void mve_sums_apart(const MveWindows* windows, int step) {
  for (int pixel = 0; pixel < windows->pixels; ++pixel)
    for (int slot = 0; slot < kMveLanes; ++slot) {
      const int channel = 4 * (slot % 4) + slot / 4;
      int32_t sum = 0;
      for (int e = 0; e < 16; ++e)
        sum += windows->columns[pixel * step + e / 4 * windows->tap + 4 * channel + e % 4] *
               windows->weights[16 * slot + e];
      windows->sums[pixel * kMveLanes + slot] =
          static_cast<int32_t>(static_cast<uint32_t>(windows->bias[slot]) + static_cast<uint32_t>(sum));
    }
}
N2D2_MVE_SHARED void mve_sums_64(const MveWindows* windows) {
  mve_sums_apart(windows, 64);
}
N2D2_MVE_SHARED void mve_sums_128(const MveWindows* windows) {
  mve_sums_apart(windows, 128);
}

#endif

template <class Factor, class Out>
struct MveStored {
  static N2D2_MVE_SHARED void run(const MveOutputs* to) {
    for (int pixel = 0; pixel < to->pixels; ++pixel)
      for (int lane = 0; lane < to->lanes; ++lane) {
        const int slot = 4 * (lane % 4) + lane / 4;
        static_cast<Out*>(to->out)[pixel * to->step + lane] =
            rescale<Out>(MveBounds<Out>(), to->sums[pixel * kMveLanes + slot],
                         static_cast<const Factor*>(to->factor)[slot]);
      }
  }
};

#if defined(N2D2_ISA_MVE) && N2D2_MVE_ASSEMBLY

#define N2D2_MVE_STORED(Factor, Out, SCALE, SIGN)                                                           \
  template <>                                                                                               \
  N2D2_ASSEMBLY void MveStored<Factor, Out>::run(const MveOutputs*) {                                       \
    __asm__ volatile(                                                                                     \
        "push {r4,r5,r6,lr}\n vpush {d8-d15}\n ldm r0,{r0,r1,r2,r3,r4,r5}\n"                              \
        "vldrw.u32 q4,[r1]\n vldrw.u32 q5,[r1,#16]\n vldrw.u32 q6,[r1,#32]\n vldrw.u32 q7,[r1,#48]\n"     \
        "vctp.8 r4\n dls lr,r3\n"                                                                         \
        "1: vldrw.u32 q1,[r0,#16]\n vldrw.u32 q2,[r0,#32]\n vldrw.u32 q3,[r0,#48]\n"                      \
        "vldrw.u32 q0,[r0],#64\n" SCALE("q1", "q5") SCALE("q2", "q6") SCALE("q3", "q7") SCALE("q0", "q4") \
            "vqmovnb.s32 q1,q1\n vqmovnb.s32 q0,q0\n vqmovnt.s32 q1,q3\n vqmovnt.s32 q0,q2\n"             \
            "vqmov" SIGN "nb.s16 q0,q0\n vqmov" SIGN "nt.s16 q0,q1\n"                                     \
            "vpst\n vstrbt.8 q0,[r2]\n add r2,r5\n le lr,1b\n vpop {d8-d15}\n pop {r4,r5,r6,pc}\n"); \
  }

N2D2_MVE_STORED(int32_t, uint8_t, N2D2_MVE_FIXED, "u")
N2D2_MVE_STORED(int32_t, int8_t, N2D2_MVE_FIXED, "")
#if __ARM_FEATURE_MVE & 2
N2D2_MVE_STORED(float, uint8_t, N2D2_MVE_FLOAT, "u")
N2D2_MVE_STORED(float, int8_t, N2D2_MVE_FLOAT, "")
#endif

#endif

}  // namespace N2D2_EXPORT_NAMESPACE

#if defined(N2D2_ISA_MVE) && !N2D2_MVE_ASSEMBLY
#include "interleaved_mve_acle.hpp"
#endif
