// Answers: how do the windows of a tile come into scratch as words of pairs?
// Part of an exported project; may be used without condition.
//
// It has no config fields; the code is compiled once for all layers. Bytes outside of the map are zeros, and
// only bytes of windows are read. Words that fill a window up may hold anything, because their weights are
// zeros. Stack: 180 bytes. Scratch: tile_bytes(pixels, words) of words_dsp.hpp.
#pragma once

#include "tile_dsp.hpp"
#include "window.hpp"

#if defined(N2D2_ISA_DSP)

namespace N2D2_EXPORT_NAMESPACE {

// How bytes are widened (tile_dsp.hpp): those of tiles of `pixels` pixels, and of one pixel.
struct DspWiden {
  int pixels;
  int sign;  // 0x80: bytes are signed; 0: they are not
  void (*tile)(const uint8_t* const*, int, uint32_t*);
  void (*one)(const uint8_t*, int, int, uint32_t*);
};

// A layer's map as its windows are gathered.
struct DspSource {
  const ConvWindow& window;
  DspWiden widen;
  const uint8_t* in;
  int in_w, in_h;  // of a map whose rows may have been joined
  int out_w;
  int group_c, run;  // channels of a group, elements of a run
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

// Sets elements [first, end) of a run of n elements, all of which are zeros, from the bytes of `from`. Words
// of the run are `step` words apart.
N2D2_DSP_SMALL void gather_part(const DspWiden& widen, const uint8_t* from, int first, int end, int n,
                                int step, uint32_t* run) {
  for (int i = first; i < end;) {
    const int whole = i % 4 == 0 ? (end - i) / 4 * 4 : 0;
    if (whole > 0) {
      widen.one(from, whole, 4 * step, run + i / 2 * step);
      from += whole, i += whole;
      continue;
    }
    const int half = half_of(i++, n);
    const uint32_t x = static_cast<uint32_t>((*from++ ^ widen.sign) - widen.sign);
    run[half / 2 * step] |= (x & 0xffff) << half % 2 * 16;
  }
}

enum { kDspPart = 32 };  // longest run that is copied where only a part of it is inside

// Widens a run of n <= kDspPart elements, of which [first, end) are the bytes of `from` and the others zeros.
N2D2_DSP_SMALL void gather_short(const DspWiden& widen, const uint8_t* from, int first, int end, int n,
                                 int step, uint32_t* run) {
  union {
    uint32_t words[kDspPart / 4];
    uint8_t bytes[kDspPart];
  } part;
  clear_words(part.words, (n + 3) / 4, 1);
  N2D2_LOOP
  for (int i = first; i < end; ++i) part.bytes[i] = *from++;
  widen.one(part.bytes, n, 4 * step, run);
}

// Gathers the window of output pixel (ox, oy) for channels from `channel` on, to every `step`-th word.
N2D2_DSP_SMALL void gather_pixel(const DspSource& s, int oy, int ox, int channel, int step, uint32_t* to) {
  const ConvWindow& w = s.window;
  const int x0 = ox * w.stride_x - w.pad_x;
  const int taps = s.runs ? 1 : w.kernel_w, part = s.runs ? s.run : s.group_c;
  int y = oy * w.stride_y - w.pad_y;
  for (int ky = 0; ky < w.kernel_h; ++ky, y += w.dilation_y, to += run_words(s.run) * step) {
    const bool inside = y >= 0 && y < s.in_h;
    const uint8_t* const row = s.in + (inside ? w.in.row_at(y) : 0) + channel;
    if (inside && s.runs && x0 >= 0 && x0 + w.kernel_w <= s.in_w) {
      s.widen.one(row + w.in.pixel_at(x0), s.run, 4 * step, to);
      continue;
    }
    if (inside && s.runs && s.run <= kDspPart) {
      const int first = x0 < 0 ? -x0 : 0, last = smaller(w.kernel_w, s.in_w - x0);
      gather_short(s.widen, row + w.in.pixel_at(x0 + first), first * s.group_c, last * s.group_c, s.run, step,
                   to);
      continue;
    }
    clear_words(to, run_words(s.run), step);
    for (int kx = 0, x = x0; inside && kx < taps; ++kx, x += w.dilation_x) {
      const int first = x < 0 && s.runs ? -x : 0, last = smaller(s.runs ? w.kernel_w : 1, s.in_w - x);
      if (x + first >= 0 && first < last)
        gather_part(s.widen, row + w.in.pixel_at(x + first), kx * part + first * s.group_c,
                    kx * part + last * s.group_c, s.run, step, to);
    }
  }
}

// Gathers a tile whose windows lie side by side in the map, from the first pixel's column x on.
N2D2_INLINE void gather_inside(const DspSource& s, int oy, int x, int channel, uint32_t* to) {
  const ConvWindow& w = s.window;
  const int words = run_words(s.run) * s.widen.pixels;
  const ptrdiff_t step = w.stride_x * w.in.pixel;
  int y = oy * w.stride_y - w.pad_y;
  for (int ky = w.kernel_h; ky > 0; --ky, y += w.dilation_y, to += words) {
    if (y < 0 || y >= s.in_h) {
      clear_words(to, words, 1);
      continue;
    }
    const uint8_t* from[4];
    from[0] = s.in + w.in.row_at(y) + w.in.pixel_at(x) + channel;
    from[1] = from[0] + step;
    from[2] = from[1] + step;
    from[3] = from[2] + step;
    s.widen.tile(from, s.run, to);
  }
}

// Gathers a tile tap by tap; the channels of a group are a multiple of 4.
N2D2_DSP_SMALL void gather_taps(const DspSource& s, int oy, int ox, int channel, uint32_t* to) {
  const ConvWindow& w = s.window;
  const int pixels = s.widen.pixels;
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
        s.widen.tile(from, n, to);
        to += n / 2 * pixels;
      }
  }
}

