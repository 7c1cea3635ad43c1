// Answers: in which order does a convolution with packed weights compute its pixels and outputs?
// Part of an exported project; may be used without condition.
//
// It serves configs with packed = 1, 8-bit inputs and groups = 1 where N2D2_PACKED is defined. Config fields:
// those of conv.hpp. A piece is a tile of neighbouring pixels, or one pixel where a window leaves the width
// by more than a pixel of a tile. A pixel's outputs form panels, computed some blocks at a time (packed.hpp).
// Where the channels are no multiple of 4, the last group of a window may cross the end of a row: zeros
// multiply up to three elements of the next one. Without a next row, or if a form needs the sum of inputs,
// the window is gathered. Contiguous rows of a 1 x 1 layer are one row where their order is free.
// Stack: a patch of kGatheredBytes, the sums of a pixel. Scratch: none.
#pragma once

#include "conv_parts.hpp"
#include "gathered_rows.hpp"
#include "packed_pixels.hpp"
#include "packed_variants.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Number of blocks of a panel.
enum { kPackedPanel = 4 };

// The epilogue: adds biases to the sums of a pixel, rescales and stores them. A form of `ends` in
// kernels.list specialises it. Factors<N> holds the factors of N blocks for all pixels of a tile.
template <class Form, class To, class Factor>
struct PackedEnd {
  template <int N>
  struct Factors {
    const Factor* all;
  };
  template <class C, int N>
  static N2D2_INLINE void load(const C&, const Factor* factor, int, int, Factors<N>& f) {
    f.all = factor;
  }
  template <class C, int N>
  static N2D2_INLINE void put(const C& c, const To& to, const PackedSums<Form, N>& s, const Factors<N>& f,
                              int pixel, int first, int n) {
    int32_t sums[N * kPackedOutputs];
    store_sums(s, sums);
    to.finish(c, sums, f.all, pixel, first, n);
  }
};

// The place of a tile's pixels, in rows and as a run.
struct PackedAt {
  int oy, ox, first, n;  // outputs [first, first + n)
};

template <class Form, int N, class C>
N2D2_INLINE void start_tile(PackedTile<Form, 0, N>&, const C&, const int32_t*, const PackedAt&, int,
                            const int32_t*) {}
template <class Form, int P, int N, class C>
N2D2_INLINE void start_tile(PackedTile<Form, P, N>& t, const C& c, const int32_t* bias, const PackedAt& at,
                            int pixel, const int32_t* totals) {
  start_sums(t.own, biases_at(c, bias, at.oy, at.ox + pixel) + at.first, at.n,
             Form::kCorrected ? totals[pixel] : 0);
  start_tile(t.rest, c, bias, at, pixel + 1, totals);
}

template <class End, class Form, int N, class C, class To, class Factors>
N2D2_INLINE void end_tile(const PackedTile<Form, 0, N>&, const C&, const To&, const Factors&, const PackedAt&,
                          int) {}
template <class End, class Form, int P, int N, class C, class To, class Factors>
N2D2_INLINE void end_tile(const PackedTile<Form, P, N>& t, const C& c, const To& to, const Factors& factors,
                          const PackedAt& at, int pixel) {
  End::put(c, to, t.own, factors, pixel, at.first, at.n);
  end_tile<End>(t.rest, c, to, factors, at, pixel + 1);
}

// Returns the number of outputs of N blocks from output o on.
template <int N, class C>
N2D2_INLINE int outputs_of(const C& c, int o) {
  if (c.out_c % kPackedOutputs == 0) return N * kPackedOutputs;
  return c.out_c <= N * kPackedOutputs ? c.out_c : smaller(N * kPackedOutputs, c.out_c - o);
}

