// Does a graph of integers that nobody quantized here say what is wrong with it?
#include "n2d2/quantize/check_integers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

using ::testing::HasSubstr;

/// A convolution, a maximum, a rectifier, a sum of two and an average, in integers.
struct CheckIntegers : ::testing::Test {
  void quantized(int bits = 8, RescaleMode mode = RescaleMode::FloatingPoint) {
    const ValueId conv = net.conv("conv", net.data, 2, 2);
    const ValueId pool = net.pool("pool", conv, ops::Pooling::Max, 2);
    const ValueId sum = net.sum("sum", {pool, net.scaling("scaling", pool, {2, 3})});
    net.graph.set_outputs({net.pool("average", sum, ops::Pooling::Average, 2)});
    Rng rng(3, "sample");
    const Tensor sample = random_tensor(Shape{1, 3, 4, 4}, rng, 0, 1);
    quantize::quantize_graph(net.graph, observe(net.graph, sample), without_clipping(bits, mode));
    ASSERT_EQ(findings(), "none");
  }
  std::string findings() const {
    Diagnostics findings;
    quantize::check_types(net.graph, {"net.graph", 0}, findings);
    std::string out;
    for (const Diagnostic& error : findings.errors()) out += (out.empty() ? "" : "\n") + error.message;
    return out.empty() ? "none" : out;
  }
  /// Changes the values of a constant, which keeps its scales.
  template <class T, class Change>
  void change(const std::string& name, const Change& change) {
    Tensor tensor = *net.graph.value(value(name)).constant;
    change(tensor.span<T>());
    net.graph.set_constant(value(name), std::move(tensor), net.graph.value(value(name)).type.quant);
  }
  NodeId id(const std::string& name) const { return net.graph.value(value(name)).producer; }
  ValueId value(const std::string& name) const { return *net.graph.find_value(name); }
  /// What is found when the rescale of a layer is changed; it is put back.
  template <class Change>
  std::string with(const std::string& name, const Change& change) {
    const Rescale before = *net.graph.node(id(name)).rescale;
    Rescale changed = before;
    change(changed);
    net.graph.set_rescale(id(name), changed);
    std::string found = findings();
    net.graph.set_rescale(id(name), before);
    return found;
  }

  Net net{Shape{1, 3, 4, 4}};
};

TEST_F(CheckIntegers, LayersThatAreNoSumsAndHaveNoWeightsKeepToTheIntegersOfTheirInputs) {
  quantized();
  const auto widen = [&](const char* name) {
    TensorType type = net.graph.value(value(name)).type;
    type.quant->bits = 16;
    type.dtype = type.quant->is_signed ? DataType::I16 : DataType::U16;
    net.graph.set_type(value(name), type);
  };
  widen("conv");
  EXPECT_EQ(findings(), "[pool] Pool: moves integers of 'conv', whose scale is another");
  widen("pool");
  EXPECT_EQ(findings(), "[scaling] Scaling: expected 16 bits as in its input, got 8");
  widen("scaling");
  EXPECT_EQ(findings(), "none");
  widen("sum");
  EXPECT_EQ(findings(), "[average] Pool: expected 16 bits as in its input, got 8");
  widen("average");
  EXPECT_EQ(findings(), "none");
}

TEST_F(CheckIntegers, BoundsLieWithinThoseOfTheOutput) {
  quantized();
  for (const std::string name : {"conv", "scaling", "sum", "average"}) {
    const QuantParams& out = *net.graph.value(value(name)).type.quant;
    const auto bounds = [&](int64_t lo, int64_t hi) {
      return with(name, [&](Rescale& r) { r.lo = lo, r.hi = hi; });
    };
    EXPECT_EQ(bounds(out.lowest(), out.highest()), "none") << name;
    EXPECT_EQ(bounds(3, 3), "none") << name;  // a clamp to one value
    for (const auto& [lo, hi] :
         {std::pair{out.lowest() - 1, out.highest()}, {out.lowest(), out.highest() + 1}, {4, 3}})
      EXPECT_THAT(bounds(lo, hi),
                  HasSubstr(fmt::format("rescale: expected bounds within {} and {}, got {} and {}",
                                        out.lowest(), out.highest(), lo, hi)))
          << name;
  }
}

