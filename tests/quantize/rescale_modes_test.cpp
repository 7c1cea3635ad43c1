// Which integers rescale in the modes of -act-rescaling-mode that have multipliers?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/quantize/check_integers.hpp"
#include "n2d2/quantize/quantize_graph.hpp"

#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// data (2) in [0, 1] -> fc (2) in [-4, 4].
class RescaleModes : public ::testing::Test {
 protected:
  RescaleModes() { net.graph.set_outputs({net.fc("fc", net.data, 2)}); }

  void weights(std::vector<float> values) {
    const auto parameter = net.parameter("fc", 1);
    std::copy(values.begin(), values.end(), parameter.begin());
  }
  const Rescale& quantized(RescaleMode mode, int bits = 8) {
    report = quantize::quantize_graph(net.graph, ranges.of(net.graph), without_clipping(bits, mode));
    Diagnostics findings;
    quantize::check_types(net.graph, {}, findings);
    EXPECT_NO_THROW(findings.finish<ModelError>());
    EXPECT_EQ(quantize::rescaling_of(net.graph), net.node("fc").rescale->mode);
    return *net.node("fc").rescale;
  }
  Integers integers() const { return integers_of(*net.graph.value(net.node("fc").inputs.at(1)).constant); }
  std::vector<double> weight_scales() const {
    return net.graph.value(net.node("fc").inputs.at(1)).type.quant->threshold;
  }

  Net net{Shape{1, 2, 1, 1}};
  NamedRanges ranges = ranges_of({{"data", {0, 1}}, {"fc", {-4, 4}}});
  quantize::QuantReport report;
  log::Capture log;
};

TEST_F(RescaleModes, FixedPoint16HasMultipliersOf16Bits) {
  weights({1, -1, 0.25, 0.125});
  const Rescale& r = quantized(RescaleMode::FixedPoint16);
  // Factors 1 / (4 * 255) and a quarter of it: 2^25 / 1020 is the largest below 2^15.
  EXPECT_EQ(r.mode, RescaleMode::FixedPoint16);
  EXPECT_EQ(r.shift, 24);
  EXPECT_THAT(r.multiplier, ElementsAre(16448, 4112));
  EXPECT_EQ(log.text(), "");
}

TEST_F(RescaleModes, SingleShiftLetsTheWeightsMakeUpForIt) {
  ranges.values["fc"].min = -3.95, ranges.values["fc"].max = 3.95;
  weights({1, -1, 0.25, 0.125});
  const Rescale& r = quantized(RescaleMode::SingleShift);
  // 1 / (3.95 * 255) is 1.017 / 1024, near enough to be taken from below: the largest weights are clipped.
  EXPECT_EQ(r.mode, RescaleMode::SingleShift);
  EXPECT_EQ(r.shift, 12);
  EXPECT_THAT(r.multiplier, ElementsAre(4, 1));
  EXPECT_THAT(integers(), ElementsAre(127, -127, 127, 65));
  EXPECT_THAT(weight_scales(), ElementsAre(::testing::DoubleNear(3.95 * 255 / 1024, 1e-9),
                                           ::testing::DoubleNear(3.95 * 255 / 4096, 1e-9)));
}

TEST_F(RescaleModes, ShiftsAboveTheFactorShrinkTheWeights) {
  ranges.values["fc"].min = -3, ranges.values["fc"].max = 3;
  weights({1, -1, 0.5, 0.25});
  const Rescale& single = quantized(RescaleMode::SingleShift);
  // 1 / 765: 1 / 512 is the next, so that 127 becomes 127 * 512 / 765.
  EXPECT_EQ(single.shift, 10);
  EXPECT_THAT(single.multiplier, ElementsAre(2, 1));
  EXPECT_THAT(integers(), ElementsAre(85, -85, 85, 42));
}

TEST_F(RescaleModes, DoubleShiftIsNearer) {
  ranges.values["fc"].min = -3, ranges.values["fc"].max = 3;
  weights({1, -1, 0.5, 0.25});
  const Rescale& r = quantized(RescaleMode::DoubleShift);
  // 1 / 765 = 0.669 / 512: 1 / 1024 + 1 / 4096 + ... is short of it by more than 2 %, 0.75 / 512 is above.
  EXPECT_EQ(r.mode, RescaleMode::DoubleShift);
  EXPECT_EQ(r.shift, 12);
  EXPECT_THAT(r.multiplier, ElementsAre(6, 3));
  EXPECT_THAT(integers(), ElementsAre(113, -113, 113, 57));
}

TEST_F(RescaleModes, FactorsAboveOneAreFixedPointsAndThatIsSaid) {
  ranges.values["fc"].min = -1e-3, ranges.values["fc"].max = 1e-3;
  weights({1, -1, 0.25, 0.125});
  EXPECT_EQ(quantized(RescaleMode::DoubleShift).mode, RescaleMode::FixedPoint16);
  EXPECT_EQ(
      log.text(),
      "-act-rescaling-mode: Fixed-point16 instead of Double-shift, which has no such factors, for 'fc'\n");
  EXPECT_THAT(report.layers.back().notes,
              ElementsAre("rescaled in Fixed-point16, for Double-shift has no such factors"));
  EXPECT_THAT(integers(), ElementsAre(127, -127, 127, 64));
}

TEST_F(RescaleModes, FactorsOf16BitsAndMoreAreOf32) {
  ranges.values["fc"].min = -1e-9, ranges.values["fc"].max = 1e-9;
  weights({1, -1, 0.25, 0.125});
  EXPECT_EQ(quantized(RescaleMode::FixedPoint16).mode, RescaleMode::FixedPoint32);
  EXPECT_THAT(log.text(), HasSubstr("Fixed-point32 instead of Fixed-point16"));
}

// A channel without weights has any scale; that of a factor above 1 must not take the shifts from all others.
TEST_F(RescaleModes, DeadOutputsDoNotDecide) {
  ranges.values["fc"].min = -0.001, ranges.values["fc"].max = 0.001;
  weights({0.001F, -0.001F, 0, 0});
  const Rescale& r = quantized(RescaleMode::SingleShift);
  EXPECT_EQ(r.mode, RescaleMode::SingleShift);
  EXPECT_EQ(r.multiplier[1], 1 << r.shift);
}

TEST_F(RescaleModes, SumsAndPoolsHave16BitsBesideShifts) {
  const ValueId sum = net.sum("sum", {net.graph.outputs()[0], net.graph.outputs()[0]});
  net.graph.set_outputs({sum});
  ranges.values["sum"] = ranges.values["fc"];
  weights({1, -1, 0.25, 0.125});
  quantized(RescaleMode::SingleShift);
  EXPECT_EQ(net.node("sum").rescale->mode, RescaleMode::FixedPoint16);
  EXPECT_THAT(net.node("sum").rescale->multiplier, ElementsAre(1 << 14, 1 << 14));
  EXPECT_EQ(log.text(), "");
}

}  // namespace
}  // namespace n2d2::testing