// Adds all taps of a tile whose first or last pixel some taps miss.
template <class Form, int P, int N, class C, class In, class Weight>
N2D2_INLINE void add_clipped(PackedTile<Form, P, N>& t, const C& c, const In* in,
                             const PackedFilters<Weight>& filters, int oy, int ox) {
  const Plane src = in_plane(c);
  const int y0 = oy * c.stride_y - c.pad_y;
  const int x0 = ox * c.stride_x - c.pad_x;
  const Inside ky = inside(y0, c.kernel_h, c.dilation_y, src.h);
  const ptrdiff_t pixel = c.stride_x * src.pixel;
  const int groups = c.in_c / kPackedInputs;
  N2D2_LOOP
  for (int y = ky.first; y < ky.end; ++y) {
    const In* row = in + src.row_at(y0 + y * c.dilation_y);
    const Weight* w = filters.start + y * filters.row;
    N2D2_LOOP
    for (int x = 0; x < c.kernel_w; ++x, w += filters.tap) {
      const int column = x0 + x * c.dilation_x;
      const bool left = column < 0, right = column + (P - 1) * c.stride_x >= src.w;
      const In* from = row + column * src.pixel;
      if (!left && !right)
        add_run<PackedPixels<0, P> >(t, from, pixel, w, filters.block, groups);
      else if (!right)
        add_run<PackedPixels<1, P - 1> >(t, from, pixel, w, filters.block, groups);
      else if (!left)
        add_run<PackedPixels<0, P - 1> >(t, from, pixel, w, filters.block, groups);
      else
        add_run<PackedPixels<1, (P > 2 ? P - 2 : 0)> >(t, from, pixel, w, filters.block, groups);
    }
  }
}

// The windows of some pixels, and the weights that multiply them.
template <class In, class Weight>
struct PackedWork {
  Windows<In> windows;
  PackedFilters<Weight> filters;
  bool clipped;  // the windows are not set; each tap is clipped by itself
};

// Finds the windows of pixels from ox on of row oy that are inside the width, or the window of one pixel.
template <class C, class In, class Weight>
N2D2_INLINE void place_packed(const C& c, bool whole, const In* in, int oy, int ox,
                              PackedWork<In, Weight>& work) {
  Filters<int8_t> unused = {0, 0, 0, 0, 0, 0};
  const Plane src = in_plane(c);
  const int run = c.kernel_w * c.in_c;
  Windows<In>& w = work.windows;
  w = place_windows(c, whole, in, oy, ox, unused);
  const int rows_skipped = unused.skipped / run;
  const int taps_skipped = unused.skipped % run / c.in_c;
  work.filters.start += rows_skipped * work.filters.row + taps_skipped * work.filters.tap;
  // place_windows joins contiguous rows to one run; packed rows are contiguous only if they are whole groups.
  if (w.rows == 1 && w.run > run && run % kPackedInputs != 0)
    w.rows = w.run / run, w.run = run, w.row = src.row;
}

// Gathers the window of one pixel.
template <class C, class In, class Weight>
N2D2_INLINE void gather_packed(const C& c, const In* in, int oy, int ox, In* patch,
                               PackedWork<In, Weight>& work) {
  const Plane src = in_plane(c);
  const int row = packed_row(c);
  N2D2_LOOP
  for (int ky = 0; ky < c.kernel_h; ++ky) {
    const int y = oy * c.stride_y - c.pad_y + ky * c.dilation_y;
    In* to = patch + ky * row;
    if (y >= 0 && y < src.h)
      gather_row(c, in + src.row_at(y), ox * c.stride_x - c.pad_x, row, to);
    else
      for (int i = 0; i < row; ++i) to[i] = 0;
  }
  work.windows = one_run<In>(patch, c.kernel_h * row, 0);
}

// Returns the sum of the inputs of pixel `pixel` of a piece, including what its last groups read beyond it.
template <class C, class In, class Weight>
N2D2_INLINE int32_t total_of_pixel(const C& c, const PackedWork<In, Weight>& work, const In* in, int oy,
                                   int ox, int pixel) {
  Filters<int8_t> unused = {0, 0, 0, 0, 0, 0};
  Windows<In> w = work.windows;
  if (work.clipped)
    w = place_windows(c, false, in, oy, ox + pixel, unused);
  else
    w.start += pixel * w.pixel;
  return total_of<PackedForm<In> >(w);
}

// Adds the products of a tile's pixels with matrix instructions; its sums need no totals. A form of `matrix`
// in kernels.list specialises it. One object exists for each piece. Narrow weights it leaves to vectors.
template <class In>
struct PackedMatrix {
  template <class C>
  N2D2_INLINE PackedMatrix(const C&, int) {}
  N2D2_INLINE bool serves() const { return false; }
  // Returns the file of the form that serves tiles of the layer, null if none does.
  template <class C>
  static N2D2_INLINE const char* name(const C&) {
    return 0;
  }
  template <class Tile, class C, class Weight>
  N2D2_INLINE void add(Tile&, const C&, const PackedWork<In, Weight>&, const PackedFilters<Weight>&,
                       const In*, int, int) const {}
};

