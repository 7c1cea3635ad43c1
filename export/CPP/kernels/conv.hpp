// Answers: what does a convolution layer compute, with groups, dilation and any planned buffer?
// Part of an exported project; may be used without condition.
//
// y = rescale(bias[o] + sum over (ky, kx, c) of x * w); padding is zero.
// Config fields, besides those of plane.hpp (in_, out_, bottom_up) and rescale.hpp (lo, hi, shift,
// factor_step):
//   kernel_w, kernel_h       taps; >= 1
//   stride_x, stride_y       input pixels per output pixel; >= 1
//   dilation_x, dilation_y   input pixels from tap to tap; >= 1
//   pad_x, pad_y             zero pixels left and top; right and bottom follow from out_w, out_h
//   groups                   >= 1, divides in_c and out_c; groups of one channel are faster in conv_depthwise.hpp
//   border_top, border_bottom  leading and trailing rows of the output that have biases of their own: those whose windows
//                            reach into the padding, where real zero is no integer of the input; 0: there are none
//   border_left, border_right  the same of columns
//   parallel                 1: rows, or if they are ordered the pieces of a row, may run on several threads (needs
//                            OpenMP); 0: one thread
// Arrays: weights [out_c][kernel_h][kernel_w][in_c / groups], bias [rows of biases][out_c], factor [out_c] or [1] by
// factor_step. Rows of biases: for each row of the border_top ones, for all rows between (if there are any), for each of the
// border_bottom ones; for each of them the same along x. Output must not overlap the input rows that this or a later output
// row reads. Where the order is free, all rows of a panel of outputs come before the next panel if the weights are large
// (kPanelBytes).
// The input is read in place; only windows of up to kPatchBytes are gathered, where that saves steps.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "dot.hpp"
#include "rescale.hpp"
#include "taps.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum { kPanel = 64 };  // outputs that one pass over the pixels of a row serves
// Largest window that is gathered, whole lines of the cache where it is long; what the patches of a tile may take of the
// stack.
#if defined(N2D2_ISA_AVX512_VNNI)
enum { kPatchBytes = 448, kPatchStack = 2048 };
#else
enum { kPatchBytes = N2D2_VECTOR == 32 ? 64 : 32, kPatchStack = kStackBytes / 2 };
#endif
// Patches of a tile that lie on the stack at once.
enum { kPatchesAtOnce = N2D2_VECTOR == 32 ? 4 : 1 };

// Whether a window of so many elements may be gathered.
template <class In>
N2D2_INLINE constexpr bool fits_patch(int window) {
  return window <= kPatchBytes / static_cast<int>(sizeof(In));
}

// A gathered window.
template <class In>
struct Patch {
  enum { kElements = kPatchBytes / sizeof(In) };
  In values[kElements];

  static_assert(fits_patch<In>(sizeof(values) / sizeof(In)) &&
                    !fits_patch<In>(sizeof(values) / sizeof(In) + 1),
                "what may be gathered is as long as a patch");
  static_assert(kPatchBytes % sizeof(In) == 0, "kPatchBytes holds whole elements");
  static_assert(static_cast<int>(kPatchesAtOnce) * kPatchBytes <= static_cast<int>(kPatchStack),
                "the patches of a tile stay within their share of the stack");
};

// True if no window leaves the width, or the height.
template <class C>
N2D2_INLINE bool inside_width(const C& c) {
  return c.pad_x == 0 && (c.out_w - 1) * c.stride_x + (c.kernel_w - 1) * c.dilation_x < c.in_w;
}
template <class C>
N2D2_INLINE bool inside_height(const C& c) {
  return c.pad_y == 0 && (c.out_h - 1) * c.stride_y + (c.kernel_h - 1) * c.dilation_y < c.in_h;
}

// Which of `first` leading ones, all between, and `last` trailing ones of `size` outputs along an axis is output i?
N2D2_INLINE int kind_of(int i, int size, int first, int last) {
  const int between = size - first - last;
  return i < first ? i : (i < first + between ? first : i - between + (between > 0));
}

