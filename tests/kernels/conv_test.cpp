#include "conv.hpp"

#include <array>

#include "cases.hpp"
#include "kernels/planned_tensor.hpp"

namespace n2d2::kernels_test {
namespace {

struct ConvCase {
  int h, w, c, outputs, groups;
  Window window;
  int out_h, out_w;
};

int out_size(Generator& random, int in, int kernel, int dilation, int stride, int pad) {
  const int far_pad = random.in(0, 2);
  const int reach = in + pad + far_pad - ((kernel - 1) * dilation + 1);
  return reach < 0 ? 0 : reach / stride + 1;
}

ConvCase random_case(Generator& random) {
  ConvCase k{};
  do {
    k.h = random.one_in(4) ? 1 : random.in(1, 9), k.w = random.one_in(6) ? 1 : random.in(1, 13);
    k.groups = random.one_in(4) ? random.in(2, 3) : 1;
    k.c = k.groups * (random.one_in(3) ? random.in(1, 3) : random.in(1, 40));
    k.outputs = k.groups * (random.one_in(6) ? random.in(60, 140) : random.in(1, 20));
    k.window.w = random.in(1, 5), k.window.h = random.in(1, 5);
    k.window.stride_x = random.in(1, 3), k.window.stride_y = random.in(1, 3);
    if (random.one_in(4)) k.window.dilation_x = random.in(1, 3), k.window.dilation_y = random.in(1, 3);
    if (random.one_in(2)) k.window.pad_x = random.in(0, 3), k.window.pad_y = random.in(0, 3);
    k.out_w = out_size(random, k.w, k.window.w, k.window.dilation_x, k.window.stride_x, k.window.pad_x);
    k.out_h = out_size(random, k.h, k.window.h, k.window.dilation_y, k.window.stride_y, k.window.pad_y);
  } while (k.out_w < 1 || k.out_h < 1);
  return k;
}

template <class In, class Out, class Weight, class Sum, class Factor>
void check_conv(Generator& random, const ConvCase& k) {
  using Value = ValueOf<Out>;
  const auto in = random.map<In>(k.h, k.w, k.c);
  const int window = k.window.w * k.window.h * k.c / k.groups;
  const auto weights = random.map<Weight>(k.outputs, 1, window);
  Config<BoundOf<Out>> config;
  const bool has_rows = random.one_in(2);
  const int rows = has_rows ? set_borders(config, k.window, k.h, k.w, k.out_h, k.out_w) : 1;
  const std::vector<Value> bias = random.values<Value>(static_cast<size_t>(rows) * k.outputs, -1000, 1000);
  const double largest = std::is_same_v<Out, float> ? 1.0 : 0.1 * window * std::numeric_limits<In>::max();
  const Rescaling<Out, Factor> rescaling(random, k.outputs, largest * std::numeric_limits<Weight>::max());
  const Placement from = random.place(k.h, k.w, k.c);
  const Placement to = random.place(k.out_h, k.out_w, k.outputs);
  const std::vector<In> source = memory_with<In>(in, from, random);
  std::vector<Out> target = random.values<Out>(to.end(), 0, 100);
  const std::vector<Out> before = target;
  set_in(config, from), set_out(config, to), set_window(config, k.window), rescaling.set(config);
  config.groups = k.groups, config.bottom_up = random.in(0, 1), config.parallel = random.one_in(10);
  config.ordered = random.in(0, 1);
  const std::vector<Weight> w(weights.v.begin(), weights.v.end());
  const std::vector<Sum> b(bias.begin(), bias.end());

  N2D2_Export::conv2d(config, all_rows(to), source.data() + from.start(), target.data() + to.start(),
                      w.data(), b.data(), rescaling.factor.data());

  const auto expected = rescaling.apply(
      has_rows ? oracle::conv_with_rows<Value>({in}, k.window, k.out_h, k.out_w, k.groups, weights.v, bias,
                                               k.outputs)
               : oracle::conv<Value>({in}, k.window, k.out_h, k.out_w, k.groups, weights.v, bias));
  SCOPED_TRACE(describe("in", from) + describe("out", to) + describe(k.window) + " groups " +
               std::to_string(k.groups) + " rows of biases " + std::to_string(rows));
  ASSERT_EQ(read(target, to).v, expected.v);
  ASSERT_EQ(surroundings(target, to), surroundings(before, to));
}

template <class In, class Out, class Weight, class Sum, class Factor>
void check_sweep(unsigned seed, int count) {
  Generator random(seed);
  for (int i = 0; i < cases(count, 4) && !testing::Test::HasFatalFailure(); ++i)
    check_conv<In, Out, Weight, Sum, Factor>(random, random_case(random));
}

TEST(Conv2d, EqualsTheOracleForUnsignedInputs) {
  check_sweep<uint8_t, uint8_t, int8_t, int32_t, float>(1, 300);
}
TEST(Conv2d, EqualsTheOracleForSignedInputs) {
  check_sweep<int8_t, int8_t, int8_t, int32_t, float>(2, 300);
}
TEST(Conv2d, EqualsTheOracleWithFixedPointRescaling) {
  check_sweep<uint8_t, int8_t, int8_t, int32_t, int32_t>(3, 150);
  check_sweep<int8_t, uint8_t, int8_t, int32_t, int32_t>(4, 150);
}
TEST(Conv2d, EqualsTheOracleForSixteenBits) {
  check_sweep<uint16_t, uint16_t, int16_t, int64_t, float>(5, 150);
  check_sweep<int16_t, int16_t, int16_t, int64_t, int32_t>(6, 150);
}
TEST(Conv2d, EqualsTheOracleForBytesOfWeightsAndValuesOfEitherWidth) {
  check_sweep<uint8_t, uint16_t, int8_t, int32_t, float>(11, 100);
  check_sweep<int8_t, int16_t, int8_t, int32_t, int32_t>(12, 100);
  check_sweep<uint16_t, uint8_t, int8_t, int64_t, float>(13, 100);
  check_sweep<int16_t, int8_t, int8_t, int64_t, int32_t>(14, 100);
  check_sweep<uint16_t, int16_t, int8_t, int64_t, int32_t>(15, 100);
  check_sweep<int16_t, uint16_t, int8_t, int64_t, float>(16, 100);
}
TEST(Conv2d, EqualsTheOracleWhereSumsOfWordsTimesBytesFit32Bits) {
  check_sweep<uint16_t, int8_t, int8_t, int32_t, float>(17, 100);
  check_sweep<int16_t, uint8_t, int8_t, int32_t, int32_t>(18, 100);
  check_sweep<uint16_t, uint16_t, int8_t, int32_t, int32_t>(19, 100);
  check_sweep<int16_t, int16_t, int8_t, int32_t, float>(20, 100);
}
// Inputs and weights are multiples of a half below 2^7, so that float sums are exact in any order.
TEST(Conv2d, EqualsTheOracleForFloats) {
  check_sweep<float, float, float, float, float>(7, 150);
}

TEST(Conv2d, WorksThroughLongWindows) {
  Generator random(8);
  ConvCase k{5, 6, 130, 70, 1, {}, 5, 6};
  k.window.w = k.window.h = 3, k.window.pad_x = k.window.pad_y = 1;
  check_conv<uint8_t, uint8_t, int8_t, int32_t, float>(random, k);
  check_conv<int8_t, int8_t, int8_t, int32_t, float>(random, k);
  check_conv<uint16_t, int16_t, int16_t, int64_t, int32_t>(random, k);
  k.c = 1300, k.outputs = 5;
  check_conv<uint8_t, uint8_t, int8_t, int32_t, float>(random, k);
}

// Weights on both sides of kPanelBytes, so that panels come first in some of the layers whose order is free.
TEST(Conv2d, GivesTheSameBytesInAnyOrder) {
  Generator random(10);
  int panels_first = 0;
  for (int i = 0; i < 120; ++i) {
    ConvCase k{random.one_in(3) ? 1 : random.in(2, 6), random.in(1, 9), random.in(30, 90), 0, 1, {}, 0, 0};
    k.outputs = random.in(40, 150);
    k.window.w = random.in(1, 3), k.window.h = k.h == 1 ? 1 : random.in(1, 3);
    k.out_w = k.w, k.out_h = k.h;
    k.window.pad_x = (k.window.w - 1) / 2, k.window.pad_y = (k.window.h - 1) / 2;
    const Placement from = random.place(k.h, k.w, k.c), to = random.place(k.out_h, k.out_w, k.outputs);
    const auto source = memory_with<int8_t>(random.map<int8_t>(k.h, k.w, k.c), from, random);
    const auto weights =
        random.values<int8_t>(static_cast<size_t>(k.outputs) * k.window.w * k.window.h * k.c, -128, 127);
    const auto bias = random.values<int32_t>(k.outputs, -1000, 1000);
    const Rescaling<int8_t, float> rescaling(random, k.outputs, 16.0 * 128 * k.c);
    Config<int> config;
    set_in(config, from), set_out(config, to), set_window(config, k.window), rescaling.set(config);
    config.ordered = 0;
    panels_first += N2D2_Export::conv_cut<int8_t, int8_t, int32_t>(config).panels_first;
    std::vector<int8_t> expected;
    for (const auto& [ordered, bottom_up, parallel] :
         {std::array{1, 0, 0}, std::array{1, 1, 1}, std::array{0, 0, 0}, std::array{0, 0, 1}}) {
      config.ordered = ordered, config.bottom_up = bottom_up, config.parallel = parallel;
      std::vector<int8_t> target(to.end(), 7);
      N2D2_Export::conv2d(config, all_rows(to), source.data() + from.start(), target.data() + to.start(),
                          weights.data(), bias.data(), rescaling.factor.data());
      if (expected.empty()) expected = target;
      ASSERT_EQ(target, expected) << describe("in", from) << describe("out", to) << " ordered " << ordered
                                  << " bottom_up " << bottom_up << " parallel " << parallel;
    }
  }
  EXPECT_GT(panels_first, 20);
  EXPECT_LT(panels_first, 110);
}

TEST(Conv2d, SkipsMemoryForPointwiseLayers) {
  Generator random(9);
  for (const int stride : {1, 2}) {
    ConvCase k{7, 9, 24, 96, 1, {}, (7 + stride - 1) / stride, (9 + stride - 1) / stride};
    k.window.stride_x = k.window.stride_y = stride;
    check_conv<uint8_t, uint8_t, int8_t, int32_t, float>(random, k);
    check_conv<int8_t, uint8_t, int8_t, int32_t, int32_t>(random, k);
  }
}

// The largest sum a window of 4608 values can reach stays exact: nothing saturates on the way.
TEST(Conv2d, KeepsExtremeSumsExact) {
  const int window = 4608;
  for (const int sign : {-1, 1}) {
    Config<int> config;
    config.in_c = config.in_pixel = config.in_row = window;
    config.lo = -128, config.hi = 127, config.shift = 30;
    const std::vector<uint8_t> in(window, 255);
    const std::vector<int8_t> weights(window, static_cast<int8_t>(sign * 127));
    const int32_t bias = -sign * (window * 255 * 127 - 40);
    const int32_t factor = 1 << 30;
    int8_t out = 0;
    N2D2_Export::conv2d(config, {0, 1}, in.data(), &out, weights.data(), &bias, &factor);
    EXPECT_EQ(out, sign * 40);
  }
}

}  // namespace
}  // namespace n2d2::kernels_test
