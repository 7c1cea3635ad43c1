// Each kernel in layers of all kinds, as an exported project calls it; compiled by stack_test.py, never run.
#include "argmax.hpp"
#include "concat.hpp"
#include "conv.hpp"
#include "conv_depthwise.hpp"
#include "depth_to_space.hpp"
#include "extreme.hpp"
#include "fc.hpp"
#include "function.hpp"
#include "layer_norm.hpp"
#include "leaky.hpp"
#include "log_softmax.hpp"
#include "lrn.hpp"
#include "matmul.hpp"
#include "padding.hpp"
#include "partial_sums.hpp"
#include "pool.hpp"
#include "prelu.hpp"
#include "product.hpp"
#include "recurrent.hpp"
#include "requantize.hpp"
#include "reshape.hpp"
#include "resize.hpp"
#include "scaling.hpp"
#include "softmax.hpp"
#include "table.hpp"
#include "threshold.hpp"
#include "transpose.hpp"

namespace kernels = N2D2_EXPORT_NAMESPACE;

// Input of H x W x C, output of O channels, window K x K with stride S, dilation D and P pixels around; `Gap`
// elements between pixels, rings of `Ring` rows.
template <int H, int W, int C, int O, int K, int S = 1, int P = 0, int D = 1, int Groups = 1, int Gap = 0,
          int Ring = 0>
struct Layer {
  static constexpr int in_w = W, in_h = H, in_c = C, in_pixel = C + Gap, in_row = W * in_pixel,
                       in_ring = Ring, in_first = Ring / 2, in_turn = Ring * in_row;
  static constexpr int out_w = (W + 2 * P - D * (K - 1) - 1) / S + 1,
                       out_h = (H + 2 * P - D * (K - 1) - 1) / S + 1, out_c = O, out_pixel = O + Gap,
                       out_row = out_w * out_pixel, out_ring = Ring, out_first = Ring / 2,
                       out_turn = Ring * out_row;
  static constexpr int bottom_up = 0, ordered = 1, lo = 0, hi = 100, shift = 20, factor_step = 1,
                       parallel = 0;
  static constexpr int kernel_w = K, kernel_h = K, pool_w = K, pool_h = K, stride_x = S, stride_y = S;
  static constexpr int before = 2, after = 2;
  static constexpr float k = 1;
  static constexpr int dilation_x = D, dilation_y = D, pad_x = P, pad_y = P, groups = Groups, count_zeros = 0;
  static constexpr int border_top = 0, border_bottom = 0, border_left = 0, border_right = 0, packed = 0,
                       matrix = 0, whole_rows = 1, small_factors = 0;
  static constexpr int out_offset = 0, left = 1, top = 1, threshold = 0, multiplier = 3, is_signed = 0;
  static constexpr int above = 64, below = 21, keeps_above = 0, keeps_below = 1;
  static constexpr int by_count = P > 0, counted_x = 0, counted_y = 0, counted_w = W, counted_h = H;
  static constexpr int entries = 256, table_step = 0, group = C, is_fixed = 0, function = 3;
  static constexpr int transposed = P, depth = C, centered = 1;
  static constexpr float epsilon = 1e-5f;
  static constexpr int block_w = 2, block_h = 2, of_row = 20, of_column = 10, of_channel = 1, channel_is = 2,
                       row_is = 0, column_is = 1;
  static constexpr float factor = 0.5f, alpha = 1.0f, beta = 0.5f;
};
// A recurrent layer of 16 units in both directions.
template <int Cell, int Linear>
struct Steps : Layer<20, 1, 24, 32, 1> {
  static constexpr int cell = Cell, hidden = 16, directions = 2, reverse = 0, linear = Linear, last_step = 0;
};
// The convolution L with biases of their own along the edges, which P pixels of padding reach.
template <class L>
struct Bordered : L {
  static constexpr int border_top = 1, border_bottom = 1, border_left = 1, border_right = 1;
};
template <int H, int W, int C, int K, int S = 1, int P = 0, int Gap = 0, int Ring = 0>
struct Pool : Layer<H, W, C, C, K, S, P, 1, 1, Gap, Ring> {
  static constexpr int factor_step = 0;
};
// Rows and bounds known at run time only.
template <class L>
struct Free : L {
  int bottom_up, ordered;
};

#define N2D2_LAYER __attribute__((noinline)) void

struct Arrays {
  const void *in, *weights, *bias, *factor;
  void* out;
};
template <class T>
const T* as(const void* p) {
  return static_cast<const T*>(p);
}
template <class T>
T* as(void* p) {
  return static_cast<T*>(p);
}

