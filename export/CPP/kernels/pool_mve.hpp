// Answers: how do MVE instructions (Cortex-M55, M85) compare and add the taps of a window?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list for the pools of pool.hpp on bytes, 16 channels at
// a time. Stack: below kStackBytes (plane.hpp). Scratch: none.
#pragma once

#include "pool.hpp"

#if defined(__GNUC__)  // the code is assembly

#ifndef N2D2_MVE_NAKED
#if defined(__clang__)
#define N2D2_MVE_NAKED __attribute__((naked, noinline)) inline
#else
#define N2D2_MVE_NAKED __attribute__((naked, noinline, noclone)) inline
#endif
#endif

namespace N2D2_EXPORT_NAMESPACE {

// The taps of a window that are on the map: `columns` by `rows`, both at least 1. A row of them is at
// `to_row` bytes from the end of the one before.
struct MvePoolTaps {
  int columns, rows, to_column, to_row, lanes;
};

// Keeps the larger of 16 starting values and the taps, and stores `lanes` of them.
template <class In>
struct MveLargest;
#define N2D2_MVE_LARGEST(In, TYPE)                                            \
  template <>                                                                 \
  struct MveLargest<In> {                                                     \
    static N2D2_MVE_NAKED void run(const In*, const MvePoolTaps*, In*, int) { \
      __asm__ volatile(                                                       \
          "push {r4-r8,lr}\n vdup.8 q0,r3\n ldm r1,{r4-r8}\n vctp.8 r8\n"     \
          "1: dls lr,r4\n"                                                    \
          "2: vpstt\n vldrbt.u8 q1,[r0]\n vmaxt." TYPE                        \
          " q0,q0,q1\n add r0,r6\n le lr,2b\n"                                \
          "add r0,r7\n subs r5,#1\n bne 1b\n"                                 \
          "vpst\n vstrbt.8 q0,[r2]\n pop {r4-r8,pc}\n");                      \
    }                                                                         \
  };
N2D2_MVE_LARGEST(uint8_t, "u8")
N2D2_MVE_LARGEST(int8_t, "s8")

// Adds up to 255 taps of 16 channels in 16 bits each; sums[16] are what they make.
enum { kMvePoolTaps = 255, kMvePoolLanes = 16 };
template <class In>
struct MveAdded;
#define N2D2_MVE_ADDED(In, TYPE)                                                            \
  template <>                                                                               \
  struct MveAdded<In> {                                                                     \
    static N2D2_MVE_NAKED void run(const In*, const MvePoolTaps*, int32_t*) {               \
      __asm__ volatile(                                                                     \
          "push {r4-r8,lr}\n ldm r1,{r4-r8}\n movs r3,#0\n vdup.16 q0,r3\n vdup.16 q1,r3\n" \
          "vctp.8 r8\n"                                                                     \
          "1: dls lr,r4\n"                                                                  \
          "2: vpst\n vldrbt.u8 q2,[r0]\n vmovlb." TYPE                                      \
          "8 q3,q2\n vadd.i16 q0,q0,q3\n"                                                   \
          "vmovlt." TYPE                                                                    \
          "8 q3,q2\n vadd.i16 q1,q1,q3\n add r0,r6\n le lr,2b\n"                            \
          "add r0,r7\n subs r5,#1\n bne 1b\n"                                               \
          "vmovlt." TYPE "16 q2,q0\n vmovlt." TYPE "16 q3,q1\n vmovlb." TYPE                \
          "16 q0,q0\n"                                                                      \
          "vmovlb." TYPE                                                                    \
          "16 q1,q1\n vst40.32 {q0,q1,q2,q3},[r2]\n"                                        \
          "vst41.32 {q0,q1,q2,q3},[r2]\n vst42.32 {q0,q1,q2,q3},[r2]\n"                     \
          "vst43.32 {q0,q1,q2,q3},[r2]\n pop {r4-r8,pc}\n");                                \
    }                                                                                       \
  };
N2D2_MVE_ADDED(uint8_t, "u")
N2D2_MVE_ADDED(int8_t, "s")

// Calls use(first tap, taps) for runs of kernel rows that do not wrap, each of up to `most` taps or one
// row.
template <class In, class Use>
N2D2_INLINE void for_mve_taps(const Plane& src, const Window& window, const In* in, int most,
                              const Use& use) {
  MvePoolTaps taps;
  taps.columns = window.x.end - window.x.first;
  taps.to_column = static_cast<int>(src.pixel);
  taps.to_row = static_cast<int>(src.row) - taps.columns * taps.to_column;
  for (int ky = window.y.first; ky < window.y.end; ky += taps.rows) {
    const int y = window.y0 + ky, some = most / taps.columns;
    taps.rows = smaller(window.y.end - ky, some > 1 ? some : 1);
    if (src.ring > 0) taps.rows = smaller(taps.rows, src.ring - src.position(y));
    use(in + src.row_at(y) + src.pixel_at(window.x0 + window.x.first), taps);
  }
}

// Keeps the larger of the taps and of what `out` has; at first of `start`.
template <class In>
struct MveMaxTaps {
  In* out;
  int channels, start;
  mutable bool begun;