// Where the biases of pixel (x, y) begin.
template <class C, class Sum>
N2D2_INLINE const Sum* biases_at(const C& c, const Sum* bias, int y, int x) {
  if (c.border_top + c.border_bottom + c.border_left + c.border_right == 0) return bias;
  const int columns = kind_of(c.out_w - 1, c.out_w, c.border_left, c.border_right) + 1;
  const int row = kind_of(y, c.out_h, c.border_top, c.border_bottom);
  const int column = kind_of(x, c.out_w, c.border_left, c.border_right);
  return bias + static_cast<ptrdiff_t>(row * columns + column) * c.out_c;
}

// What becomes of the outputs of a pixel: they are rescaled and stored. conv_sum.hpp has another form.
template <class Out>
struct Stored {
  Out* out;

  // Of pixel (x, y) and those behind it; the first `again` of them come a second time.
  template <class C>
  N2D2_INLINE Stored at(const C& c, int y, int x, int) const {
    const Plane dst = out_plane(c);
    const Stored s = {out + dst.row_at(y) + dst.pixel_at(x)};
    return s;
  }
  // From `pixels` pixels on.
  template <class C>
  N2D2_INLINE Stored behind(const C& c, int pixels) const {
    const Stored s = {out + out_plane(c).pixel_at(pixels)};
    return s;
  }
  // Outputs [first, first + n) of pixel `pixel` of them, of their sums, which are lost, and biases.
  template <class C, class Sum, class Factor>
  N2D2_INLINE void put(const C& c, Sum* sums, const Sum* bias, const Factor* factor, int pixel, int first,
                       int n) const {
    rescale_biased(c, sums, bias + first, factor + first * c.factor_step, n,
                   out + out_plane(c).pixel_at(pixel) + first);
  }
};

// How the work of a layer is cut. A panel is up to kPanel outputs of one group. The pixels of a row are `left` single
// ones, `tiles` tiles of several, and single ones up to the end; the last tile may compute pixels again.
struct ConvCut {
  int panels, left, tiles, right;
  bool panels_first;  // all rows of a panel before the next panel
  bool gathered;      // windows are gathered, so that all pixels with the same biases are alike

  N2D2_INLINE int pieces(int out_w) const { return left + tiles + out_w - right; }
};

// True if a gathered window takes fewer steps of the dot product than its runs, by a quarter at least: what is less does not
// pay for the gathering.
template <class D>
N2D2_INLINE bool saves_steps(int runs, int run, int window) {
  enum { kStep = D::kStep == 0 ? 1 : D::kStep };
  return 3 * runs * ((run + kStep - 1) / kStep) > 4 * ((window + kStep - 1) / kStep);
}

template <class In, class Weight, class Sum, class C>
N2D2_INLINE ConvCut conv_cut(const C& c) {
  typedef Dot<In, Weight, Sum> D;
  const int group_c = c.in_c / c.groups;
  const int group_o = c.out_c / c.groups;
  const int window = c.kernel_h * c.kernel_w * group_c;
  const ptrdiff_t weights = static_cast<ptrdiff_t>(c.out_c) * window;
  const bool rows_are_runs = c.dilation_x == 1 && c.in_pixel == group_c;
  const int run = rows_are_runs ? c.kernel_w * group_c : group_c;
  ConvCut cut;
  cut.panels = c.groups * ((group_o + kPanel - 1) / kPanel);
  cut.panels_first = !c.ordered && weights * static_cast<ptrdiff_t>(sizeof(Weight)) > kPanelBytes;
  cut.gathered = run < window && fits_patch<In>(window) &&
                 (D::kStep == 0 ? run < D::kShort : saves_steps<D>(window / run, run, window));
  const int reach = c.in_w - 1 - (c.kernel_w - 1) * c.dilation_x + c.pad_x;
  cut.left = cut.gathered ? c.border_left : smaller((c.pad_x + c.stride_x - 1) / c.stride_x, c.out_w);
  cut.right =
      cut.gathered ? c.out_w - c.border_right : (reach < 0 ? 0 : smaller(reach / c.stride_x + 1, c.out_w));
  const int alike = cut.right - cut.left;
  if (alike < D::kPixels || D::kPixels == 1) {
    cut.tiles = 0, cut.right = cut.left;
  } else {
    const int rest = alike % D::kPixels;
    cut.tiles = alike / D::kPixels + (rest > 1);
    cut.right -= rest == 1;
  }
  return cut;
}