template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_LAYER conv(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::conv2d(c, rows, as<In>(a.in), as<Out>(a.out), as<Weight>(a.weights), as<Sum>(a.bias),
                  as<Factor>(a.factor));
}
template <class C, class In>
N2D2_LAYER conv_sums(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::conv2d_sums(c, rows, as<In>(a.in), as<int32_t>(a.out), as<int8_t>(a.weights));
}
template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_LAYER depthwise(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::conv2d_depthwise(c, rows, as<In>(a.in), as<Out>(a.out), as<Weight>(a.weights), as<Sum>(a.bias),
                            as<Factor>(a.factor));
}
template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_LAYER connected(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::fc(c, rows, as<In>(a.in), as<Out>(a.out), as<Weight>(a.weights), as<Sum>(a.bias),
              as<Factor>(a.factor));
}
template <class C, class In>
N2D2_LAYER connected_sums(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::fc_sums(c, rows, as<In>(a.in), as<int32_t>(a.out), as<int8_t>(a.weights));
}
template <class C, class Out, class Factor>
N2D2_LAYER requantized(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::requantize(c, rows, as<int32_t>(a.in), as<Out>(a.out), as<int32_t>(a.bias), as<Factor>(a.factor));
}
template <class C, class T, class Factor>
N2D2_LAYER pools(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::average_pool(c, rows, as<T>(a.in), as<T>(a.out), as<Factor>(a.factor));
}
template <class C, class T, class Factor>
N2D2_LAYER by_rows(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::average_pool_sums(c, rows, as<T>(a.in), as<int32_t>(a.out));
  kernels::requantize(c, rows, as<int32_t>(a.in), as<T>(a.out), as<Factor>(a.factor));
}
template <class C, class T>
N2D2_LAYER largest(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::max_pool(c, rows, as<T>(a.in), as<T>(a.out));
}
template <class C, class T, class Factor>
N2D2_LAYER scaled(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::scaling(c, rows, as<T>(a.in), as<T>(a.out), as<Factor>(a.factor));
}
template <class C, class T, class Factor>
N2D2_LAYER leaks(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::leaky(c, rows, as<T>(a.in), as<T>(a.out), as<Factor>(a.factor));
}
template <class C, class T>
N2D2_LAYER summed(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::sum(c, rows, as<T>(a.out), kernels::operand(c, as<T>(a.in)), kernels::operand(c, as<T>(a.weights)),
               kernels::operand(c, as<T>(a.bias)));
}
template <class C, class T, class Factor>
N2D2_LAYER shares(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::softmax_map(c, rows, as<T>(a.in), as<T>(a.out), as<Factor>(a.factor), as<int32_t>(a.bias));
  kernels::lrn(c, rows, as<T>(a.in), as<T>(a.out), as<Factor>(a.factor), as<int32_t>(a.bias));
}
template <class C, class T, class Factor>
N2D2_LAYER logarithms(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::log_softmax(c, rows, as<T>(a.in), as<T>(a.out), as<Factor>(a.factor), as<int32_t>(a.bias),
                       as<int32_t>(a.weights));
}
template <class T>
struct OfSequence {
  typedef int8_t Weight;
  typedef int32_t Gate;
};
template <>
struct OfSequence<float> {
  typedef float Weight, Gate;
};
template <class C, class T, class Factor>
N2D2_LAYER sequences(const C& c, kernels::Rows rows, const Arrays& a) {
  typedef typename OfSequence<T>::Weight Weight;
  kernels::recurrent(c, rows, as<T>(a.in), as<T>(a.out), as<Factor>(a.factor), as<Weight>(a.weights),
                     as<Weight>(a.weights) + c.in_c, as<typename OfSequence<T>::Gate>(a.bias), a.out);
}
template <class T>
struct TermOf {
  typedef int32_t type;
};
template <>
struct TermOf<float> {
  typedef float type;
};
template <class C, class T, class Factor>
N2D2_LAYER normalized(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::layer_norm(c, rows, as<T>(a.in), as<T>(a.out), as<Factor>(a.factor),
                      as<typename TermOf<T>::type>(a.bias));
}
template <class C, class T>
N2D2_LAYER matrices(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::matmul(c, rows, as<T>(a.out), kernels::operand(c, as<T>(a.in)),
                  kernels::operand(c, as<T>(a.weights)));
}
template <class C, class T, class Factor>
N2D2_LAYER resized(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::resize_linear(c, rows, as<T>(a.in), as<T>(a.out), as<Factor>(a.factor), as<int32_t>(a.bias),
                         as<int32_t>(a.weights), as<int32_t>(a.bias), as<int32_t>(a.weights));
}
template <class C, class T>
N2D2_LAYER multiplied(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::product(c, rows, as<T>(a.out), kernels::operand(c, as<T>(a.in)),
                   kernels::operand(c, as<T>(a.weights)));
}
template <class C, class T>
N2D2_LAYER chosen(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::maximum(c, rows, as<T>(a.out), kernels::operand(c, as<T>(a.in)),
                   kernels::operand(c, as<T>(a.weights)));
  kernels::minimum(c, rows, as<T>(a.out), kernels::operand(c, as<T>(a.in)),
                   kernels::operand(c, as<T>(a.weights)));
}
template <class C, class T>
N2D2_LAYER picked(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::resize_nearest(c, rows, as<T>(a.in), as<T>(a.out), as<int32_t>(a.bias), as<int32_t>(a.weights));
}
template <class C, class T>
N2D2_LAYER looked_up(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::look_up(c, rows, as<T>(a.in), as<T>(a.out), as<T>(a.weights));
}
template <class C>
N2D2_LAYER functions(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::function(c, rows, as<float>(a.in), as<float>(a.out));
  kernels::prelu(c, rows, as<float>(a.in), as<float>(a.out), as<float>(a.weights));
  kernels::threshold(c, rows, as<float>(a.in), as<float>(a.out));
}
template <class C, class T>
N2D2_LAYER moved(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::concat_part(c, rows, as<T>(a.in), as<T>(a.out));
}
template <class C, class T>
N2D2_LAYER padded(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::pad_map(c, rows, as<T>(a.in), as<T>(a.out));
}
template <class C, class T>
N2D2_LAYER reshaped(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::reshape_copy(c, rows, as<T>(a.in), as<T>(a.out));
  kernels::reshape_map(c, rows, as<T>(a.in), as<T>(a.out));
}
template <class C, class T>
N2D2_LAYER blocks(const C& c, kernels::Rows rows, const Arrays& a) {
  kernels::depth_to_space(c, rows, as<T>(a.in), as<T>(a.out));
  kernels::space_to_depth(c, rows, as<T>(a.in), as<T>(a.out));
  kernels::transpose_map(c, rows, as<T>(a.in), as<T>(a.out));
}
template <class C, class T>
N2D2_LAYER classes(const C& c, kernels::Rows, const Arrays& a) {
  kernels::argmax(c, as<T>(a.in), as<int32_t>(a.out));
}