template <class Weight, class In>
N2D2_INLINE bool by_matrix(const PackedMatrix<In>& matrix) {
  return WeightsIn<Weight>::kFields == 1 && matrix.serves();
}

// Adds all products of P pixels and N blocks.
template <class Form, int P, int N, class C, class In, class Weight>
N2D2_INLINE void add_products_of(PackedTile<Form, P, N>& t, const C& c, const PackedMatrix<In>& matrix,
                                 const PackedWork<In, Weight>& work, const PackedFilters<Weight>& filters,
                                 const In* in, int oy, int ox) {
  if (P > 1 && by_matrix<Weight>(matrix))
    matrix.add(t, c, work, filters, in, oy, ox);
  else if (P > 1 && work.clipped)
    add_clipped(t, c, in, filters, oy, ox);
  else
    add_windows(t, work.windows, filters);
}

// Prepares the windows of a piece. `patch` serves a single pixel, `totals` all pixels if the form needs them.
template <class To, class C, class In, class Weight>
N2D2_INLINE void prepare_piece(const C& c, int pixels, const PackedMatrix<In>& matrix, const In* in,
                               const Weight* weights, int oy, int ox, In* patch, int32_t* totals,
                               PackedWork<In, Weight>& work) {
  const bool beyond = reads_beyond<PackedForm<In> >(c, oy);
  work.filters.start = weights;
  work.filters.row = packed_elements<Weight>(static_cast<ptrdiff_t>(packed_row(c)) * kPackedOutputs);
  work.filters.block = c.kernel_h * work.filters.row;
  work.filters.tap = packed_elements<Weight>(static_cast<ptrdiff_t>(c.in_c) * kPackedOutputs);
  work.clipped = pixels > 1 && tiles_clip(c) && !packed_flat<To>(c) &&
                 (ox < lost_left(c) || ox + pixels > whole_until(c, false));
  if (pixels == 1 && !whole_groups(c) &&
      (!read_in_place(c) || ox < lost_left(c) || ox >= whole_until(c, beyond)))
    gather_packed(c, in, oy, ox, patch, work);
  else if (!work.clipped)
    place_packed(c, pixels > 1 || inside_width(c), in, oy, ox, work);
  if (PackedForm<In>::kCorrected && !by_matrix<Weight>(matrix))
    for (int p = 0; p < pixels; ++p) totals[p] = total_of_pixel(c, work, in, oy, ox, p);
}

// Computes blocks [first, end) of P pixels, N blocks a step as long as N are left, then fewer.
template <int P, int N>
struct PackedSteps {
  template <class Form, class C, class In, class Weight, class To, class Factor>
  static N2D2_INLINE void run(const C& c, const PackedMatrix<In>& matrix, const PackedWork<In, Weight>& work,
                              const In* in, const To& to, const int32_t* bias, const Factor* factor, int oy,
                              int ox, int first, int end, const int32_t* totals) {
    int b = first;
    for (; b + N <= end; b += N) {
      const int o = b * kPackedOutputs;
      const PackedAt at = {oy, ox, o, outputs_of<N>(c, o)};
      PackedFilters<Weight> filters = work.filters;
      filters.start += b * filters.block;
      PackedTile<Form, P, N> t;
      start_tile(t, c, bias, at, 0, totals);
      add_products_of(t, c, matrix, work, filters, in, oy, ox);
      typedef PackedEnd<Form, To, Factor> End;
      typename End::template Factors<N> factors;
      End::load(c, factor, at.first, at.n, factors);
      end_tile<End>(t, c, to, factors, at, 0);
    }
    if (b < end)
      PackedSteps<P, N / 2>::template run<Form>(c, matrix, work, in, to, bias, factor, oy, ox, b, end,
                                                totals);
  }
};
template <int P>
struct PackedSteps<P, 0> {
  template <class Form, class C, class In, class Weight, class To, class Factor>
  static N2D2_INLINE void run(const C&, const PackedMatrix<In>&, const PackedWork<In, Weight>&, const In*,
                              const To&, const int32_t*, const Factor*, int, int, int, int, const int32_t*) {}
};