// A patch and the input never overlap; g++ copies a constant number of bytes in a few moves.
template <class T>
N2D2_INLINE void copy_elements(const T* from, int n, T* to) {
#if defined(__GNUC__)
  __builtin_memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
#else
  for (int i = 0; i < n; ++i) to[i] = from[i];
#endif
}

// Gathers the window of output pixel (ox, oy), zeros where it lies outside; `in` points to the group's first channel of
// pixel 0.
template <class C, class In>
N2D2_APART void gather_window(const C& c, const In* in, int oy, int ox, int group_c, In* patch) {
  const Plane src = in_plane(c);
  const int x0 = ox * c.stride_x - c.pad_x;
  const bool whole = x0 >= 0 && x0 + (c.kernel_w - 1) * c.dilation_x < src.w;
  const bool run = c.dilation_x == 1 && src.pixel == group_c;
  for (int ky = 0; ky < c.kernel_h; ++ky) {
    const int y = oy * c.stride_y - c.pad_y + ky * c.dilation_y;
    const bool row_inside = y >= 0 && y < src.h;
    const In* row = in + (row_inside ? src.row_at(y) : 0);
    if (row_inside && whole && run) {
      copy_elements(row + src.pixel_at(x0), c.kernel_w * group_c, patch);
      patch += c.kernel_w * group_c;
    } else {
      for (int kx = 0; kx < c.kernel_w; ++kx, patch += group_c) {
        const int x = x0 + kx * c.dilation_x;
        const bool pixel_inside = row_inside && x >= 0 && x < src.w;
        const In* from = row + (pixel_inside ? src.pixel_at(x) : 0);
        for (int i = 0; i < group_c; ++i) patch[i] = pixel_inside ? from[i] : static_cast<In>(0);
      }
    }
  }
}

// The windows of pixels from ox on of row oy, and in `filters` what belongs to them. `whole`: they are inside the
// width.
template <class C, class In, class Weight>
N2D2_INLINE Windows<In> place_windows(const C& c, bool whole, const In* in, int oy, int ox,
                                      Filters<Weight>& filters) {
  const Plane src = in_plane(c);
  const int group_c = c.in_c / c.groups;
  const int y0 = oy * c.stride_y - c.pad_y;
  const int x0 = ox * c.stride_x - c.pad_x;
  const Inside all_y = {0, c.kernel_h}, all_x = {0, c.kernel_w};
  const Inside ky = inside_height(c) ? all_y : inside(y0, c.kernel_h, c.dilation_y, src.h);
  const Inside kx = whole ? all_x : inside(x0, c.kernel_w, c.dilation_x, src.w);
  const bool any = ky.first < ky.end && kx.first < kx.end;
  const bool run = c.dilation_x == 1 && src.pixel == group_c;
  const int y = any ? y0 + ky.first * c.dilation_y : 0;
  const int x = any ? x0 + kx.first * c.dilation_x : 0;
  const int taps = kx.end - kx.first;
  filters.skipped = (ky.first * c.kernel_w + kx.first) * group_c;
  filters.row = c.kernel_w * group_c, filters.tap = group_c;
  Windows<In> w;
  w.start = in + src.row_at(y) + src.pixel_at(x);
  w.pixel = c.stride_x * src.pixel;
  w.rows = any ? ky.end - ky.first : 0;
  w.taps = run ? 1 : taps;
  w.run = run ? taps * group_c : group_c;
  w.row = c.dilation_y * src.row, w.tap = c.dilation_x * src.pixel;
  w.ring = src.ring, w.position = src.position(y), w.step = c.dilation_y, w.turn = src.turn;
  // Rows that follow each other without a gap are one run.
  if (run && taps == c.kernel_w && src.row == c.kernel_w * group_c && src.ring == 0 && c.dilation_y == 1)
    w.run *= w.rows, w.rows = any;
  return w;
}

