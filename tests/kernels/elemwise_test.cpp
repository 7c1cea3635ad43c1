#include "elemwise.hpp"

#include "argmax.hpp"
#include "cases.hpp"
#include "concat.hpp"
#include "kernels/planned_tensor.hpp"
#include "padding.hpp"
#include "reshape.hpp"
#include "scaling.hpp"

namespace n2d2::kernels_test {
namespace {

template <class Multiplier>
struct OperandConfig {
  int in_w = 1, in_h = 1, in_c = 1, in_pixel = 1, in_row = 1, in_ring = 0, in_first = 0, in_turn = 0;
  Multiplier multiplier = 0;
  int is_signed = 0;
};

struct Shape {
  int h, w, c;
};
Shape random_shape(Generator& random) {
  return {random.one_in(4) ? 1 : random.in(1, 7), random.in(1, 9),
          random.one_in(4) ? random.in(60, 140) : random.in(1, 30)};
}

// Three operands of arbitrary sign in pointers of arbitrary sign. T: element of the output.
template <class T, class Signed, class Unsigned, class Multiplier>
void check_sum(Generator& random) {
  using Value = ValueOf<T>;
  const Shape s = random_shape(random);
  Config<BoundOf<T>> config;
  const Placement to = random.place(s.h, s.w, s.c);
  set_out(config, to);
  config.bottom_up = random.in(0, 1);
  config.lo = std::is_same_v<T, float> ? -1 : std::numeric_limits<T>::min();
  config.hi = std::is_same_v<T, float> ? 6 : std::numeric_limits<T>::max();
  config.shift = random.one_in(5) ? 0 : random.in(1, 30);
  if (!std::is_same_v<T, float> && random.one_in(2))
    config.start =
        static_cast<int64_t>(random.in(-300, 300)) * (int64_t(1) << config.shift) + random.in(-99, 99);
  OperandConfig<Multiplier> operands[3];
  std::vector<Map<Value>> maps;
  std::vector<Value> multipliers;
  std::vector<std::vector<T>> memories;
  std::vector<Placement> places;
  for (OperandConfig<Multiplier>& o : operands) {
    o.is_signed = random.in(0, 1);
    o.multiplier = std::is_same_v<T, float>
                       ? static_cast<Multiplier>(random.in(-3, 3))
                       : static_cast<Multiplier>((random.one_in(4) ? -1.0 : 1.0) * random.in(1, 100) / 150.0 *
                                                 static_cast<double>(int64_t(1) << config.shift)) +
                             1;
    maps.push_back(o.is_signed ? random.map<Signed>(s.h, s.w, s.c) : random.map<Unsigned>(s.h, s.w, s.c));
    multipliers.push_back(o.multiplier);
    places.push_back(random.place(s.h, s.w, s.c));
    set_in(o, places.back());
    memories.push_back(random.values<T>(places.back().end(), 0, 100));
    write<T>(maps.back(), places.back(), memories.back());
  }
  std::vector<T> target = random.values<T>(to.end(), 0, 100);
  const std::vector<T> before = target;

  N2D2_Export::sum(config, all_rows(to), target.data() + to.start(),
                   N2D2_Export::operand(operands[0], memories[0].data() + places[0].start()),
                   N2D2_Export::operand(operands[1], memories[1].data() + places[1].start()),
                   N2D2_Export::operand(operands[2], memories[2].data() + places[2].start()));

  auto expected = oracle::weighted_sum<Value>(maps, multipliers);
  for (Value& x : expected.v)
    if constexpr (std::is_same_v<T, float>)
      x = x < config.lo ? config.lo : x > config.hi ? config.hi : x;
    else
      x = oracle::rescale_fixed(x + config.start, 1, config.shift, config.lo, config.hi);
  SCOPED_TRACE(describe("out", to) + " shift " + std::to_string(config.shift));
  ASSERT_EQ(read(target, to).v, expected.v);
  ASSERT_EQ(surroundings(target, to), surroundings(before, to));
}

constexpr int kCases = cases(150, 4);

template <class T, class Signed, class Unsigned, class Multiplier>
void sweep_sum(unsigned seed) {
  Generator random(seed);
  for (int i = 0; i < kCases && !testing::Test::HasFatalFailure(); ++i)
    check_sum<T, Signed, Unsigned, Multiplier>(random);
}

TEST(Sum, AddsOperandsOfEitherSignOnTheirOwnScales) {
  sweep_sum<uint8_t, int8_t, uint8_t, int32_t>(1);
  sweep_sum<int8_t, int8_t, uint8_t, int32_t>(2);
}
TEST(Sum, AddsSixteenBitOperandsIn64Bits) {
  sweep_sum<uint16_t, int16_t, uint16_t, int32_t>(3);
  sweep_sum<int16_t, int16_t, uint16_t, int32_t>(4);
}
TEST(Sum, WeighsFloats) {
  sweep_sum<float, float, float, float>(5);
}

TEST(Sum, MayLieOnAnyOfItsOperands) {
  Generator random(6);
  for (int i = 0; i < kCases; ++i) {
    const Shape s = random_shape(random);
    const Placement p = random.place(s.h, s.w, s.c);
    OperandConfig<int32_t> a, b;
    set_in(a, p), set_in(b, p);
    a.multiplier = 3, b.multiplier = 2, b.is_signed = 1;
    Config<int> config;
    set_out(config, p);
    config.hi = 255, config.shift = 3, config.bottom_up = random.in(0, 1);
    const std::vector<Map<int64_t>> maps = {random.map<uint8_t>(s.h, s.w, s.c),
                                            random.map<int8_t>(s.h, s.w, s.c)};
    std::vector<uint8_t> memories[2] = {memory_with<uint8_t>(maps[0], p, random),
                                        memory_with<uint8_t>(maps[1], p, random)};
    const int own = random.in(0, 1);
    N2D2_Export::sum(config, all_rows(p), memories[own].data() + p.start(),
                     N2D2_Export::operand(a, memories[0].data() + p.start()),
                     N2D2_Export::operand(b, memories[1].data() + p.start()));
    auto expected = oracle::weighted_sum<int64_t>(maps, {3, 2});
    for (int64_t& x : expected.v) x = oracle::rescale_fixed(x, 1, 3, 0, 255);
    ASSERT_EQ(read(memories[own], p).v, expected.v) << describe("out", p);
  }
}

template <class In, class Out, class Factor>
void check_scaling(Generator& random) {
  const Shape s = random_shape(random);
  const Rescaling<Out, Factor> rescaling(random, s.c, 1.5 * std::numeric_limits<In>::max());
  const Placement from = random.place(s.h, s.w, s.c), to = random.place(s.h, s.w, s.c);
  const auto in = random.map<In>(s.h, s.w, s.c);
  const std::vector<In> source = memory_with<In>(in, from, random);
  std::vector<Out> target = random.values<Out>(to.end(), 0, 100);
  const std::vector<Out> before = target;
  Config<BoundOf<Out>> config;
  set_in(config, from), set_out(config, to), rescaling.set(config);
  config.bottom_up = random.in(0, 1);
  N2D2_Export::scaling(config, all_rows(to), source.data() + from.start(), target.data() + to.start(),
                       rescaling.factor.data());
  SCOPED_TRACE(describe("in", from) + describe("out", to));
  ASSERT_EQ(read(target, to).v, rescaling.apply({in}).v);
  ASSERT_EQ(surroundings(target, to), surroundings(before, to));
}

TEST(Scaling, EqualsTheOracle) {
  Generator random(7);
  for (int i = 0; i < kCases && !HasFatalFailure(); ++i) {
    check_scaling<uint8_t, uint8_t, float>(random);
    check_scaling<int8_t, uint8_t, int32_t>(random);
    check_scaling<uint8_t, int8_t, int32_t>(random);
    check_scaling<int16_t, uint16_t, float>(random);
    check_scaling<uint16_t, int16_t, int32_t>(random);
  }
}

TEST(Scaling, MultipliesAndClampsFloats) {
  Config<float> config;
  config.in_c = config.out_c = config.in_pixel = config.out_pixel = config.in_row = config.out_row = 3;
  config.lo = -1.0F, config.hi = 6.0F, config.factor_step = 1;
  const float in[] = {2.0F, -3.0F, 1.0F}, factor[] = {0.5F, 2.0F, 100.0F};
  float out[3];
  N2D2_Export::scaling(config, {0, 1}, in, out, factor);
  EXPECT_EQ(std::vector<float>(out, out + 3), (std::vector<float>{1.0F, -1.0F, 6.0F}));
}

TEST(Concat, PutsEachInputIntoItsChannels) {
  Generator random(8);
  for (int i = 0; i < kCases; ++i) {
    const Shape a = random_shape(random);
    const int second = random.in(1, 70);
    const Placement to = random.place(a.h, a.w, a.c + second);
    const std::vector<Map<int64_t>> maps = {random.map<int8_t>(a.h, a.w, a.c),
                                            random.map<int8_t>(a.h, a.w, second)};
    std::vector<int8_t> target = random.values<int8_t>(to.end(), 0, 100);
    const std::vector<int8_t> before = target;
    int offset = 0;
    for (const Map<int64_t>& map : maps) {
      const Placement from = random.place(map.h, map.w, map.c);
      const std::vector<int8_t> source = memory_with<int8_t>(map, from, random);
      Config<int> config;
      set_in(config, from), set_out(config, to);
      config.out_offset = offset, config.bottom_up = random.in(0, 1);
      N2D2_Export::concat_part(config, all_rows(to), source.data() + from.start(),
                               target.data() + to.start());
      offset += map.c;
    }
    ASSERT_EQ(read(target, to).v, oracle::concat(maps).v) << describe("out", to);
    ASSERT_EQ(surroundings(target, to), surroundings(before, to));
  }
}

// Top-down an output may begin any distance below its input; bottom-up a signal of rows of one pixel any
// distance above it, of a pixel at least. The elements of a row always ascend: below, whatever the scan.
TEST(Scaling, MayOverwriteWhatItHasRead) {
  Generator random(11);
  for (int i = 0; i < kCases; ++i) {
    const int bottom_up = random.in(0, 1);
    Placement from{bottom_up ? random.in(1, 9) : random.in(2, 9),
                   bottom_up || random.one_in(3) ? 1 : random.in(1, 9), random.in(1, 200)};
    from.pixel = random.one_in(2) ? from.c : from.c + random.in(1, 5), from.row = from.w * from.pixel;
    Placement to = from;
    const int distance = random.in(0, 2 * from.pixel);
    const bool below = !bottom_up || from.h == 1;
    from.origin = below ? distance : 0, to.origin = below ? 0 : distance;
    if (!below) to.origin = std::max(to.origin, from.pixel);
    const auto in = random.map<uint8_t>(from.h, from.w, from.c);
    std::vector<uint8_t> memory(std::max(from.end(), to.end()));
    write<uint8_t>(in, from, memory);
    Config<int> config;
    set_in(config, from), set_out(config, to);
    config.hi = 255, config.shift = 1, config.bottom_up = bottom_up;
    const int32_t factor = 1;
    N2D2_Export::scaling(config, all_rows(to), memory.data() + from.start(), memory.data() + to.start(),
                         &factor);
    auto expected = in;
    for (int64_t& x : expected.v) x = oracle::rescale_fixed(x, 1, 1, 0, 255);
    ASSERT_EQ(read(memory, to).v, expected.v)
        << describe("in", from) << " at " << from.origin << " out at " << to.origin << " " << bottom_up;
  }
}

TEST(Reshape, KeepsTheOrderOfTheElements) {
  Generator random(12);
  for (int i = 0; i < kCases; ++i) {
    const int a = random.in(1, 6), b = random.in(1, 6), c = random.in(1, 20), d = random.in(1, 4);
    const Placement from = random.place(a, b * c, d);
    const Placement to = random.one_in(2) ? random.place(c, a, b * d) : random.place(1, a * b * c * d, 1);
    const auto in = random.map<int16_t>(from.h, from.w, from.c);
    const std::vector<int16_t> source = memory_with<int16_t>(in, from, random);
    std::vector<int16_t> target = random.values<int16_t>(to.end(), 0, 100);
    const std::vector<int16_t> before = target;
    Config<int> config;
    set_in(config, from), set_out(config, to);
    config.bottom_up = random.in(0, 1);
    N2D2_Export::reshape_copy(config, all_rows(to), source.data() + from.start(), target.data() + to.start());
    ASSERT_EQ(read(target, to).v, in.v) << describe("in", from) << describe("out", to);
    ASSERT_EQ(surroundings(target, to), surroundings(before, to));
  }
}

TEST(Padding, SurroundsOrCropsAMap) {
  Generator random(13);
  for (int i = 0; i < kCases; ++i) {
    const Shape s = random_shape(random);
    const int left = random.in(-s.w + 1, 3), top = random.in(-s.h + 1, 3);
    const int w = s.w + left + random.in(std::min(0, 1 - s.w - left), 3);
    const int h = s.h + top + random.in(std::min(0, 1 - s.h - top), 3);
    const Placement from = random.place(s.h, s.w, s.c), to = random.place(h, w, s.c);
    const auto in = random.map<uint8_t>(s.h, s.w, s.c);
    const std::vector<uint8_t> source = memory_with<uint8_t>(in, from, random);
    std::vector<uint8_t> target = random.values<uint8_t>(to.end(), 0, 100);
    const std::vector<uint8_t> before = target;
    Config<int> config;
    set_in(config, from), set_out(config, to);
    config.left = left, config.top = top;
    config.bottom_up = random.in(0, 1);
    N2D2_Export::pad_map(config, all_rows(to), source.data() + from.start(), target.data() + to.start());
    const auto out = read(target, to);
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x)
        for (int c = 0; c < s.c; ++c) {
          const bool inside = y >= top && y - top < s.h && x >= left && x - left < s.w;
          const int64_t expected = inside ? in.at(y - top, x - left, c) : 0;
          ASSERT_EQ(out.at(y, x, c), expected) << describe("in", from) << describe("out", to);
        }
    ASSERT_EQ(surroundings(target, to), surroundings(before, to));
  }
}

TEST(Argmax, TakesTheFirstOfTheLargestChannelsOfEachPixel) {
  Generator random(10);
  for (int i = 0; i < kCases; ++i) {
    Shape s = random_shape(random);
    if (random.one_in(3)) s.c = 1;
    const Placement from = random.place(s.h, s.w, s.c);
    auto in = random.map<int8_t>(s.h, s.w, s.c);
    for (int64_t& x : in.v) x /= 32;  // many equals
    const std::vector<int8_t> source = memory_with<int8_t>(in, from, random);
    Config<int> config;
    set_in(config, from);
    config.threshold = random.in(-2, 2);
    std::vector<int32_t> classes(static_cast<size_t>(s.h) * s.w, -1);
    N2D2_Export::argmax(config, source.data() + from.start(), classes.data());
    ASSERT_EQ(classes, oracle::argmax<int64_t>(in, config.threshold)) << describe("in", from);
  }
}

}  // namespace
}  // namespace n2d2::kernels_test
