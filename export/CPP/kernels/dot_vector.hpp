// Answers: how are the tiles of dot_portable.hpp computed on bytes with the compiler's vectors?
// Part of an exported project; included by dot.hpp where N2D2_VECTOR is not 0.
//
// It has no config fields. A step takes kWords inputs and weights, widened to 16 bits. VectorDot leaves
// widening, products and 32-bit sums to Products, which an instruction set replaces. The rest of a run of
// kWords or more is a step that ends with the run and masks what was added before. Nothing beyond it is read.
// Stack, Scratch: as dot_portable.hpp.
#pragma once

#include "dot_portable.hpp"
#include "words.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Products of 8-bit elements fit 16 bits; pairs of products are added in 32 bits.
struct PairProducts : PlainWiden {
  static N2D2_INLINE const char* name() { return "dot_vector"; }
  static N2D2_INLINE WordSums add(WordSums sum, Words x, Words w) {
    const Words product = x * w;
    const WordSums pair = reinterpret_cast<WordSums>(product);
    return sum + (pair >> 16) + ((pair << 16) >> 16);
  }
};

// fold_four returns shares of the totals of four vectors; store_eight stores the totals of two such results.
#if N2D2_VECTOR == 32
// Lane n of each half of the result holds this half's share of total n.
N2D2_INLINE WordSums fold_four(WordSums a, WordSums b, WordSums c, WordSums d) {
  const WordSums ab = N2D2_SHUFFLE(WordSums, a, b, 0, 8, 1, 9, 4, 12, 5, 13) +
                      N2D2_SHUFFLE(WordSums, a, b, 2, 10, 3, 11, 6, 14, 7, 15);
  const WordSums cd = N2D2_SHUFFLE(WordSums, c, d, 0, 8, 1, 9, 4, 12, 5, 13) +
                      N2D2_SHUFFLE(WordSums, c, d, 2, 10, 3, 11, 6, 14, 7, 15);
  return N2D2_SHUFFLE(WordSums, ab, cd, 0, 1, 8, 9, 4, 5, 12, 13) +
         N2D2_SHUFFLE(WordSums, ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
}
N2D2_INLINE void store_eight(WordSums low, WordSums high, int32_t* sums) {
  const WordSums totals = N2D2_SHUFFLE(WordSums, low, high, 0, 1, 2, 3, 8, 9, 10, 11) +
                          N2D2_SHUFFLE(WordSums, low, high, 4, 5, 6, 7, 12, 13, 14, 15);
  *reinterpret_cast<UnalignedSums*>(sums) = totals;
}
#else
N2D2_INLINE WordSums fold_four(WordSums a, WordSums b, WordSums c, WordSums d) {
  const WordSums ab = N2D2_SHUFFLE(WordSums, a, b, 0, 4, 1, 5) + N2D2_SHUFFLE(WordSums, a, b, 2, 6, 3, 7);
  const WordSums cd = N2D2_SHUFFLE(WordSums, c, d, 0, 4, 1, 5) + N2D2_SHUFFLE(WordSums, c, d, 2, 6, 3, 7);
  return N2D2_SHUFFLE(WordSums, ab, cd, 0, 1, 4, 5) + N2D2_SHUFFLE(WordSums, ab, cd, 2, 3, 6, 7);
}
N2D2_INLINE void store_eight(WordSums low, WordSums high, int32_t* sums) {
  *reinterpret_cast<UnalignedSums*>(sums) = low;
  *reinterpret_cast<UnalignedSums*>(sums + 4) = high;
}
#endif

template <int P>
struct VectorSums {
  WordSums a, b, c, d;
  VectorSums<P - 1> rest;
};
template <>
struct VectorSums<0> {};

template <class In, class Products>
struct VectorDot {
  enum { kPixels = 2, kOutputs = 8, kBlock = 8, kStep = 0, kShort = kWords };

  static N2D2_INLINE const char* name() { return Products::name(); }

  static N2D2_INLINE int32_t mul(In x, int8_t w) { return static_cast<int32_t>(x) * static_cast<int32_t>(w); }

  struct Weights {
    Words a, b, c, d;
  };
  struct Input {
    int part;  // 0: all lanes
    N2D2_INLINE Words operator()(const In* x) const {
      return part ? WordLoad<In, Products>::part(x, part) : WordLoad<In, Products>::full(x);
    }
  };

  static N2D2_INLINE void clear(VectorSums<0>&) {}
  template <int P>
  static N2D2_INLINE void clear(VectorSums<P>& s) {
    const WordSums none = {};
    s.a = s.b = s.c = s.d = none;
    clear(s.rest);
  }

  static N2D2_INLINE void add(VectorSums<0>&, Input, const In*, ptrdiff_t, const Weights&) {}
  template <int P>
  static N2D2_INLINE void add(VectorSums<P>& s, Input input, const In* x, ptrdiff_t pixel, const Weights& w) {
    const Words v = input(x);
    s.a = Products::add(s.a, v, w.a), s.b = Products::add(s.b, v, w.b);
    s.c = Products::add(s.c, v, w.c), s.d = Products::add(s.d, v, w.d);
    add(s.rest, input, x + pixel, pixel, w);
  }

  static N2D2_INLINE void store(const WordSums*, const VectorSums<0>&, int32_t*, int) {}
  template <int P>
  static N2D2_INLINE void store(const WordSums* low, const VectorSums<P>& high, int32_t* sums, int step) {
    store_eight(*low, fold_four(high.a, high.b, high.c, high.d), sums);
    store(low + 1, high.rest, sums + step, step);
  }
  static N2D2_INLINE void fold(const VectorSums<0>&, WordSums*) {}
  template <int P>
  static N2D2_INLINE void fold(const VectorSums<P>& s, WordSums* folded) {
    *folded = fold_four(s.a, s.b, s.c, s.d);
    fold(s.rest, folded + 1);
  }

  template <int P>
  struct Run {
    VectorSums<P> s;
    ptrdiff_t pixel, b, c, d;
    int n;

    N2D2_INLINE void whole(const In* x, const int8_t* w) {
      const Weights v = {WordLoad<int8_t, Products>::full(w), WordLoad<int8_t, Products>::full(w + b),
                         WordLoad<int8_t, Products>::full(w + c), WordLoad<int8_t, Products>::full(w + d)};
      const Input input = {0};
      add(s, input, x, pixel, v);
    }
    N2D2_INLINE void masked(const In* x, const int8_t* w, Words mask) {
      const Weights v = {
          WordLoad<int8_t, Products>::full(w) & mask, WordLoad<int8_t, Products>::full(w + b) & mask,
          WordLoad<int8_t, Products>::full(w + c) & mask, WordLoad<int8_t, Products>::full(w + d) & mask};
      const Input input = {0};
      add(s, input, x, pixel, v);
    }
    N2D2_INLINE void part(const In* x, const int8_t* w) {
      const Words mask = WordMask::part(n);
      const Weights v = {WordLoad<int8_t, Products>::part(w, n) & mask,
                         WordLoad<int8_t, Products>::part(w + b, n) & mask,
                         WordLoad<int8_t, Products>::part(w + c, n) & mask,
                         WordLoad<int8_t, Products>::part(w + d, n) & mask};
      const Input input = {n};
      add(s, input, x, pixel, v);
    }
    N2D2_INLINE void operator()(const In* x, const int8_t* w, int) {
      if (n < kWords) return part(x, w);
      int i = 0;
      N2D2_ROLLED
      for (; i + kWords <= n; i += kWords) whole(x + i, w + i);
      if (i < n) masked(x + n - kWords, w + n - kWords, WordMask::rest(n - i));
    }
  };

  // Adds filters [n, n + 4) of the tile.
  template <int P>
  static N2D2_INLINE void add_filters(const Windows<In>& windows, const Filters<int8_t>& filters, int n,
                                      VectorSums<P>& s) {
    Run<P> run;
    clear(run.s);
    Filters<int8_t> four = filters;
    four.start += filters.at(n), four.last -= n;
    run.pixel = windows.pixel, run.n = windows.run;
    // Taps that windows share are loaded again: there are too few registers to keep them.
    if (N2D2_VECTOR == 16) N2D2_OPAQUE(run.pixel);
    run.b = four.at(1), run.c = four.at(2), run.d = four.at(3);
    for_windows(windows, four, run);
    s = run.s;
  }

  template <int P>
  static N2D2_SHARED void tile(const Windows<In>& windows, const Filters<int8_t>& filters, int32_t* sums,
                               int step) {
    VectorSums<P> s;
    WordSums low[P];
    add_filters(windows, filters, 0, s);
    fold(s, low);
    clear(s);
    Windows<In> again = windows;
    N2D2_OPAQUE(again.start);
    if (filters.last >= 4) add_filters(again, filters, 4, s);
    store(low, s, sums, step);
  }
};

template <>
struct PortableDot<uint8_t, int8_t, int32_t> : VectorDot<uint8_t, PairProducts> {};
template <>
struct PortableDot<int8_t, int8_t, int32_t> : VectorDot<int8_t, PairProducts> {};

}  // namespace N2D2_EXPORT_NAMESPACE
