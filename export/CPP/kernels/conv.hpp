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
//   groups                   >= 1, divides in_c and out_c; groups of one channel are faster in
//                            conv_depthwise.hpp
//   border_top, border_bottom  leading and trailing rows of the output that have biases of their own: their
//                            windows reach into the padding, where real zero is no integer of the input;
//                            0: there are none
//   border_left, border_right  the same of columns
//   parallel                 1: rows, or if they are ordered the pieces of a row, may run on several threads
//                            (needs OpenMP); 0: one thread
//   packed                   1: weights lie in the order of packed.hpp where N2D2_PACKED is defined
//                            (isa.hpp); 0: never
//   matrix                   1: instructions that multiply matrices may add the products of packed weights
//                            where there are any (kernels.list); 0: never
//   small_factors            1: factors are floats of at most 0.5, so that their products with sums fit 32
//                            bits; 0: they may not be
// Arrays: weights [out_c][kernel_h][kernel_w][in_c / groups], also narrow (narrow.hpp), bias [rows of
// biases][out_c], factor [out_c] or [1] by factor_step. Rows of biases: for each row of the border_top ones,
// for all rows between (if there are any), for each of the border_bottom ones; for each of them the same
// along x. Output must not overlap the input rows that this or a later output row reads. Where the order is
// free, all rows of a panel of outputs come before the next panel if the weights are large (kPanelBytes).
// The input is read in place; only windows of up to kPatchBytes are gathered, where that saves steps.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "conv_parts.hpp"
#include "packed_variants.hpp"
#if defined(N2D2_PACKED_FORM)
#include "conv_packed.hpp"
#endif

namespace N2D2_EXPORT_NAMESPACE {

enum { kPanel = 64 };  // outputs that one pass over the pixels of a row serves
// Largest window that is gathered, whole lines of the cache where it is long; what the patches of a tile may
// take of the stack.
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

// How the work of a layer is cut. A panel is up to kPanel outputs of one group. The pixels of a row are
// `left` single ones, `tiles` tiles of several, and single ones up to the end; the last tile may compute
// pixels again.
struct ConvCut {
  int panels, left, tiles, right;
  bool panels_first;  // all rows of a panel before the next panel
  bool gathered;      // windows are gathered, so that all pixels with the same biases are alike

