#include "pool.hpp"

#include "cases.hpp"
#include "kernels/planned_tensor.hpp"
#include "requantize.hpp"

namespace n2d2::kernels_test {
namespace {

struct PoolCase {
  Window window;
  Placement from, to;
};

PoolCase random_case(Generator& random) {
  PoolCase k;
  const int h = random.one_in(4) ? 1 : random.in(1, 9), w = random.in(1, 9);
  const int c = random.one_in(4) ? random.in(60, 140) : random.in(1, 30);
  k.window.w = random.in(1, 4), k.window.h = random.in(1, 4);
  k.window.stride_x = random.in(1, 3), k.window.stride_y = random.in(1, 3);
  k.window.pad_x = random.in(0, 3), k.window.pad_y = random.in(0, 3);
  k.from = random.place(h, w, c);
  k.to = random.place(random.in(1, 8), random.in(1, 8), c);
  return k;
}

template <class Bound>
Config<Bound> config_of(Generator& random, const PoolCase& k) {
  Config<Bound> config;
  set_in(config, k.from), set_out(config, k.to), set_window(config, k.window);
  config.bottom_up = random.in(0, 1), config.parallel = random.one_in(10), config.ordered = random.in(0, 1),
  config.count_zeros = random.in(0, 1);
  return config;
}

template <class T>
void check_max(Generator& random) {
  const PoolCase k = random_case(random);
  auto config = config_of<BoundOf<T>>(random, k);
  config.lo = std::is_same_v<T, float> ? -1 : std::is_signed_v<T> ? -100 : 0;
  config.hi = 100;
  auto in = random.map<T>(k.from.h, k.from.w, k.from.c);
  if (random.one_in(2))
    for (auto& x : in.v)
      x = x > 0 && std::is_signed_v<T> ? -x : x;  // padding shows only among negative values
  const std::vector<T> source = memory_with<T>(in, k.from, random);
  std::vector<T> target = random.values<T>(k.to.end(), 0, 100);
  const std::vector<T> before = target;

  N2D2_Export::max_pool(config, all_rows(k.to), source.data() + k.from.start(), target.data() + k.to.start());

  auto expected = oracle::max_pool<ValueOf<T>>({in}, k.window, k.to.h, k.to.w, config.count_zeros != 0);
  for (auto& x : expected.v) x = x < config.lo ? config.lo : x > config.hi ? config.hi : x;
  SCOPED_TRACE(describe("in", k.from) + describe("out", k.to) + describe(k.window) + " count_zeros " +
               std::to_string(config.count_zeros));
  ASSERT_EQ(read(target, k.to).v, expected.v);
  ASSERT_EQ(surroundings(target, k.to), surroundings(before, k.to));
}

template <class In, class Out, class Factor>
void check_average(Generator& random) {
  const PoolCase k = random_case(random);
  auto config = config_of<BoundOf<Out>>(random, k);
  const double area = k.window.w * k.window.h;
  Rescaling<Out, Factor> rescaling(random, 1, area * 2.0 * std::numeric_limits<In>::max());
  rescaling.bounds.factor_step = 0;
  rescaling.set(config);
  if (!std::is_same_v<In, float> && random.one_in(2)) config.start = random.in(-5000, 5000);
  if (!std::is_same_v<In, float> && random.one_in(2)) config.pad_value = random.in(0, 127);
  const auto in = random.map<In>(k.from.h, k.from.w, k.from.c);
  const std::vector<In> source = memory_with<In>(in, k.from, random);
  std::vector<Out> target = random.values<Out>(k.to.end(), 0, 100);
  const std::vector<Out> before = target;

  N2D2_Export::average_pool(config, all_rows(k.to), source.data() + k.from.start(),
                            target.data() + k.to.start(), rescaling.factor.data());

  const auto framed = oracle::framed<ValueOf<In>>({in}, k.window, k.to.h, k.to.w, config.pad_value);
  auto sums = oracle::window_sum<ValueOf<In>>(framed, oracle::within(k.window), k.to.h, k.to.w);
  if constexpr (std::is_same_v<In, float>)
    for (double& x : sums.v) x = static_cast<float>(x) / static_cast<float>(area);
  else
    for (auto& x : sums.v) x += config.start;
  SCOPED_TRACE(describe("in", k.from) + describe("out", k.to) + describe(k.window));
  ASSERT_EQ(read(target, k.to).v, rescaling.apply(sums).v);
  ASSERT_EQ(surroundings(target, k.to), surroundings(before, k.to));
}

// Rows of the map in pieces of any length, sums that lie at one place or a row each, and the bytes of
// average_pool.
template <class In, class Out, class Factor>
void check_by_rows(Generator& random) {
  PoolCase k = random_case(random);
  k.window = {};
  k.window.w = k.from.w, k.window.h = k.from.h;
  k.to = random.place(1, 1, k.from.c);
  auto config = config_of<BoundOf<Out>>(random, k);
  Rescaling<Out, Factor> rescaling(random, 1, k.window.w * k.window.h * 2.0 * std::numeric_limits<In>::max());
  rescaling.bounds.factor_step = 0;
  rescaling.set(config);
  if (random.one_in(2)) config.start = random.in(-5000, 5000);
  const auto in = random.map<In>(k.from.h, k.from.w, k.from.c);
  const std::vector<In> source = memory_with<In>(in, k.from, random);
  std::vector<Out> expected = random.values<Out>(k.to.end(), 0, 100), found = expected;
  N2D2_Export::average_pool(config, all_rows(k.to), source.data() + k.from.start(),
                            expected.data() + k.to.start(), rescaling.factor.data());

  Placement between{k.from.h, 1, k.from.c, k.from.c, k.from.c};
  if (random.one_in(2)) between.ring = 1;
  auto to_sums = config, from_sums = config;
  set_out(to_sums, between), set_in(from_sums, between);
  std::vector<int32_t> sums(static_cast<size_t>(between.end()), -77);
  for (int y = 0; y < k.from.h;) {
    const int rows = random.in(1, k.from.h - y);
    N2D2_Export::average_pool_sums(to_sums, {y, rows}, source.data() + k.from.start(), sums.data());
    y += rows;
  }
  N2D2_Export::requantize(from_sums, {0, 1}, sums.data(), found.data() + k.to.start(),
                          rescaling.factor.data());
  SCOPED_TRACE(describe("in", k.from) + describe("out", k.to));
  ASSERT_EQ(found, expected);
}

constexpr int kCases = cases(150, 4);

template <class T>
void sweep_max(unsigned seed) {
  Generator random(seed);
  for (int i = 0; i < kCases && !testing::Test::HasFatalFailure(); ++i) check_max<T>(random);
}

template <class In, class Out, class Factor>
void sweep_average(unsigned seed) {
  Generator random(seed);
  for (int i = 0; i < kCases && !testing::Test::HasFatalFailure(); ++i)
    check_average<In, Out, Factor>(random);
}

TEST(MaxPool, EqualsTheOracleForUnsignedValues) {
  sweep_max<uint8_t>(1), sweep_max<uint16_t>(2);
}
TEST(MaxPool, EqualsTheOracleForSignedValues) {
  sweep_max<int8_t>(3), sweep_max<int16_t>(4);
}
TEST(MaxPool, EqualsTheOracleForFloats) {
  sweep_max<float>(5);
}
TEST(AveragePool, EqualsTheOracleForEightBits) {
  sweep_average<uint8_t, uint8_t, float>(6);
  sweep_average<int8_t, uint8_t, int32_t>(7);
}
TEST(AveragePool, IsTheSameRowByRow) {
  Generator random(11);
  for (int i = 0; i < kCases && !testing::Test::HasFatalFailure(); ++i) {
    check_by_rows<uint8_t, uint8_t, float>(random);
    check_by_rows<int8_t, uint8_t, int32_t>(random);
  }
}
TEST(AveragePool, EqualsTheOracleForSixteenBits) {
  sweep_average<uint16_t, uint16_t, int32_t>(8);
  sweep_average<int16_t, int16_t, float>(9);
}
TEST(AveragePool, DividesByTheWholeWindowForFloats) {
  sweep_average<float, float, float>(10);
}

}  // namespace
}  // namespace n2d2::kernels_test
