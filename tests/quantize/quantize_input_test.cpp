#include <gtest/gtest.h>

#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

using quantize::quantize_input;

QuantParams quant(int bits, bool is_signed, double threshold) {
  QuantParams q{bits, is_signed, -1, {}};
  q.scale = {static_cast<float>(threshold / static_cast<double>(q.full_scale()))};
  q.threshold = {threshold};
  return q;
}

TEST(QuantizeInput, RoundsHalfAwayFromZero) {
  const Tensor x = Tensor::from(Shape{1, 1, 1, 6}, {0.5F, -0.5F, 1, -1, 2, -2});
  EXPECT_EQ(integers_of(quantize_input(x, quant(8, true, 1))), (Integers{64, -64, 127, -127, 127, -128}));
  EXPECT_EQ(integers_of(quantize_input(x, quant(8, false, 1))), (Integers{128, 0, 255, 0, 255, 0}));
  EXPECT_EQ(integers_of(quantize_input(x, quant(4, true, 2))), (Integers{2, -2, 4, -4, 7, -7}));
  EXPECT_EQ(integers_of(quantize_input(x, quant(16, false, 2))), (Integers{16384, 0, 32768, 0, 65535, 0}));
}

TEST(QuantizeInput, IsExactForImagesDividedBy255) {
  Tensor x(Shape{1, 1, 16, 16});
  Integers expected;
  for (int i = 0; i < 256; ++i) {
    x.span<float>()[static_cast<size_t>(i)] = static_cast<float>(i) / 255;
    expected.push_back(i);
  }
  const Tensor q = quantize_input(x, quant(8, false, 1));
  EXPECT_EQ(q.dtype(), DataType::U8);
  EXPECT_EQ(integers_of(q), expected);
}

TEST(QuantizeInput, KeepsShapeAndLayoutAndPicksTheType) {
  Tensor x(Shape{3, 2, 1, 1}, DataType::F32, Layout::Nhwc);
  const std::map<std::pair<int, bool>, DataType> types{{{8, true}, DataType::I8},
                                                       {{3, false}, DataType::U8},
                                                       {{9, true}, DataType::I16},
                                                       {{16, false}, DataType::U16}};
  for (const auto& [kind, type] : types) {
    const Tensor q = quantize_input(x, quant(kind.first, kind.second, 1));
    EXPECT_EQ(q.shape(), x.shape());
    EXPECT_EQ(q.layout(), Layout::Nhwc);
    EXPECT_EQ(q.dtype(), type);
  }
}

TEST(QuantizeInput, RefusesValuesThatAreNotFinite) {
  const Tensor x = Tensor::from(Shape{1, 1, 1, 2}, {0, INFINITY});
  try {
    quantize_input(x, quant(8, true, 1));
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(),
                 "network input: expected finite values, got inf at index 1\n"
                 "  hint: check the transformations of the data");
  }
}

TEST(QuantizeInput, DividesByTheThresholdThatWasChosenNotByItsRoundedScale) {
  const Tensor x = Tensor::from(Shape{1, 1, 1, 1}, {0.3F / 2});
  QuantParams chosen = quant(8, false, static_cast<double>(0.3F));  // the tie 127.5
  EXPECT_EQ(integers_of(quantize_input(x, chosen)), (Integers{128}));
  ASSERT_LT(0.3F / 2 / static_cast<double>(chosen.scale[0]), 127.5);
  chosen.threshold.clear();
  EXPECT_EQ(integers_of(quantize_input(x, chosen)), (Integers{127}));
}

TEST(Threshold, OfAGivenScaleIsExactlyItsFullScale) {
  Rng rng(9, "threshold");
  for (int i = 0; i < 10000; ++i) {
    QuantParams q{static_cast<int>(2 + rng.below(15)), rng.chance(0.5), -1, {}};
    q.scale = {static_cast<float>(std::exp(rng.uniform(-20, 20)))};
    ASSERT_EQ(q.threshold_of() / static_cast<double>(q.full_scale()), static_cast<double>(q.scale[0]));
  }
}

TEST(Threshold, MakesNoOtherGrid) {
  QuantParams given = quant(8, true, 1), chosen = given;
  given.threshold.clear();
  EXPECT_EQ(given, chosen);
  chosen.scale = {0.5F};
  EXPECT_FALSE(given == chosen);
}

}  // namespace
}  // namespace n2d2::testing
