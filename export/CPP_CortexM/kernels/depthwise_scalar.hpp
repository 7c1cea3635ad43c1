// Answers: what does a depthwise convolution of 3 x 3 compute on a core without DSP instructions?
// Part of an exported project; may be used without condition.
//
// y = rescale(bias[c] + sum over (ky, kx) of x[c] * w), as conv_depthwise.hpp; elements have 8 bits. Config
// fields: those of conv.hpp without packed, matrix and small_factors. kernel_w = kernel_h = 3, dilation 1,
// out_c = in_c = groups, no biases at borders; bounds are those of the output's type.
// Arrays: weights [out_c][3][3], bias [out_c], factor [out_c], floats or int32_t.
// Scratch: none. Stack: at most 250 bytes.
#pragma once

#include "depthwise_two_scalar.hpp"
#include "window_scalar.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// The arrays of a depthwise convolution.
template <class Factor>
struct ScalarChannels {
  const int8_t* weights;
  const int32_t* bias;
  const Factor* factor;
};

// Inputs of some rows and columns of a window, of channel 0; one row after the other where they are fewer
// than three.
template <class In>
struct ScalarRows {
  const In* row[3];
};

#if defined(N2D2_ISA_THUMB)

// One pixel, all channels, from the rows and the columns [kFirst, kLast] of its window. The weights begin
// with those of its first row.
template <int kRows, int kFirst, int kLast, class In, class Out, class Factor>
N2D2_APART void depthwise_one(const ConvWindow& w, const ScalarRows<In>& rows, ScalarChannels<Factor> l,
                              Out* out) {
  const ptrdiff_t pixel = w.in.pixel, two = 2 * pixel;
  const In *a = rows.row[0], *b = rows.row[1], *c = rows.row[2];
  for (Out* const end = out + w.in.c; out != end; ++out) {
    int32_t s = *l.bias++;
    if (kLast == 2) s += a[two] * l.weights[2];
    s += a[pixel] * l.weights[1];
    if (kFirst == 0) s += a[0] * l.weights[0];
    if (kLast == 2) s += b[two] * l.weights[5];
    s += b[pixel] * l.weights[4];
    if (kFirst == 0) s += b[0] * l.weights[3];
    ++a, ++b;
    if (kRows == 3) {
      if (kLast == 2) s += c[two] * l.weights[8];
      s += c[pixel] * l.weights[7];
      if (kFirst == 0) s += c[0] * l.weights[6];
      ++c;
    }
    l.weights += 9;
    End<Factor>::of(w, *l.factor++).put(s, out);
  }
}

// Adds three taps of one row to two pixels that are kStride apart.
template <int kStride, class In>
N2D2_INLINE void add_two(const In* x, ptrdiff_t pixel, const int8_t* weights, int32_t& s, int32_t& t) {
  const int32_t w0 = weights[0], w1 = weights[1], w2 = weights[2], x1 = x[pixel], x2 = x[2 * pixel];
  s += x[0] * w0 + x1 * w1 + x2 * w2;
  if (kStride == 1)
    t += x1 * w0 + x2 * w1 + x[3 * pixel] * w2;
  else
    t += x2 * w0 + x[3 * pixel] * w1 + x[4 * pixel] * w2;
}

// Two pixels beside each other, all channels, whole in width.
template <int kRows, int kStride, class In, class Out, class Factor>
N2D2_APART void depthwise_two(const ConvWindow& w, const ScalarRows<In>& rows, ScalarChannels<Factor> l,
                              Out* out) {
#if N2D2_LONG_PRODUCT
  if (End<Factor>::is_stored(w)) {
    const ptrdiff_t to_factor =
        reinterpret_cast<const uint8_t*>(l.factor) - reinterpret_cast<const uint8_t*>(l.bias + 1);
    const ScalarTwo<In, Out, Factor> two = {{rows.row[0], rows.row[1], kRows == 3 ? rows.row[2] : 0},
                                            static_cast<int>(w.in.pixel),
                                            l.weights,
                                            l.bias,
                                            out,
                                            static_cast<int>(w.out.pixel),
                                            static_cast<int>(to_factor),
                                            l.bias + w.in.c,
                                            {0, 0}};
    return two_by_assembly<kStride>(w, two);
  }
#endif
  const ptrdiff_t pixel = w.in.pixel;
  const In *a = rows.row[0], *b = rows.row[1], *c = rows.row[2];
  for (Out* const end = out + w.in.c; out != end; ++out) {
    int32_t s = *l.bias++, t = s;
    add_two<kStride>(a++, pixel, l.weights, s, t);
    add_two<kStride>(b++, pixel, l.weights + 3, s, t);
    if (kRows == 3) add_two<kStride>(c++, pixel, l.weights + 6, s, t);
    l.weights += 9;
    const End<Factor> e = End<Factor>::of(w, *l.factor++);
    e.put(s, out), e.put(t, out + w.out.pixel);
  }
}

