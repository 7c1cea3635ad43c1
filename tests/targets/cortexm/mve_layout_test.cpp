// In which order do the layouts for MVE store weights, biases and factors?
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "cortexm/layouts/mve.hpp"

namespace n2d2::targets::cortexm::mve {

namespace {

std::vector<int8_t> counting(int n) {
  std::vector<int8_t> out(static_cast<size_t>(n));
  std::iota(out.begin(), out.end(), int8_t{1});
  return out;
}

TEST(MveLayout, StoresStepsOfFourOutputs) {
  const std::vector<int8_t> packed = pack_weights(Windows{5, 18, 1}, counting(90));
  ASSERT_EQ(packed.size(), 8U * 32) << "outputs are filled up to 8, windows to 32";
  EXPECT_EQ(packed[0], 1);
  EXPECT_EQ(packed[15], 16);
  EXPECT_EQ(packed[16], 19) << "output 1";
  EXPECT_EQ(packed[64], 17) << "step 1 of output 0";
  EXPECT_EQ(packed[66], 0);
  EXPECT_EQ(packed[128], 73) << "output 4";
  EXPECT_EQ(packed[144], 0);
}

TEST(MveLayout, StoresTwoWeightsOf4BitsInAByte) {
  std::vector<int8_t> weights(4 * 16);
  weights[0] = -16, weights[16] = 32, weights[32] = 112, weights[48] = -128;
  const std::vector<uint8_t> fields = narrow_weights(pack_weights(Windows{4, 16, 1}, weights));
  ASSERT_EQ(fields.size(), 32U);
  EXPECT_EQ(fields[0], 16 * 7 - 1) << "outputs 0 and 2";
  EXPECT_EQ(fields[16], 256 - 128 + 2) << "outputs 1 and 3";
}

TEST(MveLayout, KeepsBytesWhereFourBitsDoNotDo) {
  const std::vector<int32_t> biases(4), large{0, 0, 0, std::numeric_limits<int32_t>::max()};
  const Windows shape{4, 1, 1};
  EXPECT_TRUE(may_be_narrow(shape, std::vector<int8_t>{0, 16, -128, -128}, biases));
  EXPECT_FALSE(may_be_narrow(shape, std::vector<int8_t>{0, 16, -128, -128}, large));
  EXPECT_FALSE(may_be_narrow(shape, std::vector<int8_t>{-16, 16, -128, -128}, biases));
  EXPECT_FALSE(may_be_narrow(shape, std::vector<int8_t>{0, 17, -128, -128}, biases));
  EXPECT_FALSE(may_be_narrow(Windows{4, 1, 2}, std::vector<int8_t>{0, 16, 16, 16}, biases));
}

TEST(MveLayout, AddsTheWeightsToBiasesOfUnsignedInputs) {
  const std::vector<int8_t> weights{1, 2, -3, -4};
  const std::vector<int32_t> biases{10, 20, 30, 40};
  EXPECT_EQ(pack_biases(Windows{2, 2, 1}, weights, biases, true),
            (std::vector<int32_t>{10, 20, 0, 0, 30, 40, 0, 0}));
  EXPECT_EQ(pack_biases(Windows{2, 2, 1}, weights, biases, false),
            (std::vector<int32_t>{10 + 3 * 128, 20 - 7 * 128, 0, 0, 30 + 3 * 128, 40 - 7 * 128, 0, 0}));
}

TEST(MveLayout, FillsTheFactorsOfEachGroup) {
  EXPECT_EQ(pack_factors(Windows{4, 1, 2}, std::vector<float>{1, 2, 3, 4}),
            (std::vector<float>{1, 2, 0, 0, 3, 4, 0, 0}));
  EXPECT_EQ(pack_factors(Windows{2, 1, 1}, std::vector<int32_t>{7}), (std::vector<int32_t>{7, 7, 0, 0}));
}

TEST(MveLayout, StoresTheColumnsOfADepthwiseKernelAsWords) {
  const std::vector<int8_t> packed = pack_weights(Channels{3, 3, 1}, counting(9));
  ASSERT_EQ(packed.size(), 256U);
  EXPECT_EQ(std::vector<int8_t>(packed.begin(), packed.begin() + 16),
            (std::vector<int8_t>{1, 4, 7, 0, 2, 5, 8, 0, 3, 6, 9, 0, 0, 0, 0, 0}));
}

TEST(MveLayout, LetsTheLastBlockOfChannelsOverlap) {
  std::vector<int32_t> channels(20);
  std::iota(channels.begin(), channels.end(), 0);
  const std::vector<int32_t> packed = pack_factors(Channels{3, 3, 20}, std::span<const int32_t>(channels));
  ASSERT_EQ(packed.size(), 32U);
  EXPECT_EQ(std::vector<int32_t>(packed.begin(), packed.begin() + 5), (std::vector<int32_t>{0, 4, 8, 12, 1}));
  EXPECT_EQ(std::vector<int32_t>(packed.begin() + 16, packed.begin() + 21),
            (std::vector<int32_t>{4, 8, 12, 16, 5}));
}

TEST(MveLayout, ScratchOfShortRowsIsShort) {
  const Channels channels{3, 3, 64};
  EXPECT_EQ(scratch_bytes(channels, Row{5, 1, 1, kMostPieceBytes}), 7 + (5 + 8) * 64);
  EXPECT_LE(scratch_bytes(channels, Row{500, 2, 1, kMostPieceBytes}), 7 + kMostPieceBytes);
  EXPECT_LE(scratch_bytes(channels, Row{500, 2, 4, kLeastPieceBytes}), 7 + kLeastPieceBytes);
  EXPECT_EQ(scratch_bytes(Windows{8, 27, 1}, 2), 7 + 128 + 2 * 32);
}

TEST(MveLayout, ShiftsFactorsToTheBit) {
  EXPECT_EQ(at_shift_32(std::vector<int32_t>{5, -3}, 30), (std::vector<int32_t>{20, -12}));
  EXPECT_EQ(at_shift_32(std::vector<int32_t>{20, -12}, 34), (std::vector<int32_t>{5, -3}));
  EXPECT_EQ(not_at_shift_32(std::vector<int32_t>{1}, 0), "a shift of 0 does not round");
}

}  // namespace

}  // namespace n2d2::targets::cortexm::mve