// Element types of a network: input, output, weight, sum, factor.
#define N2D2_EACH_TYPE(kernel, L)                                                                            \
  template void kernel<L, uint8_t, uint8_t, int8_t, int32_t, float>(const L&, kernels::Rows, const Arrays&); \
  template void kernel<L, int8_t, int8_t, int8_t, int32_t, int32_t>(const L&, kernels::Rows, const Arrays&); \
  template void kernel<L, uint16_t, int16_t, int16_t, int64_t, float>(const L&, kernels::Rows,               \
                                                                      const Arrays&);                        \
  template void kernel<L, int16_t, uint16_t, int16_t, int64_t, int32_t>(const L&, kernels::Rows,             \
                                                                        const Arrays&);                      \
  template void kernel<L, float, float, float, float, float>(const L&, kernels::Rows, const Arrays&);
#define N2D2_EACH_FACTOR(kernel, L)                                                  \
  template void kernel<L, uint8_t, float>(const L&, kernels::Rows, const Arrays&);   \
  template void kernel<L, int8_t, int32_t>(const L&, kernels::Rows, const Arrays&);  \
  template void kernel<L, uint16_t, float>(const L&, kernels::Rows, const Arrays&);  \
  template void kernel<L, int16_t, int32_t>(const L&, kernels::Rows, const Arrays&); \
  template void kernel<L, float, float>(const L&, kernels::Rows, const Arrays&);
#define N2D2_EACH_VALUE(kernel, L)                                          \
  template void kernel<L, uint8_t>(const L&, kernels::Rows, const Arrays&); \
  template void kernel<L, int16_t>(const L&, kernels::Rows, const Arrays&); \
  template void kernel<L, float>(const L&, kernels::Rows, const Arrays&);

typedef Layer<24, 24, 1, 16, 5> FirstGray;
typedef Layer<32, 32, 3, 16, 3, 1, 1> FirstColor;
typedef Layer<224, 224, 3, 64, 7, 2, 3> FirstLarge;
typedef Layer<16, 16, 32, 64, 3, 2, 1> Usual;
typedef Layer<14, 14, 6, 17, 5> Odd;
typedef Free<Layer<12, 12, 64, 64, 1>> Pointwise;
typedef Layer<20, 20, 12, 12, 3, 1, 2, 2, 2, 3, 5> Dilated;
typedef Free<Layer<20, 20, 32, 32, 3, 1, 1, 1, 1, 0, 4>> Streamed;
N2D2_EACH_TYPE(conv, FirstGray)
N2D2_EACH_TYPE(conv, FirstColor)
N2D2_EACH_TYPE(conv, FirstLarge)
N2D2_EACH_TYPE(conv, Bordered<FirstLarge>)
N2D2_EACH_TYPE(conv, Usual)
N2D2_EACH_TYPE(conv, Odd)
N2D2_EACH_TYPE(conv, Pointwise)
N2D2_EACH_TYPE(conv, Dilated)
N2D2_EACH_TYPE(conv, Streamed)