  N2D2_INLINE void operator()(const In* from, MvePoolTaps taps) const {
    for (int first = 0; first < channels; first += kMvePoolLanes) {
      taps.lanes = smaller(kMvePoolLanes, channels - first);
      if (begun) {
        In now[kMvePoolLanes];
        MveLargest<In>::run(from + first, &taps, now, start);
        for (int i = 0; i < taps.lanes; ++i)
          if (now[i] > out[first + i]) out[first + i] = now[i];
      } else {
        MveLargest<In>::run(from + first, &taps, out + first, start);
      }
    }
    begun = true;
  }
};

template <class In>
struct MveMaxForm {
  enum { kThere = 1, kLowest = static_cast<In>(-1) < static_cast<In>(1) ? -128 : 0 };
  template <class C>
  static N2D2_INLINE bool fits(const C& c) {
    return c.lo <= kLowest && c.hi >= kLowest + 255;
  }
  static N2D2_INLINE void pixel(const Plane& src, const Window& window, bool zeros, const In* in, In* out) {
    const MveMaxTaps<In> use = {out, src.c, zeros ? 0 : kLowest, false};
    for_mve_taps(src, window, in, INT32_MAX, use);
  }
};
template <>
struct MaxForm<uint8_t, uint8_t> : MveMaxForm<uint8_t> {};
template <>
struct MaxForm<int8_t, int8_t> : MveMaxForm<int8_t> {};

// Adds the taps to n sums; a call of up to 255 taps adds in 16 bits.
template <class In>
struct MveSumTaps {
  int32_t* sums;
  int n;

  N2D2_INLINE void operator()(const In* from, MvePoolTaps taps) const {
    const int columns = taps.columns;
    for (int first = 0; first < n; first += kMvePoolLanes) {
      taps.lanes = smaller(kMvePoolLanes, n - first);
      for (int done = 0; done < columns; done += kMvePoolTaps) {
        int32_t part[kMvePoolLanes];
        taps.columns = smaller(kMvePoolTaps, columns - done);
        MveAdded<In>::run(from + first + done * taps.to_column, &taps, part);
        for (int i = 0; i < taps.lanes; ++i) sums[first + i] += part[i];
      }
    }
  }
};

template <class In>
struct MveAverageForm {
  enum { kThere = 1 };
  static N2D2_INLINE void sums(const Plane& src, const Window& window, const In* in, int first, int n,
                               int32_t* sums) {
    for (int i = 0; i < n; ++i) sums[i] = 0;
    const MveSumTaps<In> use = {sums, n};
    if (window.taps() > 0) for_mve_taps(src, window, in + first, kMvePoolTaps, use);
  }
};
template <>
struct AverageForm<uint8_t, int32_t> : MveAverageForm<uint8_t> {};
template <>
struct AverageForm<int8_t, int32_t> : MveAverageForm<int8_t> {};

}  // namespace N2D2_EXPORT_NAMESPACE

#endif