TEST_F(CheckIntegers, EveryChannelHasAFactorAndEveryOperandAMultiplier) {
  quantized();
  EXPECT_THAT(with("conv", [](Rescale& r) { r.factor.pop_back(); }),
              HasSubstr("rescale: expected 2 factors, got 1 factors and 0 multipliers"));
  EXPECT_THAT(with("conv", [](Rescale& r) { r.multiplier.push_back(1); }),
              HasSubstr("rescale: expected 2 factors, got 2 factors and 1 multipliers"));
  EXPECT_THAT(with("sum", [](Rescale& r) { r.multiplier.push_back(1); }),
              HasSubstr("rescale: expected 2 multipliers, got 0 factors and 3 multipliers"));
  EXPECT_THAT(with("sum", [](Rescale& r) { r.mode = RescaleMode::FloatingPoint; }),
              HasSubstr("cannot rescale by"));
  EXPECT_THAT(with("average", [](Rescale& r) { r.factor.push_back(1); }),
              HasSubstr("expected 1 factors, got 2"));
  net.graph.set_rescale(id("conv"), {});
  EXPECT_THAT(findings(), HasSubstr("has no rescale"));
}

TEST_F(CheckIntegers, SumsOfWeightsFitTheAccumulator) {
  quantized();
  change<int8_t>("conv_weights",
                 [](auto weights) { std::fill(weights.begin(), weights.end(), int8_t{100}); });
  static constexpr int32_t kMost = INT32_MAX - 100 * 12 * 255;  // 12 weights a channel, inputs up to 255
  change<int32_t>("conv_biases", [](auto biases) { std::fill(biases.begin(), biases.end(), kMost); });
  EXPECT_EQ(findings(), "none");
  EXPECT_THAT(with("conv", [](Rescale& r) { r.lo = 4, r.hi = 3; }), HasSubstr("expected bounds"));
  change<int32_t>("conv_biases", [](auto biases) { biases[1] = -kMost - 1; });
  EXPECT_THAT(findings(), HasSubstr("sums reach 2.14748e+09, more than the accumulator holds"));
}

TEST_F(CheckIntegers, ProductsOfSumAndMultiplierFit64Bits) {
  quantized(16, RescaleMode::FixedPoint32);
  EXPECT_EQ(with("conv", [](Rescale& r) { r.multiplier[1] = 0; }), "none");
  change<int64_t>("conv_biases", [](auto biases) { biases[0] = int64_t{1} << 40; });
  EXPECT_THAT(with("conv", [](Rescale& r) { r.multiplier[1] = INT32_MAX; }),
              HasSubstr("rescale: products of sum and multiplier do not fit 64 bits"));
}

TEST_F(CheckIntegers, MultipliersAreThoseOfTheMode) {
  quantized(8, RescaleMode::DoubleShift);
  EXPECT_EQ(with("conv", [](Rescale& r) { r.multiplier[1] = 0x11; }), "none");
  EXPECT_EQ(with("conv", [](Rescale& r) { r.multiplier[1] = 0x111; }),
            "[conv] Conv: rescale: Double-shift has no multiplier 273");
  EXPECT_EQ(with("conv",
                 [](Rescale& r) {
                   r.mode = RescaleMode::SingleShift, r.multiplier = {4, -4};
                 }),
            "[conv] Conv: rescale: Single-shift has no multiplier -4");
  EXPECT_EQ(with("sum", [](Rescale& r) { r.multiplier[0] = 32768; }),
            "[sum] ElemWise: rescale: Fixed-point16 has no multiplier 32768");
}

TEST_F(CheckIntegers, LayersThatMoveIntegersKeepTheirScaleAndDoNotRescale) {
  quantized();
  Rescale identity;
  identity.factor = {1};
  net.graph.set_rescale(id("pool"), identity);
  EXPECT_THAT(findings(), HasSubstr("rescales, but only moves integers"));
  net.graph.set_rescale(id("pool"), {});
  TensorType type = net.graph.value(value("pool")).type;
  type.quant->scale[0] *= 2;
  net.graph.set_type(value("pool"), type);
  EXPECT_THAT(findings(), HasSubstr("moves integers of 'conv', whose scale is another"));
}

TEST_F(CheckIntegers, ConstantsAreIntegersWithScales) {
  quantized();
  TensorType type = net.graph.value(value("conv_weights")).type;
  type.quant.reset();
  net.graph.set_type(value("conv_weights"), type);
  EXPECT_THAT(findings(), HasSubstr("expected a constant of i8 with scales as weights, got 'conv_weights'"));
}

}  // namespace
}  // namespace n2d2::testing
