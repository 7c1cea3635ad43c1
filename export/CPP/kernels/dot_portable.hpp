// Answers: what is the sum of products of a few windows with a few rows of weights?
// Part of an exported project; may be used without condition.
//
// It has no config fields. Layers use Dot<In, Weight, Sum>; a variant (kernels.list) specialises it:
//   kPixels       neighbouring windows of its larger tile
//   kOutputs      filters of a tile
//   kBlock        outputs of a pixel that are rescaled together; a multiple of kOutputs
//   kStep         elements that one step of a run costs, even where fewer are left; 0: steps do not count
//   kShort        if kStep is 0: small windows whose runs have fewer elements are faster in one piece
//   tile<P>(windows, filters, sums, step)   sums[p * step + n] = dot(window p, filter n), n < kOutputs;
//                 P is 1 or kPixels. The input is read in place, and sums stay in registers.
//   name()        name of the file
// Integer sums must fit Sum; then all variants give the same bits. A float sum depends on its layer alone,
// neither on the place of the input nor on the tile.
// Stack: with the caller's, below kStackBytes (plane.hpp). Scratch: none.
#pragma once

#include "narrow.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Neighbouring windows of an input: rows of taps of runs of contiguous elements inside the input.
template <class In>
struct Windows {
  const In* start;  // first element of the first row of the first window
  ptrdiff_t pixel;  // elements from window to window
  int rows, taps, run;
  ptrdiff_t row, tap;  // elements from row to row, from tap to tap
  // Rows in a rolling buffer (ring 0: none): position of the first row, positions a row, wrap distance.
  int ring, position, step;
  ptrdiff_t turn;

  // Advances from a row to the next one.
  N2D2_INLINE void advance(const In*& x, int& at) const {
    x += row;
    if (ring == 0) return;
    for (at += step; at >= ring; at -= ring) x -= turn;
  }
};

// Rows of weights that belong to the elements of a window; filters after `last` repeat it.
template <class Weight>
struct Filters {
  typename WeightsIn<Weight>::Pointer start;  // weight of the windows' first element
  ptrdiff_t output;                           // weights from a filter to the next
  int last;
  ptrdiff_t row, tap;  // weights from row to row, from tap to tap
  int skipped;         // weights of the first filter before `start`

  N2D2_INLINE ptrdiff_t at(int n) const { return smaller(n, last) * output; }
};

// Calls use(x, w, phase) for each run of the windows: first input, first weight, offset in the window.
template <class In, class Weight, class Use>
N2D2_INLINE void for_windows(const Windows<In>& windows, const Filters<Weight>& filters, Use& use) {
  const In* x = windows.start;
  ptrdiff_t w = 0;
  int at = windows.position;
  N2D2_ROLLED
  for (int r = 0; r < windows.rows; ++r) {
    N2D2_ROLLED
    for (int t = 0; t < windows.taps; ++t)
      use(x + t * windows.tap, filters.start + w + t * filters.tap,
          static_cast<int>(filters.skipped + w + t * filters.tap));
    w += filters.row;
    windows.advance(x, at);
  }
}

template <class Sum>
struct Four {
  Sum a, b, c, d;
};

// Four sums for each of P windows, as separate variables.
template <int P, class Sum>
struct PlainSums {
  Four<Sum> own;
  PlainSums<P - 1, Sum> rest;
};
template <class Sum>
struct PlainSums<0, Sum> {};

// Multiplies in plain loops, for any element types.
template <class In, class Weight, class Sum>
struct PlainDot {
  typedef typename WeightsIn<Weight>::Value Value;
  // Without vectors a window in one piece saves no step; it only starts fewer loops where loops are kept.
  enum {
    kPixels = sizeof(Sum) > 4 ? 1 : 2,
    kOutputs = 4,
    kBlock = 4,
    kStep = 0,
    kShort = N2D2_VECTOR > 0 || N2D2_SMALL ? 8 : 0
  };

  static N2D2_INLINE const char* name() { return "dot_portable"; }

  // Returns one product; it is exact in int32_t for elements of up to 16 bits.
  static N2D2_INLINE Sum mul(In x, Value w) { return static_cast<int32_t>(x) * static_cast<int32_t>(w); }