// Computes blocks [first, end) of pixels of row oy from ox on as one piece of code, for constant configs.
template <class C, bool kConstant>
struct PackedPiece {
  template <int P, class In, class To, class Weight, class Factor>
  static N2D2_APART void of(const C& c, const In* in, To to, const Weight* weights, const int32_t* bias,
                            const Factor* factor, int oy, int ox, int first, int end) {
    typedef PackedForm<In> Form;
    enum { kBlocks = PackedShape<Form>::blocks_of(P, packed_blocks(C::out_c)) };
    In patch[P == 1 ? static_cast<int>(kGatheredBytes) : 1];
    int32_t totals[Form::kCorrected ? P : 1] = {};
    PackedWork<In, Weight> work = PackedWork<In, Weight>();
    const PackedMatrix<In> matrix(c, P);
    prepare_piece<To>(c, P, matrix, in, weights, oy, ox, patch, totals, work);
    PackedSteps<P, kBlocks>::template run<Form>(c, matrix, work, in, to, bias, factor, oy, ox, first, end,
                                                totals);
  }
  template <class In, class To, class Weight, class Factor>
  static N2D2_INLINE void run(const C& c, int pixels, const In* in, To to, const Weight* weights,
                              const int32_t* bias, const Factor* factor, int oy, int ox, int first, int end) {
    enum { kPixels = pixels_of_tile<PackedForm<In>, To>(C()) };
    if (pixels == 1)
      of<1>(c, in, to, weights, bias, factor, oy, ox, first, end);
    else
      of<kPixels>(c, in, to, weights, bias, factor, oy, ox, first, end);
  }
};

// The fields of a config that a tile reads.
struct PackedFields {
  int in_w, in_h, in_c;
  ptrdiff_t in_pixel, in_row;
  int in_ring, in_first;
  ptrdiff_t in_turn;
  int kernel_w, kernel_h, stride_x, stride_y, dilation_x, dilation_y, pad_x, pad_y;
};
template <class C>
N2D2_INLINE PackedFields packed_fields(const C& c) {
  const PackedFields f = {c.in_w,       c.in_h,       c.in_c,     c.in_pixel, c.in_row,   c.in_ring,
                          c.in_first,   c.in_turn,    c.kernel_w, c.kernel_h, c.stride_x, c.stride_y,
                          c.dilation_x, c.dilation_y, c.pad_x,    c.pad_y};
  return f;
}

// Computes sums of P pixels and N blocks without biases, for configs that are known at run time.
template <class Form, int P, int N>
N2D2_INLINE void start_empty(PackedTile<Form, P, N>& t, const int32_t* totals) {
  const int32_t none[kPackedOutputs * N] = {};
  start_sums(t.own, none, N * kPackedOutputs, Form::kCorrected ? *totals : 0);
  start_empty(t.rest, totals + Form::kCorrected);
}
template <class Form, int N>
N2D2_INLINE void start_empty(PackedTile<Form, 0, N>&, const int32_t*) {}
template <class Form, int P, int N>
N2D2_INLINE void store_tile(const PackedTile<Form, P, N>& t, int32_t* sums) {
  store_sums(t.own, sums);
  store_tile(t.rest, sums + N * kPackedOutputs);
}
template <class Form, int N>
N2D2_INLINE void store_tile(const PackedTile<Form, 0, N>&, int32_t*) {}

template <class Form, int P, int N, class In, class Weight>
N2D2_APART void sums_of_tile(const PackedFields& c, const PackedMatrix<In>& matrix,
                             const PackedWork<In, Weight>& work, const PackedFilters<Weight>& filters,
                             const In* in, int oy, int ox, const int32_t* totals, int32_t* sums) {
  PackedTile<Form, P, N> t;
  start_empty(t, totals);
  add_products_of(t, c, matrix, work, filters, in, oy, ox);
  store_tile(t, sums);
}

