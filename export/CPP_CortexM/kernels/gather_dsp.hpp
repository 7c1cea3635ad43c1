// Answers: how do the windows of a tile come into scratch as words of pairs?
// Part of an exported project; may be used without condition.
//
// It has no config fields; the code is compiled once for all layers, and knows signs of bytes by DspWiden.
// Bytes outside of the map are zeros. Only bytes of windows are read.
// Stack: 200 bytes. Scratch: tile_bytes(pixels, words) of words_dsp.hpp.
#pragma once

#include "tile_dsp.hpp"
#include "window.hpp"

#if defined(N2D2_ISA_DSP)

namespace N2D2_EXPORT_NAMESPACE {

// How bytes are widened: those of tiles of `pixels` pixels, and of one pixel.
struct DspWiden {
  int pixels;
  int sign;  // 0x80: bytes are signed; 0: they are not
  void (*tile)(const uint8_t* const*, int, uint32_t*);
  void (*one)(const uint8_t*, int, int, uint32_t*);

  N2D2_INLINE uint32_t byte(uint8_t x) const {
    return static_cast<uint32_t>((static_cast<int>(x) ^ sign) - sign);
  }
};

// A layer's map as its windows are gathered.
struct DspSource {
  const ConvWindow& window;
  const DspWiden& widen;
  const uint8_t* in;
  int in_w, in_h;  // of a map whose rows may have been joined
  int out_w;
  int group_c, run;  // channels of a group, elements of a run
  int words;         // of a window
  bool runs;         // a run is contiguous
};

// Bytes that stand for channels outside of the map.
template <class T>
struct DspZeros {
  enum { kBytes = 64 };
  static const T words[kBytes / 4];
};
template <class T>
const T DspZeros<T>::words[DspZeros<T>::kBytes / 4] = {};

// Sets n words, `step` words apart, to zero.
N2D2_INLINE void clear_words(uint32_t* to, int n, int step) {
  N2D2_LOOP
  for (; n > 0; --n, to += step) {
    *to = 0;
    N2D2_OPAQUE(to);
  }
}

// Returns the first word behind a run of n elements.
N2D2_INLINE uint32_t* behind_run(uint32_t* to, int n, int step) {
  return to + run_words(n) * step;
}

// Sets element i, which is zero, of a run of n elements whose words are `step` words apart.
N2D2_INLINE void set_half(uint32_t* run, int step, int i, int n, uint32_t x) {
  const int half = half_of(i, n);
  run[half / 2 * step] |= (x & 0xffff) << half % 2 * 16;
}

// Sets elements [first, end) of a run of n elements from the bytes of `from`. They are zeros before, but for
// groups of 4 that are whole.
N2D2_APART void gather_part(const DspWiden& widen, const uint8_t* from, int first, int end, int n, int step,
                            uint32_t* run) {
  int i = first;
  for (; i < end && i % 4 != 0; ++i) set_half(run, step, i, n, widen.byte(*from++));
  const int groups = (end - i) / 4;
  if (groups > 0) {
    widen.one(from, groups, 4 * step, run + i / 2 * step);
    from += 4 * groups, i += 4 * groups;
  }
  for (; i < end; ++i) set_half(run, step, i, n, widen.byte(*from++));
}

// Gathers the window of output pixel (ox, oy) for channels from `channel` on, to every `step`-th word.
N2D2_APART void gather_pixel(const DspSource& s, int oy, int ox, int channel, int step, uint32_t* to) {
  const ConvWindow& w = s.window;
  const int x0 = ox * w.stride_x - w.pad_x;
  int y = oy * w.stride_y - w.pad_y;
  uint32_t* const end = to + s.words * step;
  for (int ky = 0; ky < w.kernel_h; ++ky, y += w.dilation_y) {
    uint32_t* const run = to;
    to = behind_run(to, s.run, step);
    const bool inside = y >= 0 && y < s.in_h;
    const uint8_t* const row = s.in + (inside ? w.in.row_at(y) : 0) + channel;
    if (inside && s.runs) {
      const int first = x0 < 0 ? -x0 : 0, last = smaller(w.kernel_w, s.in_w - x0);
      const int clear = run_words(last - first < w.kernel_w ? s.run : s.run % 4);
      clear_words(to - clear * step, clear, step);
      if (first < last)
        gather_part(s.widen, row + w.in.pixel_at(x0 + first), first * s.group_c, last * s.group_c, s.run,
                    step, run);
      continue;
    }
    clear_words(run, run_words(s.run), step);
    for (int kx = 0, x = x0, first = 0; inside && kx < w.kernel_w;
         ++kx, x += w.dilation_x, first += s.group_c)
      if (x >= 0 && x < s.in_w)
        gather_part(s.widen, row + w.in.pixel_at(x), first, first + s.group_c, s.run, step, run);
  }
  clear_words(to, static_cast<int>(end - to) / step, step);
}

// Sets the last `rest` elements of a run of each pixel of a tile.
N2D2_INLINE void gather_tails(const DspWiden& widen, const uint8_t* const* from, int rest, uint32_t* to) {
  N2D2_LOOP
  for (int p = 0; p < widen.pixels; ++p) {
    const uint8_t* const x = from[p];
    uint32_t word = widen.byte(x[0]) & 0xffff;
    if (rest > 1) word |= widen.byte(x[rest - 1]) << 16;
    to[p] = word;
    if (rest == 3) to[widen.pixels + p] = widen.byte(x[1]) & 0xffff;
  }
}

// Gathers a tile whose windows lie side by side in the map, from the first pixel's column x on.
N2D2_APART void gather_inside(const DspSource& s, int oy, int x, int channel, uint32_t* to) {
  const ConvWindow& w = s.window;
  const int pixels = s.widen.pixels, whole = s.run / 4 * 4, rest = s.run % 4;
  const ptrdiff_t step = w.stride_x * w.in.pixel;
  uint32_t* const end = to + s.words * pixels;
  int y = oy * w.stride_y - w.pad_y;
  for (int ky = 0; ky < w.kernel_h; ++ky, y += w.dilation_y) {
    uint32_t* const run = to;
    to = behind_run(to, s.run, pixels);
    if (y < 0 || y >= s.in_h) {
      clear_words(run, static_cast<int>(to - run), 1);
      continue;
    }
    const uint8_t* from[4];
    from[0] = s.in + w.in.row_at(y) + w.in.pixel_at(x) + channel;
    from[1] = from[0] + step;
    from[2] = from[1] + step;
    from[3] = from[2] + step;
    if (whole > 0) s.widen.tile(from, whole / 4, run);
    if (rest == 0) continue;
    for (int p = 0; p < pixels; ++p) from[p] += whole;
    gather_tails(s.widen, from, rest, run + whole / 2 * pixels);
  }
  if (to < end) clear_words(to, static_cast<int>(end - to), 1);
}

// Gathers a tile tap by tap; the channels of a group are a multiple of 4.
N2D2_APART void gather_taps(const DspSource& s, int oy, int ox, int channel, uint32_t* to) {
  const ConvWindow& w = s.window;
  const int pixels = s.widen.pixels;
  uint32_t* const end = to + s.words * pixels;
  const uint8_t* const zeros = reinterpret_cast<const uint8_t*>(DspZeros<uint32_t>::words);
  int x0[4], y0[4];
  for (int p = 0; p < pixels; ++p) {
    x0[p] = ox * w.stride_x - w.pad_x, y0[p] = oy * w.stride_y - w.pad_y;
    if (++ox == s.out_w) ox = 0, ++oy;
  }
  for (int ky = 0; ky < w.kernel_h; ++ky) {
    const uint8_t* row[4];
    for (int p = 0; p < pixels; ++p) {
      const int y = y0[p] + ky * w.dilation_y;
      row[p] = y >= 0 && y < s.in_h ? s.in + w.in.row_at(y) + channel : 0;
    }
    for (int kx = 0; kx < w.kernel_w; ++kx)
      for (int first = 0; first < s.group_c; first += DspZeros<uint32_t>::kBytes) {
        const uint8_t* from[4];
        for (int p = 0; p < pixels; ++p) {
          const int x = x0[p] + kx * w.dilation_x;
          from[p] = row[p] != 0 && x >= 0 && x < s.in_w ? row[p] + w.in.pixel_at(x) + first : zeros;
        }
        const int n = smaller(s.group_c - first, DspZeros<uint32_t>::kBytes);
        s.widen.tile(from, n / 4, to);
        to += n / 2 * pixels;
      }
  }
  if (to < end) clear_words(to, static_cast<int>(end - to), 1);
}

// Gathers the windows of a tile from output pixel (ox, oy) on, for channels from `channel` on. The pixels of
// a tile follow each other, from the end of a row to the next one.
N2D2_INLINE void gather_tile(const DspSource& s, int oy, int ox, int channel, uint32_t* to) {
  const ConvWindow& w = s.window;
  const int pixels = s.widen.pixels;
  const int x0 = ox * w.stride_x - w.pad_x;
  if (s.runs && ox + pixels <= s.out_w && x0 >= 0 && x0 + (pixels - 1) * w.stride_x + w.kernel_w <= s.in_w)
    return gather_inside(s, oy, x0, channel, to);
  if (s.group_c % 4 == 0) return gather_taps(s, oy, ox, channel, to);
  for (int p = 0; p < pixels; ++p) {
    gather_pixel(s, oy, ox, channel, pixels, to + p);
    if (++ox == s.out_w) ox = 0, ++oy;
  }
}

}  // namespace N2D2_EXPORT_NAMESPACE

#endif  // N2D2_ISA_DSP
