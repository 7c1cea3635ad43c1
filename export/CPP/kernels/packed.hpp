// Answers: in which order are packed weights stored, and what is a tile of sums over them?
// Part of an exported project; may be used without condition.
//
// Packed weights suit instructions that multiply four bytes at once: [out_c / 16][kernel_h][run / 4][16][4].
// A run is a row of a window, kernel_w * in_c elements. Zeros fill runs up to a multiple of 4 and outputs up
// to a multiple of 16. A block is 16 outputs, a group is 4 inputs. The window of a fully connected layer is
// one run. Layers use PackedForm<In> where N2D2_PACKED is defined (isa.hpp). A variant (kernels.list;
// packed_variants.hpp picks it) defines it and N2D2_PACKED_FORM:
//   Sums, Weights, Inputs          for a block and a pixel: 16 sums, a group of weights, a group of inputs
//   kMostPixels                    largest number of pixels of a tile
//   kRegisters                     N blocks and P pixels take N * (P + 1) at most: sums, weights of a step
//   start(bias, n, inputs)         n biases, less the form's excess for a sum of inputs
//   weights(from), inputs(from)    loads a group, also of narrow weights; nothing beyond it is read
//   dot(sums, inputs, weights)     the sums plus the products of the group
//   kCorrected                     1: start needs the sum of the inputs of the window; 0: it is not computed
//   total(from, n)                 sum of n inputs
//   store(sums, to)                stores the sums as 16 int32_t
//   kRate                          approximate number of products of a thread in a microsecond
//   name()                         name of the file
// A form that multiplies by one of several groups in a vector specialises PackedGroups, too.
// Sums are exact; in between they are exact modulo 2^32. Stack: as the form says. Scratch: none.
#pragma once

#include "dot_portable.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum { kPackedOutputs = 16, kPackedInputs = 4, kPackedGroup = kPackedOutputs * kPackedInputs };
// Largest number of bytes of a gathered window.
enum { kPackedPatch = 448 };

// Bytes of a row that matrix instructions multiply at once, and the smallest number that is worth it.
enum { kMatrixBytes = 64, kMatrixLeastBytes = 32 };

template <class In>
struct PackedForm;

// Returns the number of groups of a run of n inputs.
N2D2_INLINE constexpr int packed_groups(int n) {
  return (n + kPackedInputs - 1) / kPackedInputs;
}
N2D2_INLINE constexpr int packed_blocks(int outputs) {
  return (outputs + kPackedOutputs - 1) / kPackedOutputs;
}

// Matrix instructions take windows of kMatrixBytes and more, a piece of a pixel at a time. Returns the
// largest piece, a whole row at most, that divides the channels; 0: there is none.
N2D2_INLINE int matrix_part(int taps, int in_c) {
  if (in_c % kPackedInputs != 0 || taps * in_c < kMatrixBytes) return 0;
  for (int part = kMatrixBytes; part >= kMatrixLeastBytes; part -= kPackedInputs)
    if (in_c % part == 0) return part;
  return 0;
}

// Packed weights that belong to the elements of a window. Steps are counted in elements of the array, which
// hold several narrow weights each.
template <class Weight>
struct PackedFilters {
  const Weight* start;  // of the first block and the windows' first element
  ptrdiff_t block;      // elements from block to block
  ptrdiff_t row, tap;   // elements from row to row, from tap to tap
};

// Returns the elements that n weights, whole groups, take.
template <class Weight>
N2D2_INLINE constexpr ptrdiff_t packed_elements(ptrdiff_t n) {
  return n / static_cast<ptrdiff_t>(WeightsIn<Weight>::kFields);
}

// Sums of one pixel and N blocks.
template <class Form, int N>
struct PackedSums {
  typename Form::Sums own;
  PackedSums<Form, N - 1> rest;
};
template <class Form>
struct PackedSums<Form, 0> {};

// A group of weights of N blocks.
template <class Form, int N>
struct PackedWeights {
  typename Form::Weights own;
  PackedWeights<Form, N - 1> rest;
};
template <class Form>
struct PackedWeights<Form, 0> {};

// Sums of P neighbouring pixels.
template <class Form, int P, int N>
struct PackedTile {
  PackedSums<Form, N> own;
  PackedTile<Form, P - 1, N> rest;
};
template <class Form, int N>
struct PackedTile<Form, 0, N> {};

template <class Form, class Weight>
N2D2_INLINE void load_weights(PackedWeights<Form, 0>&, const Weight*, ptrdiff_t) {}
template <class Form, int N, class Weight>
N2D2_INLINE void load_weights(PackedWeights<Form, N>& w, const Weight* from, ptrdiff_t block) {
  w.own = Form::weights(from);
  load_weights(w.rest, from + block, block);
}

template <class Form, class Inputs>
N2D2_INLINE void add_dots(PackedSums<Form, 0>&, const Inputs&, const PackedWeights<Form, 0>&) {}
template <class Form, int N, class Inputs>
N2D2_INLINE void add_dots(PackedSums<Form, N>& s, const Inputs& x, const PackedWeights<Form, N>& w) {
  s.own = Form::dot(s.own, x, w.own);
  add_dots(s.rest, x, w.rest);
}