// Calls sums_of_tile for `pixels` and `blocks`.
template <int P, int N>
struct AnyTile {
  template <class Form, class In, class Weight>
  static N2D2_INLINE void run(int pixels, int blocks, const PackedFields& c, const PackedMatrix<In>& matrix,
                              const PackedWork<In, Weight>& work, const PackedFilters<Weight>& filters,
                              const In* in, int oy, int ox, const int32_t* totals, int32_t* sums) {
    enum { kNext = N > 1 ? P : PackedShape<Form>::next(P) };
    if (pixels == P && blocks == N)
      sums_of_tile<Form, P, N>(c, matrix, work, filters, in, oy, ox, totals, sums);
    else
      AnyTile<kNext, (N > 1 ? N / 2
                            : (kNext > 0 ? PackedShape<Form>::blocks_of(kNext > 0 ? kNext : 1,
                                                                        PackedShape<Form>::kMostBlocks)
                                         : 0))>::template run<Form>(pixels, blocks, c, matrix, work, filters,
                                                                    in, oy, ox, totals, sums);
  }
};
template <>
struct AnyTile<0, 0> {
  template <class Form, class In, class Weight>
  static N2D2_INLINE void run(int, int, const PackedFields&, const PackedMatrix<In>&,
                              const PackedWork<In, Weight>&, const PackedFilters<Weight>&, const In*, int,
                              int, const int32_t*, int32_t*) {}
};
template <class Form, class In, class Weight>
N2D2_APART void any_tile(int pixels, int blocks, const PackedFields& c, const PackedMatrix<In>& matrix,
                         const PackedWork<In, Weight>& work, const PackedFilters<Weight>& filters,
                         const In* in, int oy, int ox, const int32_t* totals, int32_t* sums) {
  enum { kMost = PackedShape<Form>::kMost };
  AnyTile<kMost, PackedShape<Form>::blocks_of(kMost, PackedShape<Form>::kMostBlocks)>::template run<Form>(
      pixels, blocks, c, matrix, work, filters, in, oy, ox, totals, sums);
}

template <class C>
struct PackedPiece<C, false> {
  template <class In, class To, class Weight, class Factor>
  static N2D2_APART void run(const C& c, int pixels, const In* in, To to, const Weight* weights,
                             const int32_t* bias, const Factor* factor, int oy, int ox, int first, int end) {
    typedef PackedForm<In> Form;
    enum { kSums = static_cast<int>(kPackedOutputs) * static_cast<int>(Form::kRegisters) };
    In patch[kGatheredBytes];
    int32_t totals[Form::kMostPixels] = {}, sums[kSums];
    PackedWork<In, Weight> work = PackedWork<In, Weight>();
    const PackedMatrix<In> matrix(c, pixels);
    prepare_piece<To>(c, pixels, matrix, in, weights, oy, ox, patch, totals, work);
    const PackedFields fields = packed_fields(c);
    for (int b = first; b < end;) {
      const int blocks = PackedShape<Form>::blocks_of(pixels, end - b), o = b * kPackedOutputs;
      PackedFilters<Weight> filters = work.filters;
      filters.start += b * filters.block;
      any_tile<Form>(pixels, blocks, fields, matrix, work, filters, in, oy, ox, totals, sums);
      for (int p = 0; p < pixels; ++p)
        to.put(c, sums + p * blocks * kPackedOutputs, biases_at(c, bias, oy, ox + p), factor, p, o,
               smaller(blocks * kPackedOutputs, c.out_c - o));
      b += blocks;
    }
  }
};

// The division of a layer's work into pieces.
struct PackedCut {
  int left, tiles, right;  // single pixels [0, left), tiles, single pixels [right, width)
  int width;               // pixels of a row, or of all rows
  int pixels, panels;
  bool flat, panels_first;

  N2D2_INLINE int pieces() const { return left + tiles + width - right; }
};

// `beyond`: windows of these rows are read beyond the end of the input row.
template <class Form, class To, class C>
N2D2_INLINE PackedCut packed_cut(const C& c, Rows rows, bool beyond) {
  const ptrdiff_t weights = static_cast<ptrdiff_t>(c.kernel_h) * packed_row(c) * c.out_c;
  PackedCut cut;
  cut.flat = packed_flat<To>(c);
  cut.width = cut.flat ? rows.count * c.out_w : c.out_w;
  cut.left = cut.flat ? 0 : tiled_from(c);
  cut.right = cut.flat ? cut.width : tiled_until(c, beyond);
  cut.pixels = pixels_of_tile<Form, To>(c);
  cut.tiles = (cut.right - cut.left + cut.pixels - 1) / cut.pixels;
  if (cut.right - cut.left < cut.pixels) cut.tiles = 0, cut.right = cut.left;
  cut.panels_first = !c.ordered && weights > kPanelBytes && cut.width * (cut.flat ? 1 : rows.count) > 1;
  cut.panels = cut.panels_first ? divided_up(packed_blocks(c.out_c), kPackedPanel) : 1;
  return cut;
}