  static N2D2_INLINE void clear(PlainSums<0, Sum>&) {}
  template <int P>
  static N2D2_INLINE void clear(PlainSums<P, Sum>& s) {
    s.own.a = s.own.b = s.own.c = s.own.d = 0;
    clear(s.rest);
  }

  static N2D2_INLINE void add(PlainSums<0, Sum>&, const In*, ptrdiff_t, Value, Value, Value, Value) {}
  template <int P>
  static N2D2_INLINE void add(PlainSums<P, Sum>& s, const In* x, ptrdiff_t pixel, Value a, Value b, Value c,
                              Value d) {
    s.own.a += mul(*x, a), s.own.b += mul(*x, b), s.own.c += mul(*x, c), s.own.d += mul(*x, d);
    add(s.rest, x + pixel, pixel, a, b, c, d);
  }

  static N2D2_INLINE void store(const PlainSums<0, Sum>&, Sum*, int) {}
  template <int P>
  static N2D2_INLINE void store(const PlainSums<P, Sum>& s, Sum* sums, int step) {
    sums[0] = s.own.a, sums[1] = s.own.b, sums[2] = s.own.c, sums[3] = s.own.d;
    store(s.rest, sums + step, step);
  }

  template <int P>
  struct Run {
    PlainSums<P, Sum> s;
    ptrdiff_t pixel, b, c, d;
    int n;
    N2D2_INLINE void operator()(const In* x, typename WeightsIn<Weight>::Pointer w, int) {
      N2D2_ROLLED
      for (int i = 0; i < n; ++i) add(s, x + i, pixel, w[i], w[b + i], w[c + i], w[d + i]);
    }
  };

  template <int P>
  static N2D2_SHARED void tile(const Windows<In>& windows, const Filters<Weight>& filters, Sum* sums,
                               int step) {
    Run<P> run;
    clear(run.s);
    run.pixel = windows.pixel, run.n = windows.run;
    run.b = filters.at(1), run.c = filters.at(2), run.d = filters.at(3);
    for_windows(windows, filters, run);
    store(run.s, sums, step);
  }
};

// A compiler may not reorder a float sum by itself, so the lanes of the sum are separate. Element i of the
// whole window belongs to lane i % kLanes.
struct FloatDot {
  enum { kPixels = 1, kOutputs = 4, kBlock = 4, kStep = 0, kShort = 0, kLanes = 8 };
  static N2D2_INLINE const char* name() { return "dot_portable"; }

  static N2D2_INLINE float mul(float x, float w) { return x * w; }

  struct Run {
    float lane[4][kLanes];
    ptrdiff_t w[4];
    int n;
    N2D2_INLINE void operator()(const float* x, const float* from, int phase) {
      int i = 0;
      for (; i < n && (phase + i) % kLanes != 0; ++i)
        for (int f = 0; f < 4; ++f) lane[f][(phase + i) % kLanes] += x[i] * from[w[f] + i];
      for (; i + kLanes <= n; i += kLanes)
        for (int f = 0; f < 4; ++f)
          for (int l = 0; l < kLanes; ++l) lane[f][l] += x[i + l] * from[w[f] + i + l];
      for (int l = 0; i + l < n; ++l)
        for (int f = 0; f < 4; ++f) lane[f][l] += x[i + l] * from[w[f] + i + l];
    }
  };

  template <int P>
  static N2D2_SHARED void tile(const Windows<float>& windows, const Filters<float>& filters, float* sums,
                               int) {
    Run run;
    for (int f = 0; f < 4; ++f) {
      for (int l = 0; l < kLanes; ++l) run.lane[f][l] = 0;
      run.w[f] = filters.at(f);
    }
    run.n = windows.run;
    for_windows(windows, filters, run);
    for (int f = 0; f < 4; ++f) {
      float s = 0;
      for (int l = 0; l < kLanes; ++l) s += run.lane[f][l];
      sums[f] = s;
    }
  }
};

// The form that needs no instruction set.
template <class In, class Weight, class Sum>
struct PortableDot : PlainDot<In, Weight, Sum> {};
template <>
struct PortableDot<float, float, float> : FloatDot {};

template <class In, class Weight, class Sum>
struct Dot : PortableDot<In, Weight, Sum> {};

}  // namespace N2D2_EXPORT_NAMESPACE
