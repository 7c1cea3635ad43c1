#include <gtest/gtest.h>

#include "cortexm/layouts/dsp.hpp"

namespace n2d2::targets::cortexm::dsp {

namespace {

TEST(DspLayout, PairsTheInputsOfARunAsUxtb16Does) {
  const Filters filters{2, 1, 1, 7, 1};
  const std::vector<int8_t> weights{1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0};
  std::vector<int8_t> even;
  const std::vector<int8_t> packed = pack_filters(filters, weights.data());
  for (size_t i = 1; i < packed.size(); i += 2) even.push_back(packed[i]);
  EXPECT_EQ(even, (std::vector<int8_t>{1, 3, 2, 4, 5, 7, 6, 0}));
}

TEST(DspLayout, TakesOneOffTheEvenWeightBesideANegativeOne) {
  const std::vector<int8_t> weights{5, 5, -3, 3};
  const std::vector<int8_t> packed = pack_filters({2, 1, 1, 2, 1}, weights.data());
  ASSERT_EQ(packed.size(), 16U) << "words of a window are a multiple of 4";
  EXPECT_EQ(std::vector<int8_t>(packed.begin(), packed.begin() + 4), (std::vector<int8_t>{-3, 4, 3, 5}));
}

TEST(DspLayout, PadsTheOutputsOfEachGroup) {
  const std::vector<int32_t> biases{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(pad_outputs({6, 1, 1, 1, 2}, biases.data(), 1), (std::vector<int32_t>{1, 2, 3, 0, 4, 5, 6, 0}));
  EXPECT_EQ(pad_channels(3, biases.data()), (std::vector<int32_t>{1, 2, 3, 0}));
}

TEST(DspLayout, WidensDepthwiseWeights) {
  std::vector<int8_t> weights(9 * 4);
  for (int c = 0; c < 4; ++c) weights[8 + c] = static_cast<int8_t>(c == 1 ? -1 : c);  // tap (0, 2)
  const std::vector<int8_t> packed = pack_depthwise(4, weights.data());
  ASSERT_EQ(packed.size(), 72U);
  EXPECT_EQ(std::vector<int8_t>(packed.begin(), packed.begin() + 8),
            (std::vector<int8_t>{0, 0, 2, 0, -1, -1, 3, 0}));
}

TEST(DspLayout, RefusesSumsOfEvenOutputsThatPass24Bits) {
  // 260 * 127 * 255 = 8,420,100; 2^23 = 8,388,608
  const Filters filters{2, 1, 1, 260, 1};
  std::vector<int8_t> weights(520, 127);
  const std::vector<int32_t> none{0, 0}, some{-8388608, 0};
  EXPECT_EQ(unpackable(filters, weights.data(), {false, none.data(), 1}),
            "sums of output 0 reach 8420100, more than 24 bits hold");
  EXPECT_EQ(unpackable(filters, weights.data(), {true, none.data(), 1}), "");
  std::fill(weights.begin(), weights.begin() + 130, int8_t{-127});
  EXPECT_EQ(unpackable(filters, weights.data(), {false, none.data(), 1}), "") << "of the odd output, any sum";
  EXPECT_EQ(unpackable({2, 1, 1, 1, 1}, weights.data(), {false, some.data(), 1}),
            "sums of output 0 reach 8420993, more than 24 bits hold");
}

TEST(DspLayout, ABiasOfAnyBorderCounts) {
  const std::vector<int8_t> weights{1, 1};
  const std::vector<int32_t> biases{0, 0, 8388608, 0};
  EXPECT_NE(unpackable({2, 1, 1, 1, 1}, weights.data(), {false, biases.data(), 2}), "");
  EXPECT_EQ(unpackable({2, 1, 1, 1, 1}, weights.data(), {false, biases.data(), 1}), "");
}

TEST(DspLayout, RefusesTheSmallestWeightBesideANegativeOne) {
  const std::vector<int32_t> none(3);
  const std::vector<int8_t> beside_negative{-128, -1, -128}, beside_positive{-128, 1, -128};
  EXPECT_EQ(unpackable({3, 1, 1, 1, 1}, beside_negative.data(), {false, none.data(), 1}),
            "output 0 has a weight of -128 beside a negative one");
  EXPECT_EQ(unpackable({3, 1, 1, 1, 1}, beside_positive.data(), {false, none.data(), 1}), "");
}

TEST(DspLayout, StoresTheWeightsOfFourOutputsInAHalfWord) {
  const std::vector<int8_t> weights{-16, 32, 0, -112, 16};
  const std::vector<uint8_t> packed = pack_narrow({5, 1, 1, 1, 1}, weights.data());
  ASSERT_EQ(packed.size(), 2U * 16) << "two quads of four words";
  const int number = -1 + 16 * 2 - 4096 * 7;
  EXPECT_EQ(packed[0] | packed[1] << 8, number & 0xffff);
  EXPECT_EQ(packed[16], 1);
  EXPECT_EQ(packed[17], 0);
}

TEST(DspLayout, KeepsBytesWhereFourBitsDoNotDo) {
  const std::vector<int32_t> none(4), large{0, 0, 0, 1 << 23};
  const auto narrow = [&](const std::vector<int8_t>& weights, const std::vector<int32_t>& biases,
                          int groups) {
    return may_be_narrow({4, 1, 1, 1, groups}, weights.data(), {false, biases.data(), 1});
  };
  EXPECT_TRUE(narrow({16, 0, 0, -128}, none, 1));
  EXPECT_FALSE(narrow({-16, 0, 0, -128}, none, 1)) << "-8 * 4096 - 1 has more than 16 bits";
  EXPECT_FALSE(narrow({-16, -128, 0, 16}, none, 1)) << "-8 * 16 - 1 has more than 8 bits";
  EXPECT_FALSE(narrow({17, 0, 0, 0}, none, 1));
  EXPECT_FALSE(narrow({16, 0, 0, 0}, large, 1));
  EXPECT_FALSE(narrow({16, 0, 0, 0}, none, 2));
}

}  // namespace

}  // namespace n2d2::targets::cortexm::dsp