// Computes piece `piece` of a row (or of all rows from oy on) for a panel.
template <class C, class In, class To, class Weight, class Factor>
N2D2_INLINE void packed_part(const C& c, const PackedCut& cut, const In* in, To to, const Weight* weights,
                             const int32_t* bias, const Factor* factor, int oy, int panel, int piece) {
  typedef PackedPiece<C, IsConstant<C>::kYes> Piece;
  const int blocks = packed_blocks(c.out_c);
  const int first = panel * kPackedPanel;
  const int end = cut.panels == 1 ? blocks : smaller(first + kPackedPanel, blocks);
  const int tile = piece - cut.left;
  if (tile >= 0 && tile < cut.tiles) {
    const int next = cut.left + tile * cut.pixels;
    const int ox = smaller(next, cut.right - cut.pixels);
    Piece::run(c, cut.pixels, in, to.at(c, oy, ox, next - ox), weights, bias, factor, oy, ox, first, end);
  } else {
    const int ox = tile < 0 ? piece : cut.right + tile - cut.tiles;
    Piece::run(c, 1, in, to.at(c, oy, ox, 0), weights, bias, factor, oy, ox, first, end);
  }
}

#if defined(_OPENMP)
// Threads wait for each other at the end of each group of rows.
template <class C, class In, class To, class Weight, class Factor>
N2D2_INLINE void packed_rows_parallel(const C& c, Rows rows, const In* in, To to, const Weight* weights,
                                      const int32_t* bias, const Factor* factor, const RowGroups& groups) {
  const PackedCut cut = packed_cut<PackedForm<In>, To>(c, rows, false);
  const int lines = cut.flat ? 1 : rows.count;
  const int pieces = cut.pieces();
#pragma omp parallel
  for (int r = 0, together = 0; r < lines; r += together) {
    together = cut.flat ? 1 : groups.size(r);
#pragma omp for schedule(static)
    for (int i = 0; i < together * cut.panels * pieces; ++i) {
      const int step = i / pieces;
      const int row = cut.panels_first ? step % together : r + step / cut.panels;
      const int panel = cut.panels_first ? step / together : step % cut.panels;
      packed_part(c, cut, in, to, weights, bias, factor, cut.flat ? rows.first : scan(c.bottom_up, row, rows),
                  panel, i % pieces);
    }
  }
}
#endif

template <class C, class In, class To, class Weight, class Factor>
N2D2_INLINE void packed_rows(const C& c, Rows rows, const In* in, To to, const Weight* weights,
                             const int32_t* bias, const Factor* factor) {
#if defined(_OPENMP)
  const int64_t products = static_cast<int64_t>(rows.count) * c.out_w * c.out_c * c.kernel_h * packed_row(c);
  const RowGroups groups = to.groups(c, rows, in);
  if (has_threads(c, groups, products, PackedForm<In>::kRate))
    return packed_rows_parallel(c, rows, in, to, weights, bias, factor, groups);
#endif
  typedef PackedForm<In> Form;
  const PackedCut within = packed_cut<Form, To>(c, rows, false);
  const PackedCut beyond = packed_cut<Form, To>(c, rows, true);
  const int lines = within.flat ? smaller(rows.count, 1) : rows.count;
  for (int panel = 0; panel < within.panels; ++panel)
    for (int r = 0; r < lines; ++r) {
      const int oy = within.flat ? rows.first : scan(c.bottom_up, r, rows);
      const PackedCut& cut = reads_beyond<Form>(c, oy) ? beyond : within;
      for (int piece = 0; piece < cut.pieces(); ++piece)
        packed_part(c, cut, in, to, weights, bias, factor, oy, panel, piece);
    }
}

}  // namespace N2D2_EXPORT_NAMESPACE

#include "ends_variants.hpp"
#include "matrix_variants.hpp"
