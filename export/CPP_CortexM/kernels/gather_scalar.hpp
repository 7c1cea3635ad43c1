// Answers: how do the windows of four pixels become the words of a tile on a core without DSP instructions?
// Part of an exported project; may be used without condition.
//
// It has no config fields. TileWords are those of tile_scalar.hpp, in the order of the weights: rows of the
// kernel, columns, channels; behind them words up to a multiple of 4. Inputs outside of the map are zeros.
// Stack: 120 bytes. Scratch: none; the words are the caller's.
#pragma once

#include "tile_scalar.hpp"
#include "window.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Zeros that stand for inputs outside of the map.
enum { kZeros = 64 };
N2D2_INLINE const void* zeros_scalar() {
  static const uint32_t zeros[kZeros / 4] = {0};
  return zeros;
}

// Words, and sums of the inputs of each pixel as the words have them: signed ones + 128.
struct TileWords {
  uint32_t* next;
  uint32_t total[4];
};

#if defined(N2D2_ISA_THUMB) && !N2D2_LONG_PRODUCT

// The totals of two pixels are summed up in one word, so n <= kAtOnce. `more` is added to a word.
enum { kAtOnce = 256 };
#define N2D2_APPEND(load)                                                                      \
  ".syntax unified\n"                                                                          \
  "push {r4-r7, lr}\n mov r4, r8\n mov r5, r9\n mov r6, r10\n push {r0, r4-r6}\n"              \
  "mov r10, r3\n movs r4, r2\n movs r3, #0\n mov r8, r3\n mov r9, r3\n ldr r7, [r0]\n"         \
  "movs r5, r1\n ldmia r5!, {r0-r3}\n"                                                         \
  "adds r0, r0, r4\n adds r1, r1, r4\n adds r2, r2, r4\n adds r3, r3, r4\n rsbs r4, r4, #0\n"  \
  "1:\n" load " r5, [r0, r4]\n " load                                                          \
  " r6, [r1, r4]\n lsls r6, r6, #16\n adds r5, r5, r6\n"                                       \
  "add r5, r10\n add r8, r5\n stmia r7!, {r5}\n" load " r5, [r2, r4]\n " load                  \
  " r6, [r3, r4]\n lsls r6, r6, #16\n adds r5, r5, r6\n"                                       \
  "add r5, r10\n add r9, r5\n stmia r7!, {r5}\n adds r4, #1\n bne 1b\n"                        \
  "pop {r0, r4-r6}\n stmia r0!, {r7}\n ldmia r0!, {r1-r3, r7}\n subs r0, #16\n push {r4-r6}\n" \
  "mov r4, r8\n uxth r5, r4\n lsrs r4, r4, #16\n adds r1, r1, r5\n adds r2, r2, r4\n"          \
  "mov r4, r9\n uxth r5, r4\n lsrs r4, r4, #16\n adds r3, r3, r5\n adds r7, r7, r4\n"          \
  "stmia r0!, {r1-r3, r7}\n pop {r4-r6}\n mov r8, r4\n mov r9, r5\n mov r10, r6\n"             \
  "pop {r4-r7, pc}\n"
__attribute__((naked, noinline)) inline void append_few(TileWords*, const uint8_t* const*, int, uint32_t) {
  __asm__ volatile(N2D2_APPEND("ldrb"));
}
__attribute__((naked, noinline)) inline void append_few(TileWords*, const int8_t* const*, int, uint32_t) {
  __asm__ volatile(N2D2_APPEND("ldrsb"));
}
#undef N2D2_APPEND
// Appends n inputs of each of four pixels.
template <class In>
N2D2_INLINE void append_inputs(TileWords& words, const In* const* from, int n) {
  const uint32_t more = static_cast<In>(-1) < 0 ? 0x00800080 : 0;
  if (n <= kAtOnce) return append_few(&words, from, n, more);
  for (int done = 0; done < n; done += kAtOnce) {
    const In* const at[4] = {from[0] + done, from[1] + done, from[2] + done, from[3] + done};
    append_few(&words, at, smaller(kAtOnce, n - done), more);
  }
}

#elif defined(N2D2_ISA_THUMB)

// Appends n inputs of each of four pixels, n > 0.
#define N2D2_APPEND(load, more) \
  "push {r4-r11, lr}\n ldmia r1, {r4-r7}\n add r2, r2, r4\n ldmia r0, {r8-r12}\n"             \
  "1:\n" load " r1, [r4], #1\n" load " r3, [r5], #1\n" more("r1") more("r3")                 \
  "add r9, r9, r1\n add r10, r10, r3\n add r1, r1, r3, lsl #23\n"                            \
  load " r3, [r6], #1\n" load " lr, [r7], #1\n" more("r3") more("lr")                        \
  "add r11, r11, r3\n add r12, r12, lr\n add r3, r3, lr, lsl #23\n"                          \
  "strd r1, r3, [r8], #8\n cmp r4, r2\n bne 1b\n stmia r0, {r8-r12}\n pop {r4-r11, pc}\n"
