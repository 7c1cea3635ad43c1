#include "n2d2/quantize/options.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "n2d2/base/error.hpp"

namespace n2d2::quantize {
namespace {

std::string message(const Options& options) {
  try {
    check(options);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Options, AreFineByDefaultAndFromTwoToSixteenBits) {
  Options options;
  EXPECT_EQ(message(options), "");
  for (options.bits = 2; options.bits <= 16; ++options.bits) EXPECT_EQ(message(options), "");
  options.rescaling = RescaleMode::FixedPoint32;
}

TEST(Options, RefuseBitsThatHaveNoIntegers) {
  Options options;
  options.bits = 1;
  EXPECT_EQ(message(options),
            "-nbbits: expected 2 to 16 for an integer network, got 1\n"
            "  hint: one signed bit has no full scale (2^0 - 1 = 0)");
  options.bits = 17;
  EXPECT_EQ(message(options),
            "-nbbits: expected 2 to 16 for an integer network, got 17\n"
            "  hint: more than 16 bits are not supported yet");
  options.bits = 33;
  EXPECT_EQ(message(options), "-nbbits: expected 2 to 16 for an integer network, got 33");
  options.bits = -8;
  EXPECT_EQ(message(options), "-nbbits: expected 2 to 16 for an integer network, got -8");
}

TEST(Options, CollectEverythingThatIsNotSupported) {
  Options options;
  options.bits = 0;
  options.weight_clipping = "Quantile";
  options.activation_clipping = "KL";
  options.quantile = 1.5;
  EXPECT_EQ(message(options),
            "-nbbits: expected 2 to 16 for an integer network, got 0\n"
            "-wt-clipping-mode: 'Quantile' is for activations; known: KL-Divergence, MSE, None\n"
            "-act-clipping-mode: unknown clipping mode 'KL'; known: KL-Divergence, MSE, None, Quantile\n"
            "-act-quantile-value: expected a number > 0 and <= 1, got '1.5'");
  options = {};
  for (const double quantile : {0.0, -1.0, std::nan("")}) {
    options.quantile = quantile;
    EXPECT_NE(message(options), "") << quantile;
  }
}

TEST(RescaleModeText, KnowsTheWordsOfTheCommandLine) {
  EXPECT_EQ(rescale_mode("Floating-point"), RescaleMode::FloatingPoint);
  EXPECT_EQ(rescale_mode("Fixed-point"), RescaleMode::FixedPoint32);
  EXPECT_EQ(rescale_mode("Fixed-point32"), RescaleMode::FixedPoint32);
  EXPECT_EQ(rescale_mode("Double-shift"), RescaleMode::DoubleShift);
  try {
    rescale_mode("fixed");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "-act-rescaling-mode: expected one of Floating-point Fixed-point16 Fixed-point32 "
                 "Single-shift Double-shift or Fixed-point, got 'fixed'");
  }
}

}  // namespace
}  // namespace n2d2::quantize
