// How long does a layer take with the kernels that ship? Prints nanoseconds per call of the layers of small
// networks.
// Built and run by kernel_rows.py, which compares two folders of headers.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "conv.hpp"
#include "conv_depthwise.hpp"
#include "elemwise.hpp"
#include "fc.hpp"
#include "pool.hpp"
#include "scaling.hpp"

namespace kernels = N2D2_EXPORT_NAMESPACE;

namespace {

// Input W x H x C, output of O channels, window K x K, stride S, P zeros around; constants as in an exported
// layer.
template <int W, int H, int C, int O, int K, int S, int P>
struct Layer {
  static constexpr int in_w = W, in_h = H, in_c = C, in_pixel = C, in_row = W * C, in_ring = 0, in_first = 0,
                       in_turn = 0;
  static constexpr int out_w = (W + 2 * P - K) / S + 1, out_h = (H + 2 * P - K) / S + 1, out_c = O,
                       out_pixel = O, out_row = out_w * O, out_ring = 0, out_first = 0, out_turn = 0;
  static constexpr int bottom_up = 0, ordered = 1, lo = 0, hi = 255, shift = 0, factor_step = 1, parallel = 0;
  static constexpr int kernel_w = K, kernel_h = K, pool_w = K, pool_h = K, stride_x = S, stride_y = S;
  static constexpr int dilation_x = 1, dilation_y = 1, pad_x = P, pad_y = P, groups = 1, count_zeros = 0;
  static constexpr int border_top = 0, border_bottom = 0, border_left = 0, border_right = 0, packed = 0,
                       matrix = 0, whole_rows = 1, small_factors = 0;
};
template <int W, int H, int C, int K, int S>
struct Pool : Layer<W, H, C, C, K, S, 0> {
  static constexpr int factor_step = 0;
  static constexpr int by_count = 0, counted_x = 0, counted_y = 0, counted_w = 0, counted_h = 0;
};
template <int W, int H, int C>
struct Operand : Layer<W, H, C, C, 1, 1, 0> {
  static constexpr int32_t multiplier = 1 << 6;
  static constexpr int is_signed = 0, shift = 7;
};

struct Arrays {
  std::vector<uint8_t> in, out;
  std::vector<int8_t> weights;
  std::vector<int32_t> bias;
  std::vector<float> factor;

  Arrays() : in(1 << 20), out(1 << 20), weights(1 << 22), bias(4096), factor(4096) {
    for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i * 2654435761U >> 13);
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<int8_t>(i * 2246822519U >> 17);
    for (size_t i = 0; i < bias.size(); ++i)
      bias[i] = static_cast<int32_t>(i), factor[i] = 1e-4F * static_cast<float>(i % 7 + 1);
  }
};

template <class F>
void time(const char* name, F call) {
  using Clock = std::chrono::steady_clock;
  call();
  double best = 1e30;
  for (int batch = 0, calls = 1; batch < 8; ++batch) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) call();
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    best = ns / calls < best ? ns / calls : best;
    if (batch == 0) calls = ns < 1e6 ? static_cast<int>(1e6 / (ns + 1)) + 1 : 1;
  }
  std::printf("%s %.1f\n", name, best);
}

template <class C>
__attribute__((noinline)) void run_conv(const Arrays& a, uint8_t* out) {
  kernels::conv2d(C(), {0, C::out_h}, a.in.data(), out, a.weights.data(), a.bias.data(), a.factor.data());
}
template <class C>
__attribute__((noinline)) void run_depthwise(const Arrays& a, uint8_t* out) {
  kernels::conv2d_depthwise(C(), {0, C::out_h}, a.in.data(), out, a.weights.data(), a.bias.data(),
                            a.factor.data());
}
template <class C>
__attribute__((noinline)) void run_fc(const Arrays& a, uint8_t* out) {
  kernels::fc(C(), {0, 1}, a.in.data(), out, a.weights.data(), a.bias.data(), a.factor.data());
}
template <class C>
__attribute__((noinline)) void run_max(const Arrays& a, uint8_t* out) {
  kernels::max_pool(C(), {0, C::out_h}, a.in.data(), out);
}
template <class C>
__attribute__((noinline)) void run_average(const Arrays& a, uint8_t* out) {
  kernels::average_pool(C(), {0, C::out_h}, a.in.data(), out, a.factor.data());
}
template <class C>
__attribute__((noinline)) void run_sum(const Arrays& a, uint8_t* out) {
  kernels::sum(C(), {0, C::out_h}, out, kernels::operand(C(), a.in.data()),
               kernels::operand(C(), a.in.data() + 64));
}
template <class C>
__attribute__((noinline)) void run_scaling(const Arrays& a, uint8_t* out) {
  kernels::scaling(C(), {0, C::out_h}, a.in.data(), out, a.factor.data());
}
template <class C>
__attribute__((noinline)) void run_short(const Arrays& a, uint8_t* out) {
  kernels::conv2d(C(), {0, C::out_h}, reinterpret_cast<const int16_t*>(a.in.data()),
                  reinterpret_cast<int16_t*>(out), reinterpret_cast<const int16_t*>(a.weights.data()),
                  reinterpret_cast<const int64_t*>(a.bias.data()), a.factor.data());
}

#define N2D2_TIME(kind, ...) time(#kind " " #__VA_ARGS__, [&] { run_##kind<__VA_ARGS__>(a, out); })