typedef Layer<24, 24, 32, 32, 3, 1, 1> Depthwise;
typedef Layer<24, 24, 20, 20, 5, 2, 2, 1, 1, 3, 7> LargeDepthwise;
typedef Layer<24, 24, 10, 20, 3, 1, 1> Multiplied;
N2D2_EACH_TYPE(depthwise, Depthwise)
N2D2_EACH_TYPE(depthwise, LargeDepthwise)
N2D2_EACH_TYPE(depthwise, Multiplied)

typedef Layer<24, 24, 16, 24, 1> Sliced;
template void conv_sums<Sliced, uint8_t>(const Sliced&, kernels::Rows, const Arrays&);
template void conv_sums<Sliced, int8_t>(const Sliced&, kernels::Rows, const Arrays&);
template void requantized<Sliced, uint8_t, float>(const Sliced&, kernels::Rows, const Arrays&);
template void requantized<Sliced, int8_t, int32_t>(const Sliced&, kernels::Rows, const Arrays&);
template void requantized<Sliced, int32_t, int32_t>(const Sliced&, kernels::Rows, const Arrays&);

typedef Layer<4, 4, 24, 150, 1> Connected;
typedef Layer<4, 4, 5, 33, 1, 1, 0, 1, 1, 3, 5> GapsConnected;
N2D2_EACH_TYPE(connected, Connected)
N2D2_EACH_TYPE(connected, GapsConnected)

template void connected_sums<Connected, uint8_t>(const Connected&, kernels::Rows, const Arrays&);
template void connected_sums<Connected, int8_t>(const Connected&, kernels::Rows, const Arrays&);

typedef Pool<20, 20, 16, 2, 2> Halved;
typedef Pool<20, 20, 24, 3, 2, 1, 3, 4> Overlapping;
typedef Pool<8, 8, 64, 8> Global;
N2D2_EACH_FACTOR(pools, Halved)
N2D2_EACH_FACTOR(pools, Overlapping)
N2D2_EACH_FACTOR(pools, Global)
template void by_rows<Global, uint8_t, float>(const Global&, kernels::Rows, const Arrays&);
template void by_rows<Global, int8_t, int32_t>(const Global&, kernels::Rows, const Arrays&);
N2D2_EACH_VALUE(largest, Halved)
N2D2_EACH_VALUE(largest, Overlapping)

typedef Layer<20, 20, 40, 40, 1> Whole;
typedef Free<Pool<20, 20, 40, 1, 1, 0, 3, 4>> Gaps;
N2D2_EACH_FACTOR(scaled, Whole)
N2D2_EACH_FACTOR(scaled, Gaps)
N2D2_EACH_FACTOR(leaks, Whole)
N2D2_EACH_FACTOR(leaks, Gaps)
N2D2_EACH_VALUE(summed, Whole)
N2D2_EACH_VALUE(summed, Gaps)
N2D2_EACH_FACTOR(shares, Whole)
typedef Steps<0, 0> Lstm;
typedef Steps<1, 0> Gru;
typedef Steps<1, 1> LinearGru;
N2D2_EACH_FACTOR(sequences, Lstm)
N2D2_EACH_FACTOR(sequences, Gru)
N2D2_EACH_FACTOR(sequences, LinearGru)
N2D2_EACH_FACTOR(normalized, Whole)
N2D2_EACH_VALUE(matrices, Whole)
N2D2_EACH_VALUE(matrices, Gaps)
N2D2_EACH_FACTOR(logarithms, Whole)
N2D2_EACH_FACTOR(resized, Gaps)
N2D2_EACH_VALUE(multiplied, Whole)
N2D2_EACH_VALUE(multiplied, Gaps)
N2D2_EACH_VALUE(chosen, Whole)
N2D2_EACH_VALUE(chosen, Gaps)
N2D2_EACH_VALUE(picked, Gaps)
N2D2_EACH_VALUE(blocks, Gaps)
template void looked_up<Whole, uint8_t>(const Whole&, kernels::Rows, const Arrays&);
template void looked_up<Gaps, int16_t>(const Gaps&, kernels::Rows, const Arrays&);
template void functions<Whole>(const Whole&, kernels::Rows, const Arrays&);
N2D2_EACH_VALUE(moved, Gaps)
N2D2_EACH_VALUE(padded, Gaps)
N2D2_EACH_VALUE(reshaped, Gaps)
N2D2_EACH_VALUE(classes, Gaps)
