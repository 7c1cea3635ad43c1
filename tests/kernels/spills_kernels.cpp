// Convolutions with packed weights as exported projects call them, a function each; compiled by
// spills_test.py, never run.
#include "conv.hpp"
#include "fc.hpp"

namespace kernels = N2D2_EXPORT_NAMESPACE;

// Input of H x W x C, output of O channels, window K x K with stride S and P pixels around.
template <int H, int W, int C, int O, int K, int S, int P>
struct Layer {
  static constexpr int in_w = W, in_h = H, in_c = C, in_pixel = C, in_row = W * C, in_ring = 0, in_first = 0,
                       in_turn = 0;
  static constexpr int out_w = (W + 2 * P - K) / S + 1, out_h = (H + 2 * P - K) / S + 1, out_c = O,
                       out_pixel = O, out_row = out_w * O, out_ring = 0, out_first = 0, out_turn = 0;
  static constexpr int bottom_up = 0, ordered = 0, lo = 0, hi = 255, shift = 0, factor_step = 1, parallel = 0;
  static constexpr int kernel_w = K, kernel_h = K, stride_x = S, stride_y = S, dilation_x = 1, dilation_y = 1;
  static constexpr int pad_x = P, pad_y = P, groups = 1, packed = 1, matrix = 1, whole_rows = 1;
  static constexpr int small_factors = 1;
  static constexpr int border_top = 0, border_bottom = 0, border_left = 0, border_right = 0;
};

template <class C, class In>
void conv(const In* in, uint8_t* out, const int8_t* w, const int32_t* b, const float* f) {
  kernels::conv2d(C(), {0, C::out_h}, in, out, w, b, f);
}

void three_by_three(const uint8_t* in, uint8_t* out, const int8_t* w, const int32_t* b, const float* f) {
  conv<Layer<56, 56, 64, 64, 3, 1, 1>>(in, out, w, b, f);
}
void narrow_map(const uint8_t* in, uint8_t* out, const int8_t* w, const int32_t* b, const float* f) {
  conv<Layer<7, 7, 512, 512, 3, 1, 1>>(in, out, w, b, f);
}
void expanding(const int8_t* in, uint8_t* out, const int8_t* w, const int32_t* b, const float* f) {
  conv<Layer<14, 14, 96, 576, 1, 1, 0>>(in, out, w, b, f);
}
void reducing(const uint8_t* in, uint8_t* out, const int8_t* w, const int32_t* b, const float* f) {
  conv<Layer<56, 56, 144, 24, 1, 1, 0>>(in, out, w, b, f);
}
void first_layer(const uint8_t* in, uint8_t* out, const int8_t* w, const int32_t* b, const float* f) {
  conv<Layer<224, 224, 3, 32, 3, 2, 1>>(in, out, w, b, f);
}
void sixteen(const uint8_t* in, uint8_t* out, const int8_t* w, const int32_t* b, const float* f) {
  conv<Layer<32, 32, 16, 16, 3, 1, 1>>(in, out, w, b, f);
}
void connected(const uint8_t* in, uint8_t* out, const int8_t* w, const int32_t* b, const float* f) {
  typedef Layer<1, 1, 1280, 1000, 1, 1, 0> C;
  kernels::fc(C(), {0, 1}, in, out, w, b, f);
}
