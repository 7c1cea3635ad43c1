#include "conv_sum.hpp"

#include "cases.hpp"
#include "kernels/conv_sum_config.hpp"
#include "kernels/planned_tensor.hpp"

namespace n2d2::kernels_test {
namespace {

template <class Out>
struct OperandConfig : Config<BoundOf<Out>> {
  BoundOf<Out> multiplier = 0;
  int is_signed = 0;
};

// A convolution of C channels that keeps the width of its map, and what a sum does with its output.
template <class In, class Out, class Weight, class Sum, class Factor>
struct Case {
  Placement from, between, addend, to;
  Map<ValueOf<In>> in;
  Map<ValueOf<Out>> other;
  ConvSumConfig<BoundOf<Out>> config;
  Rescaling<Out, Factor> rescaling;
  std::vector<Weight> weights;
  std::vector<Sum> bias;

  Case(Generator& random, int h, int w, int c, int outputs, int groups, int kernel)
      : from(random.place(h, w, c)),
        between(random.place(h, w, outputs)),
        addend(random.place(h, w, outputs)),
        to(random.place(h, w, outputs)),
        in(random.map<In>(h, w, c)),
        other(random.map<Out>(h, w, outputs)),
        rescaling(random, outputs, 2000.0 * kernel * kernel * c / groups),
        weights(random.values<Weight>(static_cast<size_t>(outputs) * kernel * kernel * c / groups, -60, 60)),
        bias() {
    const bool has_rows = random.one_in(2);
    const Window window{kernel, kernel, 1, 1, 1, 1, kernel / 2, kernel / 2};
    const int rows = has_rows ? set_borders(config, window, h, w, h, w) : 1;
    bias = random.values<Sum>(static_cast<size_t>(rows) * outputs, -1000, 1000);
    set_in(config, from), rescaling.set(config), set_sum(random, config);
    config.kernel_w = config.kernel_h = kernel, config.pad_x = config.pad_y = kernel / 2;
    config.groups = groups, config.bottom_up = random.in(0, 1), config.ordered = random.in(0, 1);
    config.parallel = random.one_in(10);
  }

  // What both kernels give, one after the other.
  std::vector<Out> apart(Generator& random) {
    const std::vector<In> source = memory_with<In>(in, from, random);
    std::vector<Out> middle(static_cast<size_t>(between.end())), out(static_cast<size_t>(to.end()));
    const std::vector<Out> added = memory_with<Out>(other, addend, random);
    set_out(config, between);
    N2D2_Export::conv2d(config, all_rows(to), source.data() + from.start(), middle.data() + between.start(),
                        weights.data(), bias.data(), rescaling.factor.data());
    OperandConfig<Out> first, second;
    set_in(first, between), set_in(second, addend);
    first.multiplier = config.multiplier, second.multiplier = config.addend_multiplier;
    first.is_signed = std::is_signed_v<Out>, second.is_signed = config.addend_is_signed;
    Config<BoundOf<Out>> sum;
    set_out(sum, to);
    sum.lo = config.sum_lo, sum.hi = config.sum_hi, sum.shift = config.sum_shift;
    const auto convolved =
        N2D2_Export::operand(first, static_cast<const Out*>(middle.data()) + between.start());
    const auto given = N2D2_Export::operand(second, added.data() + addend.start());
    if (config.addend_index == 0)
      N2D2_Export::sum(sum, all_rows(to), out.data() + to.start(), given, convolved);
    else
      N2D2_Export::sum(sum, all_rows(to), out.data() + to.start(), convolved, given);
    return out;
  }

  void run(Generator& random, const Out* added, Out* out) {
    const std::vector<In> source = memory_with<In>(in, from, random);
    set_out(config, to), set_addend(config, addend);
    N2D2_Export::conv2d_sum(config, all_rows(to), source.data() + from.start(), added, out, weights.data(),
                            bias.data(), rescaling.factor.data());
  }
};

template <class In, class Out, class Weight, class Sum, class Factor>
void check(Generator& random) {
  const int groups = random.one_in(4) ? 2 : 1, c = groups * random.in(1, random.one_in(2) ? 4 : 40);
  const int outputs = groups * random.in(1, random.one_in(4) ? 90 : 12);
  Case<In, Out, Weight, Sum, Factor> k(random, random.in(1, 6), random.in(1, 19), c, outputs, groups,
                                       random.one_in(2) ? 3 : 1);
  const std::vector<Out> expected = k.apart(random);
  std::vector<Out> added = memory_with<Out>(k.other, k.addend, random);
  std::vector<Out> target = random.values<Out>(static_cast<size_t>(k.to.end()), 0, 100);
  const std::vector<Out> before = target;
  k.run(random, added.data() + k.addend.start(), target.data() + k.to.start());
  SCOPED_TRACE(describe("in", k.from) + describe("addend", k.addend) + describe("out", k.to));
  ASSERT_EQ(read(target, k.to).v, read(expected, k.to).v);
  ASSERT_EQ(surroundings(target, k.to), surroundings(before, k.to));
  // And exactly on the addend.
  const auto wanted = read(expected, k.to).v;
  k.to = k.addend;
  Out* const here = added.data() + k.addend.start();
  k.run(random, here, here);
  ASSERT_EQ(read(added, k.to).v, wanted);
}

template <class In, class Out, class Weight, class Sum, class Factor>
void sweep(unsigned seed) {
  Generator random(seed);
  for (int i = 0; i < cases(250, 4) && !testing::Test::HasFatalFailure(); ++i)
    check<In, Out, Weight, Sum, Factor>(random);
}

TEST(ConvSum, GivesTheBytesOfAConvolutionAndASum) {
  sweep<uint8_t, uint8_t, int8_t, int32_t, float>(1), sweep<int8_t, int8_t, int8_t, int32_t, int32_t>(2);
  sweep<uint8_t, int8_t, int8_t, int32_t, int32_t>(3), sweep<int8_t, uint8_t, int8_t, int32_t, float>(4);
}
TEST(ConvSum, GivesTheBytesOfAConvolutionAndASumOfSixteenBits) {
  sweep<uint16_t, uint16_t, int16_t, int64_t, float>(5),
      sweep<int16_t, int16_t, int16_t, int64_t, int32_t>(6);
}
TEST(ConvSum, GivesTheBytesOfAConvolutionAndASumOfFloats) {
  sweep<float, float, float, float, float>(7);
}

}  // namespace
}  // namespace n2d2::kernels_test
