#include "conv_depthwise.hpp"

#include "cases.hpp"
#include "kernels/planned_tensor.hpp"

namespace n2d2::kernels_test {
namespace {

// Weights [kh][kw][out_c] of the kernel as [out_c][kh][kw][1] of the oracle.
template <class T>
std::vector<T> outputs_first(const std::vector<T>& weights, int outputs) {
  const size_t taps = weights.size() / outputs;
  std::vector<T> turned(weights.size());
  for (size_t o = 0; o < static_cast<size_t>(outputs); ++o)
    for (size_t t = 0; t < taps; ++t) turned[o * taps + t] = weights[t * outputs + o];
  return turned;
}

template <class In, class Out, class Weight, class Sum, class Factor>
void check_depthwise(Generator& random, int multiplier) {
  using Value = ValueOf<Out>;
  const int h = random.one_in(4) ? 1 : random.in(1, 8), w = random.in(1, 9);
  int c = random.one_in(4) ? random.in(60, 140) : random.in(1, 30);
  if (random.one_in(3)) c = 1 << random.in(0, 6);  // several pixels fit into a vector
  const int outputs = c * multiplier;
  Window window;
  window.w = random.in(1, 5), window.h = random.in(1, 5);
  window.stride_x = random.one_in(2) ? 1 : random.in(1, 3), window.stride_y = random.in(1, 3);
  window.dilation_x = random.in(1, 2), window.dilation_y = random.in(1, 2);
  window.pad_x = random.in(0, 3), window.pad_y = random.in(0, 3);
  const int out_h = random.in(1, 8), out_w = random.in(1, 8);
  const auto in = random.map<In>(h, w, c);
  const auto weights = random.map<Weight>(window.h, window.w, outputs);
  const std::vector<Value> bias = random.values<Value>(outputs, -1000, 1000);
  const double largest =
      std::is_same_v<Out, float> ? 1.0 : 0.3 * window.w * window.h * std::numeric_limits<In>::max();
  const Rescaling<Out, Factor> rescaling(random, outputs, largest * std::numeric_limits<Weight>::max());
  const Placement from = random.place(h, w, c), to = random.place(out_h, out_w, outputs);
  const std::vector<In> source = memory_with<In>(in, from, random);
  std::vector<Out> target = random.values<Out>(to.end(), 0, 100);
  const std::vector<Out> before = target;
  Config<BoundOf<Out>> config;
  set_in(config, from), set_out(config, to), set_window(config, window), rescaling.set(config);
  config.bottom_up = random.in(0, 1), config.parallel = random.one_in(10);
  config.ordered = random.in(0, 1);
  if (!std::is_same_v<In, float> && random.one_in(2))
    config.pad_value = random.in(std::numeric_limits<int8_t>::min(), std::numeric_limits<int8_t>::max());
  if (std::is_unsigned_v<In>) config.pad_value += 128 * (config.pad_value != 0);
  const std::vector<Weight> w_array(weights.v.begin(), weights.v.end());
  const std::vector<Sum> b_array(bias.begin(), bias.end());

  N2D2_Export::conv2d_depthwise(config, all_rows(to), source.data() + from.start(),
                                target.data() + to.start(), w_array.data(), b_array.data(),
                                rescaling.factor.data());

  const auto sums =
      oracle::conv<Value>(oracle::framed<Value>({in}, window, out_h, out_w, config.pad_value),
                          oracle::within(window), out_h, out_w, c, outputs_first(weights.v, outputs), bias);
  SCOPED_TRACE(describe("in", from) + describe("out", to) + describe(window));
  ASSERT_EQ(read(target, to).v, rescaling.apply(sums).v);
  ASSERT_EQ(surroundings(target, to), surroundings(before, to));
}

template <class In, class Out, class Weight, class Sum, class Factor>
void check_sweep(unsigned seed, int count) {
  Generator random(seed);
  for (int i = 0; i < cases(count, 4) && !testing::Test::HasFatalFailure(); ++i)
    check_depthwise<In, Out, Weight, Sum, Factor>(random, random.one_in(3) ? random.in(2, 4) : 1);
}

TEST(Conv2dDepthwise, EqualsTheOracleForUnsignedInputs) {
  check_sweep<uint8_t, uint8_t, int8_t, int32_t, float>(1, 200);
}
TEST(Conv2dDepthwise, EqualsTheOracleForSignedInputs) {
  check_sweep<int8_t, int8_t, int8_t, int32_t, int32_t>(2, 200);
}
TEST(Conv2dDepthwise, EqualsTheOracleWithEitherSignAndFloatingPointRescaling) {
  check_sweep<int8_t, int8_t, int8_t, int32_t, float>(6, 200);
  check_sweep<int8_t, uint8_t, int8_t, int32_t, float>(7, 200);
  check_sweep<uint8_t, int8_t, int8_t, int32_t, float>(8, 200);
}
TEST(Conv2dDepthwise, EqualsTheOracleForSixteenBits) {
  check_sweep<uint16_t, int16_t, int16_t, int64_t, int32_t>(3, 100);
  check_sweep<int16_t, uint16_t, int16_t, int64_t, float>(4, 100);
}
TEST(Conv2dDepthwise, EqualsTheOracleForBytesOfWeightsAndValuesOfEitherWidth) {
  check_sweep<uint8_t, uint16_t, int8_t, int32_t, float>(9, 100);
  check_sweep<uint16_t, uint8_t, int8_t, int64_t, float>(10, 100);
  check_sweep<int16_t, int8_t, int8_t, int32_t, int32_t>(11, 100);
  check_sweep<uint16_t, int16_t, int8_t, int32_t, float>(12, 100);
}
TEST(Conv2dDepthwise, EqualsTheOracleForFloats) {
  check_sweep<float, float, float, float, float>(5, 100);
}

}  // namespace
}  // namespace n2d2::kernels_test