// Pixels [First, First + Count) of a tile.
template <int First, int Count>
struct PackedPixels {
  template <class Form, int P, int N, class In>
  static N2D2_INLINE void add(PackedTile<Form, P, N>& t, const In* x, ptrdiff_t pixel,
                              const PackedWeights<Form, N>& w) {
    PackedPixels<First - 1, Count>::add(t.rest, x + pixel, pixel, w);
  }
};
template <int Count>
struct PackedPixels<0, Count> {
  template <class Form, int P, int N, class In>
  static N2D2_INLINE void add(PackedTile<Form, P, N>& t, const In* x, ptrdiff_t pixel,
                              const PackedWeights<Form, N>& w) {
    add_dots(t.own, Form::inputs(x), w);
    PackedPixels<0, Count - 1>::add(t.rest, x + pixel, pixel, w);
  }
};
template <>
struct PackedPixels<0, 0> {
  template <class Form, int P, int N, class In>
  static N2D2_INLINE void add(PackedTile<Form, P, N>&, const In*, ptrdiff_t, const PackedWeights<Form, N>&) {}
};

// Adds as many groups of a run as it can at a time, and returns their number.
template <class Form>
struct PackedGroups {
  template <class Pixels, int P, int N, class In, class Weight>
  static N2D2_INLINE int add(PackedTile<Form, P, N>&, const In*, ptrdiff_t, const Weight*, ptrdiff_t, int) {
    return 0;
  }
};

// Adds a run of groups of all blocks for the pixels of Pixels.
template <class Pixels, class Form, int P, int N, class In, class Weight>
N2D2_INLINE void add_run(PackedTile<Form, P, N>& t, const In* x, ptrdiff_t pixel, const Weight* weights,
                         ptrdiff_t block, int groups) {
  const int first = PackedGroups<Form>::template add<Pixels>(t, x, pixel, weights, block, groups);
  N2D2_LOOP
  for (int g = first; g < groups; ++g) {
    PackedWeights<Form, N> w;
    load_weights(w, weights + g * packed_elements<Weight>(kPackedGroup), block);
    Pixels::add(t, x + g * kPackedInputs, pixel, w);
  }
}

// Adds all runs of windows that are inside the input. A run is read up to a multiple of 4 elements.
template <class Form, int P, int N, class In, class Weight>
N2D2_INLINE void add_windows(PackedTile<Form, P, N>& t, const Windows<In>& windows,
                             const PackedFilters<Weight>& filters) {
  const In* x = windows.start;
  const Weight* w = filters.start;
  int at = windows.position;
  N2D2_LOOP
  for (int r = 0; r < windows.rows; ++r) {
    N2D2_LOOP
    for (int i = 0; i < windows.taps; ++i)
      add_run<PackedPixels<0, P> >(t, x + i * windows.tap, windows.pixel, w + i * filters.tap, filters.block,
                                   packed_groups(windows.run));
    w += filters.row;
    windows.advance(x, at);
  }
}

template <class Form, class Sum>
N2D2_INLINE void start_sums(PackedSums<Form, 0>&, const Sum*, int, int32_t) {}
template <class Form, int N, class Sum>
N2D2_INLINE void start_sums(PackedSums<Form, N>& s, const Sum* bias, int n, int32_t inputs) {
  s.own = Form::start(bias, n < kPackedOutputs ? n : static_cast<int>(kPackedOutputs), inputs);
  start_sums(s.rest, bias + kPackedOutputs, n - kPackedOutputs, inputs);
}

template <class Form, class Sum>
N2D2_INLINE void store_sums(const PackedSums<Form, 0>&, Sum*) {}
template <class Form, int N, class Sum>
N2D2_INLINE void store_sums(const PackedSums<Form, N>& s, Sum* to) {
  Form::store(s.own, to);
  store_sums(s.rest, to + kPackedOutputs);
}

// Returns the sum of the inputs of one window, read as add_windows reads it.
template <class Form, class In>
N2D2_INLINE int32_t total_of(const Windows<In>& windows) {
  const In* x = windows.start;
  int at = windows.position;
  int32_t sum = 0;
  for (int r = 0; r < windows.rows; ++r) {
    for (int i = 0; i < windows.taps; ++i)
      sum += Form::total(x + i * windows.tap, packed_groups(windows.run) * kPackedInputs);
    windows.advance(x, at);
  }
  return sum;
}

// The number of pixels and blocks of a tile. `line`: neighbouring pixels to divide; `blocks`: of the layer.
template <class Form>
struct PackedShape {
#if defined(N2D2_FEW_TILES)
  enum { kMost = Form::kMostPixels < 4 ? static_cast<int>(Form::kMostPixels) : 4, kMostBlocks = 2 };

  static constexpr int pixels(int line) {
    return line < kMost ? 1 : static_cast<int>(kMost);
  }
  static constexpr int next(int pixels) {
    return pixels > 1 ? 1 : 0;
  }
#else
  enum { kMost = Form::kMostPixels, kMostBlocks = 8 };

  static constexpr int tiles(int line) {
    return (line + kMost - 1) / kMost;
  }
  static constexpr int pixels(int line) {
    return line < 1 ? 1 : (line + tiles(line) - 1) / tiles(line);
  }
  // Returns the next smaller number of pixels that a tile may have; 0: there is none.
  static constexpr int next(int pixels) {
    return pixels - 1;
  }
#endif
  // Returns the largest power of two, n or more, that exceeds neither `most` nor `blocks`.
  static constexpr int power(int most, int blocks, int n) {
    return 2 * n > most || 2 * n > blocks ? n : power(most, blocks, 2 * n);
  }
  static constexpr int blocks_of(int pixels, int blocks) {
    return power(Form::kRegisters / (pixels + 1) < kMostBlocks ? Form::kRegisters / (pixels + 1)
                                                               : static_cast<int>(kMostBlocks),
                 blocks, 1);
  }
};

}  // namespace N2D2_EXPORT_NAMESPACE
