// Answers: how do the DSP instructions of Cortex-M compare and add the bytes of a pool's window?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list for pool.hpp: maximums of bytes whose bounds are
// those of the type (USUB8 or SSUB8, and SEL), sums of bytes (UXTAB16 or SXTAB16). The code is compiled once
// for all layers. Stack: 120 bytes. Scratch: none.
#pragma once

#include "pool.hpp"

#if defined(N2D2_ISA_DSP) && defined(__GNUC__)

// The function is small rather than fast but for its inner loop.
#define N2D2_DSP_POOL inline __attribute__((noinline, cold))

namespace N2D2_EXPORT_NAMESPACE {

// The instructions for bytes of a type.
template <class In>
struct DspBytes;
template <>
struct DspBytes<uint8_t> {
  static N2D2_INLINE uint32_t larger(uint32_t a, uint32_t b) {
    uint32_t r;
    __asm__("usub8 %0, %1, %2\n\tsel %0, %1, %2" : "=&r"(r) : "r"(a), "r"(b) : "cc");
    return r;
  }
  static N2D2_INLINE void add(uint32_t x, uint32_t& even, uint32_t& odd) {
    __asm__("uxtab16 %0, %0, %1" : "+r"(even) : "r"(x));
    __asm__("uxtab16 %0, %0, %1, ror #8" : "+r"(odd) : "r"(x));
  }
  static N2D2_INLINE int32_t low(uint32_t pair) { return static_cast<int32_t>(pair & 0xffff); }
  static N2D2_INLINE int32_t high(uint32_t pair) { return static_cast<int32_t>(pair >> 16); }
};
template <>
struct DspBytes<int8_t> {
  static N2D2_INLINE uint32_t larger(uint32_t a, uint32_t b) {
    uint32_t r;
    __asm__("ssub8 %0, %1, %2\n\tsel %0, %1, %2" : "=&r"(r) : "r"(a), "r"(b) : "cc");
    return r;
  }
  static N2D2_INLINE void add(uint32_t x, uint32_t& even, uint32_t& odd) {
    __asm__("sxtab16 %0, %0, %1" : "+r"(even) : "r"(x));
    __asm__("sxtab16 %0, %0, %1, ror #8" : "+r"(odd) : "r"(x));
  }
  static N2D2_INLINE int32_t low(uint32_t pair) { return static_cast<int16_t>(pair & 0xffff); }
  static N2D2_INLINE int32_t high(uint32_t pair) { return static_cast<int32_t>(pair) >> 16; }
};

// Loads and stores words at any address.
N2D2_INLINE uint32_t dsp_word(const void* from) {
  uint32_t x;
  __builtin_memcpy(&x, from, 4);
  return x;
}
N2D2_INLINE void dsp_put_word(uint32_t x, void* to) {
  __builtin_memcpy(to, &x, 4);
}

// Keeps the largest bytes of four runs of n bytes; of those of `to`, too, unless this is the first group.
template <class In>
N2D2_APART void dsp_max(const In* const* from, int n, bool first, In* to) {
  const In *a = from[0], *b = from[1], *c = from[2], *d = from[3];
  typedef DspBytes<In> Bytes;
  // The last word overlaps the one before: a byte may be compared again.
  for (int left = n; left > 0 && n >= 4;) {
    uint32_t x =
        Bytes::larger(Bytes::larger(dsp_word(a), dsp_word(b)), Bytes::larger(dsp_word(c), dsp_word(d)));
    if (!first) x = Bytes::larger(x, dsp_word(to));
    dsp_put_word(x, to);
    left -= 4;
    const int step = left >= 4 || left <= 0 ? 4 : left;
    a += step, b += step, c += step, d += step, to += step;
  }
  for (int i = 0; i < n && n < 4; ++i) {
    In x = first ? a[i] : to[i];
    for (int t = 0; t < 4; ++t) x = from[t][i] > x ? from[t][i] : x;
    to[i] = x;
  }
}

// A row of windows; rows of taps that are outside are left out.
struct DspPool {
  Plane src;
  int y, rows;  // first row of taps, and how many there are
  int x, taps, stride;
  int out_w;
  ptrdiff_t out_pixel;
  bool zeros;  // taps outside are zeros
  bool whole;  // no row of taps is outside
};

template <class In>
N2D2_APART void dsp_max_row(const DspPool& p, const In* in, In* out) {
  const int n = p.src.c;
  for (int ox = 0, x0 = p.x; ox < p.out_w; ++ox, x0 += p.stride, out += p.out_pixel) {
    const Inside taps = inside(x0, p.taps, 1, p.src.w);
    const bool none = taps.first >= taps.end || p.rows <= 0;
    bool first = true;
    if (none || (p.zeros && !(p.whole && taps.end - taps.first == p.taps))) {
      for (int i = 0; i < n; ++i) out[i] = 0;
      first = false;
    }
    const In* group[4];
    int filled = 0;
    for (int ky = 0; ky < p.rows && !none; ++ky) {
      const In* x = in + p.src.row_at(p.y + ky) + p.src.pixel_at(x0 + taps.first);
      for (int kx = taps.first; kx < taps.end; ++kx, x += p.src.pixel) {
        group[filled++] = x;
        const bool last = ky + 1 == p.rows && kx + 1 == taps.end;
        if (filled < 4 && !last) continue;
        for (; filled < 4; ++filled) group[filled] = x;
        dsp_max(group, n, first, out);
        first = false, filled = 0;
      }
    }
  }
}

template <class In>
struct DspMaxRow {
  enum { kThere = 1 };
  template <class C>
  static N2D2_INLINE bool fits(const C& c) {
    const bool is_signed = static_cast<In>(-1) < 0;
    return c.lo <= (is_signed ? -128 : 0) && c.hi >= (is_signed ? 127 : 255);
  }
  template <class C>
  static N2D2_INLINE void run(const C& c, const In* in, In* out, int oy) {
    const int y0 = oy * c.stride_y - c.pad_y;
    const Inside y = inside(y0, c.pool_h, 1, c.in_h);
    const DspPool pool = {
        in_plane(c), y0 + y.first, y.end - y.first, -c.pad_x,           c.pool_w,
        c.stride_x,  c.out_w,      c.out_pixel,     c.count_zeros != 0, y.end - y.first == c.pool_h};
    dsp_max_row(pool, in, out + out_plane(c).row_at(oy));
  }
};
template <>
struct MaxRow<uint8_t, uint8_t> : DspMaxRow<uint8_t> {};
template <>
struct MaxRow<int8_t, int8_t> : DspMaxRow<int8_t> {};

enum { kDspTaps = 64 };  // taps whose sums fit 16 bits

// Sets the sums of n channels from `in` on.
template <class In>
N2D2_DSP_POOL void dsp_pool_sums(const Plane& src, const Window& window, const In* in, int n, int32_t* sums) {
  int taps = window.x.end - window.x.first, rows = window.y.end - window.y.first;
  const int y = window.y0 + window.y.first;
  in += src.pixel_at(window.x0 + window.x.first);
  // Rows of taps that follow each other are one.
  if (src.ring == 0 && src.row == taps * src.pixel && rows > 0) taps *= rows, rows = 1;
  for (int i = 0; i < n; ++i) sums[i] = 0;
  for (int i = 0; i < n; i += 4)
    for (int ky = 0; ky < rows; ++ky) {
      const In* x = in + src.row_at(y + ky) + i;
      for (int left = taps; left > 0; left -= kDspTaps) {
        uint32_t even = 0, odd = 0;
        int some = smaller(left, kDspTaps);
        if (i + 4 > n) {
          N2D2_LOOP
          for (; some > 0; --some, x += src.pixel)
            for (int k = i; k < n; ++k) sums[k] += x[k - i];
          continue;
        }
        N2D2_LOOP
        for (; some >= 4; some -= 4) {
          DspBytes<In>::add(dsp_word(x), even, odd), x += src.pixel;
          DspBytes<In>::add(dsp_word(x), even, odd), x += src.pixel;
          DspBytes<In>::add(dsp_word(x), even, odd), x += src.pixel;
          DspBytes<In>::add(dsp_word(x), even, odd), x += src.pixel;
        }
        N2D2_LOOP
        for (; some > 0; --some, x += src.pixel) DspBytes<In>::add(dsp_word(x), even, odd);
        sums[i] += DspBytes<In>::low(even), sums[i + 1] += DspBytes<In>::low(odd);
        sums[i + 2] += DspBytes<In>::high(even), sums[i + 3] += DspBytes<In>::high(odd);
      }
    }
}

template <class In>
struct DspAverageForm {
  enum { kThere = 1 };
  static N2D2_INLINE void sums(const Plane& src, const Window& window, const In* in, int first, int n,
                               int32_t* sums) {
    dsp_pool_sums(src, window, in + first, n, sums);
  }
};
template <>
struct AverageForm<uint8_t, int32_t> : DspAverageForm<uint8_t> {};
template <>
struct AverageForm<int8_t, int32_t> : DspAverageForm<int8_t> {};

}  // namespace N2D2_EXPORT_NAMESPACE

#endif
