// Answers: in which order do packed weights lie, and what is a tile of sums over them?
// Part of an exported project; may be used without condition.
//
// Packed weights are what instructions read that multiply four bytes at once: [out_c / 16][kernel_h][run / 4][16][4], where a
// run is what a row of a window holds, kernel_w * in_c elements, filled up with zeros to a multiple of 4, as outputs are to one
// of 16. A block is 16 outputs, a group 4 inputs. The window of a fully connected layer is one run.
// PackedForm<In> is what layers use where N2D2_PACKED is defined (isa.hpp); a variant (kernels.list; packed_variants.hpp picks it)
// defines it, and N2D2_PACKED_FORM:
//   Sums, Weights, Inputs          of one block and pixel: 16 sums, a group of weights, a group of inputs
//   kMostPixels                    of a tile
//   kRegisters                     of N blocks and P pixels N * (P + 1) at most: sums, and the weights of a step
//   start(bias, n, inputs)         n biases, less what the form adds for a sum of inputs
//   weights(from), inputs(from)    of a group; nothing beyond it is read
//   dot(sums, inputs, weights)     sums, and the products of the group
//   kCorrected                     1: start needs the sum of the inputs of the window; 0: it is not computed
//   total(from, n)                 the sum of n inputs
//   store(sums, to)                as 16 int32_t
//   kRate                          products that a thread makes a microsecond, an order of size
//   name()                         of the file
// A form that multiplies by one of several groups in a vector specialises PackedGroups, too.
// Sums are exact, modulo 2^32 in between. Stack: as the form says. Scratch: none.
#pragma once

#include "dot_portable.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum { kPackedOutputs = 16, kPackedInputs = 4, kPackedGroup = kPackedOutputs * kPackedInputs };
// Bytes of a window that may be gathered.
enum { kPackedPatch = 448 };

// Bytes of a row of a matrix that instructions multiply at once, and the fewest that pay.
enum { kMatrixBytes = 64, kMatrixLeastBytes = 32 };

template <class In>
struct PackedForm;

// Groups of a run of n inputs.
N2D2_INLINE constexpr int packed_groups(int n) {
  return (n + kPackedInputs - 1) / kPackedInputs;
}
N2D2_INLINE constexpr int packed_blocks(int outputs) {
  return (outputs + kPackedOutputs - 1) / kPackedOutputs;
}

// Instructions for matrices take windows of kMatrixBytes and more in parts of pixels: the largest part, from a whole row down,
// that divides the channels; 0: none does.
N2D2_INLINE int matrix_part(int taps, int in_c) {
  if (in_c % kPackedInputs != 0 || taps * in_c < kMatrixBytes) return 0;
  for (int part = kMatrixBytes; part >= kMatrixLeastBytes; part -= kPackedInputs)
    if (in_c % part == 0) return part;
  return 0;
}

// Packed weights that belong to the elements of a window.
struct PackedFilters {
  const int8_t* start;  // of the first block and the windows' first element
  ptrdiff_t block;      // elements from block to block
  ptrdiff_t row, tap;   // elements from row to row, from tap to tap
};

// Of one pixel, N blocks.
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

// P pixels side by side.
template <class Form, int P, int N>
struct PackedTile {
  PackedSums<Form, N> own;
  PackedTile<Form, P - 1, N> rest;
};
template <class Form, int N>
struct PackedTile<Form, 0, N> {};

template <class Form>
N2D2_INLINE void load_weights(PackedWeights<Form, 0>&, const int8_t*, ptrdiff_t) {}
template <class Form, int N>
N2D2_INLINE void load_weights(PackedWeights<Form, N>& w, const int8_t* from, ptrdiff_t block) {
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

// What takes several groups of a run at once: adds as many of them as it can, returns how many.
template <class Form>
struct PackedGroups {
  template <class Pixels, int P, int N, class In>
  static N2D2_INLINE int add(PackedTile<Form, P, N>&, const In*, ptrdiff_t, const int8_t*, ptrdiff_t, int) {
    return 0;
  }
};

// A run of groups: of the pixels that Pixels says, of all blocks.
template <class Pixels, class Form, int P, int N, class In>
N2D2_INLINE void add_run(PackedTile<Form, P, N>& t, const In* x, ptrdiff_t pixel, const int8_t* weights,
                         ptrdiff_t block, int groups) {
  const int first = PackedGroups<Form>::template add<Pixels>(t, x, pixel, weights, block, groups);
  N2D2_LOOP
  for (int g = first; g < groups; ++g) {
    PackedWeights<Form, N> w;
    load_weights(w, weights + static_cast<ptrdiff_t>(g) * kPackedGroup, block);
    Pixels::add(t, x + g * kPackedInputs, pixel, w);
  }
}

// All runs of windows that lie inside of the input; a run is read up to a multiple of 4 elements.
template <class Form, int P, int N, class In>
N2D2_INLINE void add_windows(PackedTile<Form, P, N>& t, const Windows<In>& windows,
                             const PackedFilters& filters) {
  const In* x = windows.start;
  const int8_t* w = filters.start;
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

// The sum of the inputs of one window, read as add_windows does.
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

// How many pixels and blocks a tile has. `line`: pixels side by side that the tiles share; `blocks`: those of the layer.
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
  // Of all pixels of a tile that there are, in descending order, the one that follows; 0: none.
  static constexpr int next(int pixels) {
    return pixels - 1;
  }
#endif
  // The largest power of two, from n on, that is not more than `most` and than `blocks`.
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