enum { kDspStrip = 64 };  // longest part of a row that is copied for a tile

// Gathers a tile whose windows lie in a strip of at most kDspStrip bytes of each row, from the first pixel's
// column x on; parts of the strip may be outside.
N2D2_DSP_SMALL void gather_strip(const DspSource& s, int oy, int x, int columns, uint32_t* to) {
  const ConvWindow& w = s.window;
  const int words = run_words(s.run) * s.widen.pixels, step = w.stride_x * s.group_c;
  const int first = x < 0 ? -x : 0, last = smaller(columns, s.in_w - x);
  union {
    uint32_t words[kDspStrip / 4];
    uint8_t bytes[kDspStrip];
  } strip;
  clear_words(strip.words, (columns * s.group_c + 3) / 4, 1);
  uint8_t* const inside = strip.bytes + first * s.group_c;
  const uint8_t* const from[4] = {strip.bytes, strip.bytes + step, strip.bytes + 2 * step,
                                  strip.bytes + 3 * step};
  int y = oy * w.stride_y - w.pad_y;
  for (int ky = w.kernel_h; ky > 0; --ky, y += w.dilation_y, to += words) {
    if (y < 0 || y >= s.in_h) {
      clear_words(to, words, 1);
      continue;
    }
    const uint8_t* const row = s.in + w.in.row_at(y) + w.in.pixel_at(x + first);
    int i = (last - first) * s.group_c;
    N2D2_LOOP
    while (--i >= 0) inside[i] = row[i];
    s.widen.tile(from, s.run, to);
  }
}

// Gathers the windows of a tile from output pixel (ox, oy) on, for channels from `channel` on. The pixels of
// a tile follow each other, from the end of a row to the next one.
N2D2_APART void gather_tile(const DspSource& s, int oy, int ox, int channel, uint32_t* to) {
  const ConvWindow& w = s.window;
  const int pixels = s.widen.pixels;
  const int x0 = ox * w.stride_x - w.pad_x;
  if (s.runs && ox + pixels <= s.out_w && x0 >= 0 && x0 + (pixels - 1) * w.stride_x + w.kernel_w <= s.in_w)
    return gather_inside(s, oy, x0, channel, to);
  if (s.group_c % 4 == 0) return gather_taps(s, oy, ox, channel, to);
  const int columns = (pixels - 1) * w.stride_x + w.kernel_w;
  if (s.runs && w.in.pixel == s.group_c && ox + pixels <= s.out_w && columns * s.group_c <= kDspStrip)
    return gather_strip(s, oy, x0, columns, to);
  for (int p = 0; p < pixels; ++p) {
    gather_pixel(s, oy, ox, channel, pixels, to + p);
    if (++ox == s.out_w) ox = 0, ++oy;
  }
}

}  // namespace N2D2_EXPORT_NAMESPACE

#endif  // N2D2_ISA_DSP
