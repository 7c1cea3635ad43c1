// Layers as exported projects call them, for instructions_test.py: runs the layer of the first argument as
// often as the second says.
#include <stdio.h>
#include <stdlib.h>

#include "conv_depthwise.hpp"
#include "spills_kernels.cpp"

namespace {

enum { kMost = 1 << 20 };
uint8_t in[kMost], out[kMost];
int8_t weights[kMost];
int32_t bias[4096];
float factor[4096];

struct Measured {
  void (*run)();
  long products;
};

template <class C, class In>
void measured_conv() {
  conv<C>(reinterpret_cast<const In*>(in), out, weights, bias, factor);
}
template <class C, class In>
void measured_depthwise() {
  kernels::conv2d_depthwise(C(), {0, C::out_h}, reinterpret_cast<const In*>(in), out, weights, bias, factor);
}
void measured_fc() {
  typedef Layer<1, 1, 1280, 128, 1, 1, 0> C;
  kernels::fc(C(), {0, 1}, in, out, weights, bias, factor);
}
template <class C>
constexpr long products(long inputs) {
  return inputs * C::kernel_w * C::kernel_h * C::out_w * C::out_h * C::out_c;
}

typedef Layer<14, 14, 32, 32, 3, 1, 1> Three;
typedef Layer<14, 14, 96, 96, 1, 1, 0> One;
typedef Layer<32, 32, 3, 32, 3, 2, 1> First;
typedef Layer<14, 14, 96, 96, 3, 1, 1> Depthwise;

// In the order of MOST of instructions_test.py.
const Measured kMeasured[] = {{measured_conv<Three, uint8_t>, products<Three>(32)},
                              {measured_conv<Three, int8_t>, products<Three>(32)},
                              {measured_conv<One, uint8_t>, products<One>(96)},
                              {measured_conv<First, uint8_t>, products<First>(3)},
                              {measured_fc, 1280 * 128},
                              {measured_depthwise<Depthwise, uint8_t>, products<Depthwise>(1)},
                              {measured_depthwise<Depthwise, int8_t>, products<Depthwise>(1)}};

}  // namespace

// With 0 runs it prints how many products a run has.
int main(int, char** arguments) {
  const Measured& layer = kMeasured[atoi(arguments[1])];
  const int runs = atoi(arguments[2]);
  for (int i = 0; i < runs; ++i) layer.run();
  if (runs == 0) printf("%ld\n", layer.products);
}