  N2D2_INLINE int pieces(int out_w) const { return left + tiles + out_w - right; }
};

// True if a gathered window takes fewer steps of the dot product than its runs, by a quarter at least: what
// is less does not pay for the gathering.
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

// Gathers the window of output pixel (ox, oy), zeros where it lies outside; `in` points to the group's first
// channel of pixel 0.
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

// Outputs [first, first + n), n <= kBlock, of P pixels.
template <int P, class C, class In, class To, class Weight, class Sum, class Factor>
N2D2_INLINE void conv_block(const C& c, const Windows<In>& windows, Filters<Weight> filters, To to,
                            const Weight* weights, const Sum* bias, const Factor* factor, int first, int n) {
  typedef Dot<In, Weight, Sum> D;
  Sum sums[P][D::kBlock];
  for (int i = 0; i < n; i += D::kOutputs) {
    filters.start = WeightsIn<Weight>::at(weights, (first + i) * filters.output + filters.skipped);
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
  Filters<Weight> filters = {WeightsIn<Weight>::at(weights, 0), WeightsIn<Weight>::whole(window), 3, 0, 0, 0};
  const Windows<In> windows = place_windows(c, P > 1 || inside_width(c), in, oy, ox, filters);
  conv_outputs<P>(c, windows, filters, to, weights, biases_at(c, bias, oy, ox), factor, first, count);
}
template <int P, class C, class In, class To, class Weight, class Sum, class Factor>
N2D2_APART void conv_gathered(const C& c, const In* in, To to, const Weight* weights, const Sum* bias,
                              const Factor* factor, int oy, int ox, int first, int count) {
  const int group_c = c.in_c / c.groups;
  const int window = c.kernel_h * c.kernel_w * group_c;
  const Filters<Weight> filters = {
      WeightsIn<Weight>::at(weights, 0), WeightsIn<Weight>::whole(window), 3, 0, 0, 0};
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
// One loop over all rows if their order does not matter, else one a group of them, and threads wait for each
// other behind each.
template <class C, class In, class To, class Weight, class Sum, class Factor>
N2D2_INLINE void conv_rows_parallel(const C& c, Rows rows, const In* in, To to, const Weight* weights,
                                    const Sum* bias, const Factor* factor) {
  const ConvCut cut = conv_cut<In, Weight, Sum>(c);
  const int tiles = cut.pieces(c.out_w);
  const RowGroups groups = to.groups(c, rows, in);
#pragma omp parallel
  for (int r = 0, together = 0; r < rows.count; r += together) {
    together = groups.size(r);
#pragma omp for schedule(static)
    for (int i = 0; i < together * cut.panels * tiles; ++i) {
      const int step = i / tiles;
      const int row = cut.panels_first ? step % rows.count : r + step / cut.panels;
      const int panel = cut.panels_first ? step / rows.count : step % cut.panels;
      conv_tile(c, cut, in, to, weights, bias, factor, scan(c.bottom_up, row, rows), panel, i % tiles);
    }
  }
}
#endif

// Whether there are packed weights for elements of these types, and what serves them.
template <class In, class Weight, class Sum>
struct ConvPacked {
  enum { kThere = 0 };
  template <class C>
  static N2D2_INLINE const char* name(const C&) {
    return 0;
  }
  template <class C, class To, class Factor>
  static N2D2_INLINE void run(const C&, Rows, const In*, To, const Weight*, const Sum*, const Factor*) {}
};
#if defined(N2D2_PACKED_FORM)
template <class In>
struct ConvPackedBytes {
  enum { kThere = 1 };
  template <class C>
  static N2D2_INLINE const char* name(const C& c) {
    const char* matrix = PackedMatrix<In>::name(c);
    return matrix ? matrix : PackedForm<In>::name();
  }
  template <class C, class To, class Weight, class Factor>
  static N2D2_INLINE void run(const C& c, Rows rows, const In* in, To to, const Weight* weights,
                              const int32_t* bias, const Factor* factor) {
    packed_rows(c, rows, in, to, weights, bias, factor);
  }
};
template <>
struct ConvPacked<uint8_t, int8_t, int32_t> : ConvPackedBytes<uint8_t> {};
template <>
struct ConvPacked<int8_t, int8_t, int32_t> : ConvPackedBytes<int8_t> {};
template <int kBits, int kOdd>
struct ConvPacked<uint8_t, Narrow<kBits, kOdd>, int32_t> : ConvPackedBytes<uint8_t> {};
template <int kBits, int kOdd>
struct ConvPacked<int8_t, Narrow<kBits, kOdd>, int32_t> : ConvPackedBytes<int8_t> {};
#endif

// Weights in the order of windows, one thread: also a layer within a call that computes several.
template <class C, class In, class To, class Weight, class Sum, class Factor>
N2D2_INLINE void conv_rows_serial(const C& c, Rows rows, const In* in, To to, const Weight* weights,
                                  const Sum* bias, const Factor* factor) {
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

// Weights in the order of windows, on several threads where the layer has them. The cut of each order is a
// variable of its own: what a parallel region shares is no constant to compilers.
template <class C, class In, class To, class Weight, class Sum, class Factor>
N2D2_INLINE void conv_rows_unpacked(const C& c, Rows rows, const In* in, To to, const Weight* weights,
                                    const Sum* bias, const Factor* factor) {
#if defined(_OPENMP)
  if (has_threads(c)) return conv_rows_parallel(c, rows, in, to, weights, bias, factor);
#endif
  conv_rows_serial(c, rows, in, to, weights, bias, factor);
}

template <class C, class In, class To, class Weight, class Sum, class Factor>
N2D2_INLINE void conv_rows(const C& c, Rows rows, const In* in, To to, const Weight* weights, const Sum* bias,
                           const Factor* factor) {
  typedef ConvPacked<In, Weight, Sum> Packed;
  if (Packed::kThere && c.packed) return Packed::run(c, rows, in, to, weights, bias, factor);
  conv_rows_unpacked(c, rows, in, to, weights, bias, factor);
}

// The form that computes a layer: the name of its file, without ending. Nothing is read of what pointers
// point to.
template <class C, class In, class Weight, class Sum>
N2D2_INLINE const char* form_of_conv(const C& c, const In*, const Weight*, const Sum*) {
  typedef ConvPacked<In, Weight, Sum> Packed;
  return Packed::kThere && c.packed ? Packed::name(c) : Dot<In, Weight, Sum>::name();
}
template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE const char* conv2d_form(const C& c, const In* in, const Out*, const Weight* weights,
                                    const Sum* bias, const Factor*) {
  return form_of_conv(c, in, weights, bias);
}

template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE void conv2d(const C& c, Rows rows, const In* in, Out* out, const Weight* weights, const Sum* bias,
                        const Factor* factor) {
  const Stored<Out> to = {out};
  conv_rows(c, rows, in, to, weights, bias, factor);
}

}  // namespace N2D2_EXPORT_NAMESPACE