// One run of k elements; of several windows one every `pixel` elements.
template <class In>
N2D2_INLINE Windows<In> one_run(const In* start, int k, ptrdiff_t pixel) {
  const Windows<In> w = {start, pixel, 1, 1, k, 0, 0, 0, 0, 0, 0};
  return w;
}

// Outputs [first, first + n), n <= kBlock, of P pixels.
template <int P, class C, class In, class To, class Weight, class Sum, class Factor>
N2D2_INLINE void conv_block(const C& c, const Windows<In>& windows, Filters<Weight> filters, To to,
                            const Weight* weights, const Sum* bias, const Factor* factor, int first, int n) {
  typedef Dot<In, Weight, Sum> D;
  Sum sums[P][D::kBlock];
  for (int i = 0; i < n; i += D::kOutputs) {
    filters.start = weights + (first + i) * filters.output + filters.skipped;
    filters.last = n - i - 1;
    D::template tile<P>(windows, filters, &sums[0][i], D::kBlock);
  }
  for (int p = 0; p < P; ++p) to.put(c, sums[p], bias, factor, p, first, n);
}

// Outputs [first, first + count) of one group for P pixels.
template <int P, class C, class In, class To, class Weight, class Sum, class Factor>
N2D2_INLINE void conv_outputs(const C& c, Windows<In> windows, const Filters<Weight>& filters, To to,
                              const Weight* weights, const Sum* bias, const Factor* factor, int first,
                              int count) {
  enum { kBlock = Dot<In, Weight, Sum>::kBlock };
  const int end = first + count;
  const int whole = end - count % kBlock;
  for (int o = first; o < whole; o += kBlock) {
    N2D2_OPAQUE(windows.start);
    conv_block<P>(c, windows, filters, to, weights, bias, factor, o, kBlock);
  }
  if (whole < end) conv_block<P>(c, windows, filters, to, weights, bias, factor, whole, end - whole);
}

// Outputs [first, first + count), count <= kPanel, of one group for P pixels of row oy from ox on.
template <int P, class C, class In, class To, class Weight, class Sum, class Factor>
N2D2_APART void conv_in_place(const C& c, const In* in, To to, const Weight* weights, const Sum* bias,
                              const Factor* factor, int oy, int ox, int first, int count) {
  const int window = c.kernel_h * c.kernel_w * (c.in_c / c.groups);
  Filters<Weight> filters = {weights, window, 3, 0, 0, 0};
  const Windows<In> windows = place_windows(c, P > 1 || inside_width(c), in, oy, ox, filters);
  conv_outputs<P>(c, windows, filters, to, weights, biases_at(c, bias, oy, ox), factor, first, count);
}
template <int P, class C, class In, class To, class Weight, class Sum, class Factor>
N2D2_APART void conv_gathered(const C& c, const In* in, To to, const Weight* weights, const Sum* bias,
                              const Factor* factor, int oy, int ox, int first, int count) {
  const int group_c = c.in_c / c.groups;
  const int window = c.kernel_h * c.kernel_w * group_c;
  const Filters<Weight> filters = {weights, window, 3, 0, 0, 0};
  static_assert(P <= static_cast<int>(kPatchesAtOnce), "no more patches than the stack has room for");
  Patch<In> patches[P];
  for (int p = 0; p < P; ++p) gather_window(c, in, oy, ox + p, group_c, patches[p].values);
  conv_outputs<P>(c, one_run<In>(patches[0].values, window, Patch<In>::kElements), filters, to, weights,
                  biases_at(c, bias, oy, ox), factor, first, count);
}