#define N2D2_NO_MORE(input)
#define N2D2_MORE(input) "add " input ", " input ", #128\n"
__attribute__((naked, noinline)) inline void append_all(TileWords*, const uint8_t* const*, int) {
  __asm__ volatile(N2D2_APPEND("ldrb", N2D2_NO_MORE));
}
__attribute__((naked, noinline)) inline void append_all(TileWords*, const int8_t* const*, int) {
  __asm__ volatile(N2D2_APPEND("ldrsb", N2D2_MORE));
}
#undef N2D2_APPEND
#undef N2D2_NO_MORE
#undef N2D2_MORE
template <class In>
N2D2_INLINE void append_inputs(TileWords& words, const In* const* from, int n) {
  append_all(&words, from, n);
}

#endif

// Appends n inputs of four pixels, each of them from somewhere; null: zeros.
template <class In>
N2D2_APART void append_tap(TileWords& words, const In* const* from, int n) {
  for (int done = 0; done < n; done += kZeros) {
    const In* at[4];
    for (int p = 0; p < 4; ++p)
      at[p] = from[p] != 0 ? from[p] + done : static_cast<const In*>(zeros_scalar());
    append_inputs(words, at, smaller(kZeros, n - done));
  }
}

// Four windows: the row and column of their first tap, which may lie outside.
struct FourWindows {
  int y[4], x[4];

  // Whether no window leaves the width.
  N2D2_INLINE bool inside_width(const ConvWindow& w) const {
    const int most = w.in.w - 1 - (w.kernel_w - 1) * w.dilation_x;
    for (int p = 0; p < 4; ++p)
      if (x[p] < 0 || x[p] > most) return false;
    return true;
  }
};

// Returns row y of the map, null outside.
template <class In>
N2D2_INLINE const In* row_inside(const ConvWindow& w, const In* in, int y) {
  return y >= 0 && y < w.in.h ? in + w.in.row_at(y) : 0;
}

// One row of the kernel, tap after tap.
template <class In>
N2D2_APART void gather_taps(const ConvWindow& w, const FourWindows& at, const In* const* rows, int channels,
                            TileWords& words) {
  for (int kx = 0; kx < w.kernel_w; ++kx) {
    const In* from[4];
    for (int p = 0; p < 4; ++p) {
      const int x = at.x[p] + kx * w.dilation_x;
      from[p] = rows[p] != 0 && x >= 0 && x < w.in.w ? rows[p] + w.in.pixel_at(x) : 0;
    }
    append_tap(words, from, channels);
  }
}

// One row of the kernel, of windows in several rows.
template <class In>
N2D2_APART void gather_row(const ConvWindow& w, const FourWindows& at, const In* in, int channels, int down,
                           bool runs, TileWords& words) {
  const In* rows[4];
  for (int p = 0; p < 4; ++p) {
    rows[p] = row_inside(w, in, at.y[p] + down);
    runs = runs && rows[p] != 0;
  }
  if (!runs) return gather_taps(w, at, rows, channels, words);
  for (int p = 0; p < 4; ++p) rows[p] += w.in.pixel_at(at.x[p]);
  append_inputs(words, rows, w.kernel_w * channels);
}

// Gathers the windows of one group; `in` points to the group's first channel of pixel 0.
template <class In>
N2D2_APART void gather_scalar(const ConvWindow& w, const FourWindows& at, const In* in, int channels,
                              TileWords& words) {
  const bool runs = at.inside_width(w) && w.dilation_x == 1 && w.in.pixel == channels;
  const bool in_one_row = at.y[0] == at.y[1] && at.y[1] == at.y[2] && at.y[2] == at.y[3];
  const uint32_t* const first = words.next;
  const int n = w.kernel_w * channels;
  const ptrdiff_t x = w.in.pixel_at(at.x[0]), b = w.in.pixel_at(at.x[1]) - x, c = w.in.pixel_at(at.x[2]) - x,
                  d = w.in.pixel_at(at.x[3]) - x;
  for (int ky = 0, down = 0; ky < w.kernel_h; ++ky, down += w.dilation_y) {
    const In* row = runs && in_one_row ? row_inside(w, in, at.y[0] + down) : 0;
    if (row == 0) {
      gather_row(w, at, in, channels, down, runs, words);
      continue;
    }
    row += x;
    const In* const from[4] = {row, row + b, row + c, row + d};
    append_inputs(words, from, n);
  }
  while ((words.next - first) % 8 != 0) *words.next++ = 0;
}

}  // namespace N2D2_EXPORT_NAMESPACE