// The pixels of a row whose windows have kRows rows inside.
template <int kRows, class In, class Out, class Factor>
N2D2_APART void depthwise_rows(const ConvWindow& w, ScalarRows<In> rows, const ScalarChannels<Factor>& l,
                               Out* out) {
  const ptrdiff_t step = w.stride_x * w.in.pixel;
  for (int r = 0; r < kRows; ++r) rows.row[r] -= w.pad_x * w.in.pixel;
  int ix = -w.pad_x;
  for (int x = 0; x < w.out.w;) {
    int done = 1;
    if (ix < 0)
      depthwise_one<kRows, 1, 2>(w, rows, l, out);
    else if (ix + 3 > w.in.w)
      depthwise_one<kRows, 0, 1>(w, rows, l, out);
    else if (w.stride_x <= 2 && x + 1 < w.out.w && ix + w.stride_x + 3 <= w.in.w)
      w.stride_x == 1 ? depthwise_two<kRows, 1>(w, rows, l, out) : depthwise_two<kRows, 2>(w, rows, l, out),
          done = 2;
    else
      depthwise_one<kRows, 0, 2>(w, rows, l, out);
    x += done, ix += done * w.stride_x, out += done * w.out.pixel;
    for (int r = 0; r < kRows; ++r) rows.row[r] += done * step;
  }
}

#endif

// A pixel with any window; the plain reader.
template <class In, class Out, class Factor>
N2D2_APART void depthwise_pixel_scalar(const ConvWindow& w, const In* in, Out* out,
                                       const ScalarChannels<Factor>& l, int y, int x) {
  for (int c = 0; c < w.in.c; ++c) {
    int32_t s = l.bias[c];
    for (int t = 0; t < 9; ++t) {
      const int iy = y * w.stride_y - w.pad_y + t / 3, ix = x * w.stride_x - w.pad_x + t % 3;
      if (iy >= 0 && iy < w.in.h && ix >= 0 && ix < w.in.w)
        s += in[w.in.row_at(iy) + w.in.pixel_at(ix) + c] * l.weights[9 * c + t];
    }
    out[c] = rescale<Out>(w, s, l.factor[c]);
  }
}

// One row of the output.
template <class In, class Out, class Factor>
N2D2_APART void depthwise_row_scalar(const ConvWindow& w, const In* in, Out* out, ScalarChannels<Factor> l,
                                     int y) {
#if defined(N2D2_ISA_THUMB)
  const int top = y * w.stride_y - w.pad_y;
  ScalarRows<In> rows = {{in, in, in}};
  int inside = 0, first = 0;
  for (int k = 0; k < 3; ++k) {
    if (top + k < 0 || top + k >= w.in.h) continue;
    if (inside == 0) first = k;
    rows.row[inside++] = in + w.in.row_at(top + k);
  }
  // Two columns of each window are inside at least.
  if (inside >= 2 && w.in.w >= 2 && w.pad_x <= 1 && (w.out.w - 1) * w.stride_x - w.pad_x + 2 <= w.in.w) {
    l.weights += 3 * first;
    return inside == 3 ? depthwise_rows<3>(w, rows, l, out) : depthwise_rows<2>(w, rows, l, out);
  }
#endif
  for (int x = 0; x < w.out.w; ++x) depthwise_pixel_scalar(w, in, out + w.out.pixel_at(x), l, y, x);
}

template <class C, class In, class Out, class Factor>
N2D2_INLINE void depthwise_scalar(const C& c, Rows rows, const In* in, Out* out, const int8_t* weights,
                                  const int32_t* bias, const Factor* factor) {
  const ConvWindow& w = ScalarWindow<C>::of(c);
  const ScalarChannels<Factor> l = {weights, bias, factor};
  for (int r = 0; r < rows.count; ++r) {
    const int y = scan(w.bottom_up, r, rows);
    depthwise_row_scalar(w, in, out + w.out.row_at(y), l, y);
  }
}

}  // namespace N2D2_EXPORT_NAMESPACE