template <int P, class C, class In, class To, class Weight, class Sum, class Factor>
N2D2_INLINE void conv_piece(const C& c, bool gathered, const In* in, To to, const Weight* weights,
                            const Sum* bias, const Factor* factor, int oy, int ox, int first, int count) {
  const In* base = in + first / (c.out_c / c.groups) * (c.in_c / c.groups);
  enum { kTogether = P < static_cast<int>(kPatchesAtOnce) ? P : static_cast<int>(kPatchesAtOnce) };
  if (gathered)
    for (int p = 0; p < P; p += kTogether)
      conv_gathered<kTogether>(c, base, to.behind(c, p), weights, bias, factor, oy, ox + p, first, count);
  else
    conv_in_place<P>(c, base, to, weights, bias, factor, oy, ox, first, count);
}

// Piece `piece` of row oy of a panel of outputs.
template <class C, class In, class To, class Weight, class Sum, class Factor>
N2D2_INLINE void conv_tile(const C& c, const ConvCut& cut, const In* in, To to, const Weight* weights,
                           const Sum* bias, const Factor* factor, int oy, int panel, int piece) {
  enum { kPixels = Dot<In, Weight, Sum>::kPixels };
  const int group_o = c.out_c / c.groups;
  const int panels = (group_o + kPanel - 1) / kPanel;
  const int in_group = panel % panels * kPanel;
  const int first = panel / panels * group_o + in_group;
  const int count = smaller(kPanel, group_o - in_group);
  const int tile = piece - cut.left;
  if (tile >= 0 && tile < cut.tiles) {
    const int next = cut.left + tile * kPixels;
    const int ox = smaller(next, cut.right - kPixels);
    conv_piece<kPixels>(c, cut.gathered, in, to.at(c, oy, ox, next - ox), weights, bias, factor, oy, ox,
                        first, count);
  } else {
    const int ox = tile < 0 ? piece : cut.right + tile - cut.tiles;
    conv_piece<1>(c, cut.gathered, in, to.at(c, oy, ox, 0), weights, bias, factor, oy, ox, first, count);
  }
}

#if defined(_OPENMP)
// One parallel region for all rows if their order does not matter, else one a row.
template <class C, class In, class To, class Weight, class Sum, class Factor>
N2D2_INLINE void conv_rows_parallel(const C& c, Rows rows, const In* in, To to, const Weight* weights,
                                    const Sum* bias, const Factor* factor) {
  const ConvCut cut = conv_cut<In, Weight, Sum>(c);
  const int tiles = cut.pieces(c.out_w);
  const int together = c.ordered ? 1 : rows.count;
  for (int r = 0; r < rows.count; r += together) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < together * cut.panels * tiles; ++i) {
      const int step = i / tiles;
      const int row = cut.panels_first ? step % rows.count : r + step / cut.panels;
      const int panel = cut.panels_first ? step / rows.count : step % cut.panels;
      conv_tile(c, cut, in, to, weights, bias, factor, scan(c.bottom_up, row, rows), panel, i % tiles);
    }
  }
}
#endif

// The cut of each order is a variable of its own: what a parallel region shares is no constant to compilers.
template <class C, class In, class To, class Weight, class Sum, class Factor>
N2D2_INLINE void conv_rows(const C& c, Rows rows, const In* in, To to, const Weight* weights, const Sum* bias,
                           const Factor* factor) {
#if defined(_OPENMP)
  if (c.parallel) return conv_rows_parallel(c, rows, in, to, weights, bias, factor);
#endif
  const ConvCut cut = conv_cut<In, Weight, Sum>(c);
  const int tiles = cut.pieces(c.out_w);
  const int outer = cut.panels_first ? cut.panels : rows.count;
  const int inner = cut.panels_first ? rows.count : cut.panels;
  for (int a = 0; a < outer; ++a)
    for (int b = 0; b < inner; ++b)
      for (int tile = 0; tile < tiles; ++tile)
        conv_tile(c, cut, in, to, weights, bias, factor, scan(c.bottom_up, cut.panels_first ? b : a, rows),
                  cut.panels_first ? a : b, tile);
}

template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE void conv2d(const C& c, Rows rows, const In* in, Out* out, const Weight* weights, const Sum* bias,
                        const Factor* factor) {
  const Stored<Out> to = {out};
  conv_rows(c, rows, in, to, weights, bias, factor);
}

}  // namespace N2D2_EXPORT_NAMESPACE
