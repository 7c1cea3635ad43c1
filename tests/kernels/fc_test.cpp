#include "fc.hpp"

#if defined(_OPENMP)
#include <atomic>

#include <omp.h>
#endif

#include "cases.hpp"
#include "kernels/planned_tensor.hpp"

namespace n2d2::kernels_test {
namespace {

template <class In, class Out, class Weight, class Sum, class Factor>
void check_fc(Generator& random) {
  using Value = ValueOf<Out>;
  const int h = random.one_in(2) ? 1 : random.in(1, 6), w = random.one_in(2) ? 1 : random.in(1, 6);
  const int c = random.in(1, 50), outputs = random.one_in(4) ? random.in(60, 140) : random.in(1, 20);
  const auto in = random.map<In>(h, w, c);
  const auto weights = random.map<Weight>(outputs, 1, h * w * c);
  const std::vector<Value> bias = random.values<Value>(outputs, -1000, 1000);
  const double largest = std::is_same_v<Out, float> ? 1.0 : 0.1 * h * w * c * std::numeric_limits<In>::max();
  const Rescaling<Out, Factor> rescaling(random, outputs, largest * std::numeric_limits<Weight>::max());
  const Placement from = random.place(h, w, c);
  Placement to = random.place(1, 1, outputs);
  const std::vector<In> source = memory_with<In>(in, from, random);
  std::vector<Out> target = random.values<Out>(to.end(), 0, 100);
  const std::vector<Out> before = target;
  Config<BoundOf<Out>> config;
  set_in(config, from), set_out(config, to), rescaling.set(config);
  config.parallel = random.one_in(10);
  const std::vector<Weight> w_array(weights.v.begin(), weights.v.end());
  const std::vector<Sum> b_array(bias.begin(), bias.end());

  N2D2_Export::fc(config, {0, 1}, source.data() + from.start(), target.data() + to.start(), w_array.data(),
                  b_array.data(), rescaling.factor.data());

  SCOPED_TRACE(describe("in", from) + describe("out", to));
  ASSERT_EQ(read(target, to).v, rescaling.apply(oracle::fc<Value>({in}, weights.v, bias)).v);
  ASSERT_EQ(surroundings(target, to), surroundings(before, to));
}

template <class In, class Out, class Weight, class Sum, class Factor>
void check_sweep(unsigned seed, int count) {
  Generator random(seed);
  for (int i = 0; i < cases(count, 4) && !testing::Test::HasFatalFailure(); ++i)
    check_fc<In, Out, Weight, Sum, Factor>(random);
}

TEST(Fc, EqualsTheOracleForUnsignedInputs) {
  check_sweep<uint8_t, uint8_t, int8_t, int32_t, float>(1, 200);
}
TEST(Fc, EqualsTheOracleForSignedInputs) {
  check_sweep<int8_t, int8_t, int8_t, int32_t, int32_t>(2, 200);
}
TEST(Fc, EqualsTheOracleForSixteenBits) {
  check_sweep<uint16_t, int16_t, int16_t, int64_t, int32_t>(3, 100);
  check_sweep<int16_t, uint16_t, int16_t, int64_t, float>(4, 100);
}
TEST(Fc, EqualsTheOracleForBytesOfWeightsAndValuesOfEitherWidth) {
  check_sweep<uint8_t, uint16_t, int8_t, int32_t, float>(6, 100);
  check_sweep<int16_t, int8_t, int8_t, int64_t, int32_t>(7, 100);
  check_sweep<uint16_t, uint8_t, int8_t, int32_t, float>(8, 100);
  check_sweep<int16_t, int16_t, int8_t, int32_t, int32_t>(9, 100);
}
TEST(Fc, EqualsTheOracleForFloats) {
  check_sweep<float, float, float, float, float>(5, 100);
}

#if defined(_OPENMP)
std::atomic<bool> is_read_in_parallel{false};

/// A number of outputs that notes whether several threads read it.
struct Watched {
  int value = 1;
  operator int() const {
    if (omp_in_parallel() != 0) is_read_in_parallel = true;
    return value;
  }
};
struct WatchedConfig : Config<int> {
  Watched out_c;
};

TEST(Fc, UsesThreadsWhereItIsAskedTo) {
  constexpr int kInputs = 8, kOutputs = 64;
  WatchedConfig config;
  config.in_c = config.in_pixel = config.in_row = kInputs;
  config.out_c.value = config.out_pixel = config.out_row = kOutputs;
  config.hi = 255;
  const std::vector<uint8_t> in(kInputs, 1);
  const std::vector<int8_t> weights(kInputs * kOutputs, 1);
  const std::vector<int32_t> bias(kOutputs, 2);
  const std::vector<float> factor{1};
  const int threads = omp_get_max_threads();
  omp_set_num_threads(2);
  for (const bool parallel : {false, true}) {
    config.parallel = parallel ? 1 : 0;
    is_read_in_parallel = false;
    std::vector<uint8_t> out(kOutputs);
    N2D2_Export::fc(config, {0, 1}, in.data(), out.data(), weights.data(), bias.data(), factor.data());
    EXPECT_EQ(out, std::vector<uint8_t>(kOutputs, kInputs + 2));
    EXPECT_EQ(is_read_in_parallel, parallel);
  }
  omp_set_num_threads(threads);
}
#endif

}  // namespace
}  // namespace n2d2::kernels_test