void first_layers(const Arrays& a, uint8_t* out) {
  N2D2_TIME(conv, Layer<24, 24, 1, 16, 5, 1, 0>);
  N2D2_TIME(conv, Layer<32, 32, 1, 6, 5, 1, 0>);
  N2D2_TIME(conv, Layer<28, 28, 1, 32, 3, 1, 1>);
  N2D2_TIME(conv, Layer<32, 32, 3, 16, 3, 1, 1>);
  N2D2_TIME(conv, Layer<96, 96, 3, 8, 3, 2, 1>);
  N2D2_TIME(conv, Layer<224, 224, 3, 64, 7, 2, 3>);
}
void lenet(const Arrays& a, uint8_t* out) {
  N2D2_TIME(conv, Layer<14, 14, 6, 16, 5, 1, 0>);
  N2D2_TIME(conv, Layer<10, 10, 16, 24, 5, 1, 0>);
  N2D2_TIME(conv, Layer<5, 5, 16, 120, 5, 1, 0>);
  N2D2_TIME(fc, Layer<4, 4, 24, 150, 1, 1, 0>);
  N2D2_TIME(fc, Layer<1, 1, 150, 10, 1, 1, 0>);
  N2D2_TIME(max, Pool<28, 28, 6, 2, 2>);
  N2D2_TIME(max, Pool<20, 20, 16, 2, 2>);
}
void resnet8(const Arrays& a, uint8_t* out) {
  N2D2_TIME(conv, Layer<32, 32, 16, 16, 3, 1, 1>);
  N2D2_TIME(conv, Layer<32, 32, 16, 32, 3, 2, 1>);
  N2D2_TIME(conv, Layer<16, 16, 32, 32, 3, 1, 1>);
  N2D2_TIME(conv, Layer<32, 32, 16, 32, 1, 2, 0>);
  N2D2_TIME(conv, Layer<16, 16, 32, 64, 3, 2, 1>);
  N2D2_TIME(conv, Layer<8, 8, 64, 64, 3, 1, 1>);
  N2D2_TIME(conv, Layer<16, 16, 32, 64, 1, 2, 0>);
  N2D2_TIME(average, Pool<8, 8, 64, 8, 8>);
  N2D2_TIME(sum, Operand<32, 32, 16>);
  N2D2_TIME(scaling, Layer<32, 32, 16, 16, 1, 1, 0>);
  N2D2_TIME(scaling, Pool<32, 32, 16, 1, 1>);
}
void mobilenet(const Arrays& a, uint8_t* out) {
  N2D2_TIME(depthwise, Layer<48, 48, 8, 8, 3, 1, 1>);
  N2D2_TIME(conv, Layer<48, 48, 8, 16, 1, 1, 0>);
  N2D2_TIME(depthwise, Layer<48, 48, 16, 16, 3, 2, 1>);
  N2D2_TIME(conv, Layer<24, 24, 16, 32, 1, 1, 0>);
  N2D2_TIME(depthwise, Layer<24, 24, 32, 32, 3, 1, 1>);
  N2D2_TIME(conv, Layer<24, 24, 32, 32, 1, 1, 0>);
  N2D2_TIME(depthwise, Layer<24, 24, 32, 32, 3, 2, 1>);
  N2D2_TIME(conv, Layer<12, 12, 64, 64, 1, 1, 0>);
  N2D2_TIME(depthwise, Layer<12, 12, 64, 64, 3, 1, 1>);
  N2D2_TIME(depthwise, Layer<6, 6, 128, 128, 3, 1, 1>);
  N2D2_TIME(conv, Layer<6, 6, 128, 128, 1, 1, 0>);
  N2D2_TIME(depthwise, Layer<3, 3, 256, 256, 3, 1, 1>);
  N2D2_TIME(conv, Layer<3, 3, 256, 256, 1, 1, 0>);
  N2D2_TIME(average, Pool<3, 3, 256, 3, 3>);
  N2D2_TIME(fc, Layer<1, 1, 256, 2, 1, 1, 0>);
}
void resnet18(const Arrays& a, uint8_t* out) {
  N2D2_TIME(conv, Layer<56, 56, 64, 64, 3, 1, 1>);
  N2D2_TIME(conv, Layer<56, 56, 64, 128, 3, 2, 1>);
  N2D2_TIME(conv, Layer<28, 28, 128, 128, 3, 1, 1>);
  N2D2_TIME(conv, Layer<14, 14, 256, 256, 3, 1, 1>);
  N2D2_TIME(conv, Layer<7, 7, 512, 512, 3, 1, 1>);
  N2D2_TIME(fc, Layer<1, 1, 512, 1000, 1, 1, 0>);
  N2D2_TIME(max, Layer<112, 112, 64, 64, 3, 2, 1>);
}
void sixteen_bits(const Arrays& a, uint8_t* out) {
  N2D2_TIME(short, Layer<14, 14, 6, 16, 5, 1, 0>);
  N2D2_TIME(short, Layer<16, 16, 32, 32, 3, 1, 1>);
}

}  // namespace

int main() {
  Arrays a;
  uint8_t* out = a.out.data();
  first_layers(a, out), lenet(a, out), resnet8(a, out), mobilenet(a, out), resnet18(a, out);
  sixteen_bits(a, out);
}
