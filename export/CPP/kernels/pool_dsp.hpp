// Answers: how do the DSP instructions of Cortex-M compare and add the bytes of a pool's window?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list for pool.hpp: maximums of bytes whose bounds are those
// of the type (USUB8 or SSUB8, and SEL), sums of bytes (UXTAB16 or SXTAB16). The code is compiled once for all
// layers. Stack: 120 bytes. Scratch: none.
#pragma once

#include "pool.hpp"

#if defined(N2D2_ISA_DSP) && defined(__GNUC__)

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

// Passes the taps of a window to dsp_max.
template <class In>
struct DspMaxTaps {
  int n;
  In* to;
  bool* first;

  N2D2_INLINE void operator()(const TapGroup<kPoolTaps, In>& group) const {
    dsp_max(group.x, n, *first, to);
    *first = false;
  }
};

template <class In>
N2D2_APART void dsp_max_pixel(const Plane& src, const Window& window, bool zeros, const In* in, In* to) {
  static_assert(static_cast<int>(kPoolTaps) == 4, "a group has four taps");
  bool first = !zeros;
  for (int i = 0; i < src.c && zeros; ++i) to[i] = 0;
  const DspMaxTaps<In> use = {src.c, to, &first};
  for_taps<kPoolTaps>(src, window, in, use);
}

template <class In>
struct DspMaxForm {
  enum { kThere = 1 };
  template <class C>
  static N2D2_INLINE bool fits(const C& c) {
    const bool is_signed = static_cast<In>(-1) < 0;
    return c.lo <= (is_signed ? -128 : 0) && c.hi >= (is_signed ? 127 : 255);
  }
  static N2D2_INLINE void pixel(const Plane& src, const Window& window, bool zeros, const In* in, In* to) {
    dsp_max_pixel(src, window, zeros, in, to);
  }
};
template <>
struct MaxForm<uint8_t, uint8_t> : DspMaxForm<uint8_t> {};
template <>
struct MaxForm<int8_t, int8_t> : DspMaxForm<int8_t> {};

enum { kDspTaps = 64 };  // taps whose sums fit 16 bits

// Adds `taps` <= kDspTaps words that are `step` bytes apart to pairs of sums.
template <class In>
N2D2_INLINE void dsp_add_taps(const In* x, int taps, ptrdiff_t step, uint32_t& even, uint32_t& odd) {
  for (; taps >= 4; taps -= 4) {
    for (int i = 0; i < 4; ++i, x += step) DspBytes<In>::add(dsp_word(x), even, odd);
  }
  N2D2_LOOP
  for (; taps > 0; --taps, x += step) DspBytes<In>::add(dsp_word(x), even, odd);
}

// Sets the sums of n channels from `in` on.
template <class In>
N2D2_APART void dsp_pool_sums(const Plane& src, const Window& window, const In* in, int n, int32_t* sums) {
  const int taps = window.x.end - window.x.first;
  const ptrdiff_t start = src.pixel_at(window.x0 + window.x.first);
  for (int i = 0; i < n; ++i) sums[i] = 0;
  for (int i = 0; i + 4 <= n && taps > 0; i += 4) {
    uint32_t even = 0, odd = 0;
    int room = kDspTaps;
    for (int ky = window.y.first; ky < window.y.end; ++ky) {
      const In* x = in + src.row_at(window.y0 + ky) + start + i;
      for (int left = taps; left > 0;) {
        const int some = smaller(left, room);
        dsp_add_taps(x, some, src.pixel, even, odd);
        x += src.pixel_at(some), left -= some, room -= some;
        if (room > 0 && (left > 0 || ky + 1 < window.y.end)) continue;
        sums[i] += DspBytes<In>::low(even), sums[i + 1] += DspBytes<In>::low(odd);
        sums[i + 2] += DspBytes<In>::high(even), sums[i + 3] += DspBytes<In>::high(odd);
        even = odd = 0, room = kDspTaps;
      }
    }
  }
  for (int ky = window.y.first; ky < window.y.end; ++ky) {
    const In* x = in + src.row_at(window.y0 + ky) + start;
    for (int kx = 0; kx < taps; ++kx, x += src.pixel)
      for (int i = n & ~3; i < n; ++i) sums[i] += x[i];
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
