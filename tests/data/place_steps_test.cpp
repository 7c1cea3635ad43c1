// Steps that move values to other places.
#include <algorithm>
#include <cmath>
#include <set>

#include "applied.hpp"

namespace n2d2::data {
namespace {

TEST(RandomResizeCrop, WithoutRangesIsARescale) {
  const Image image = noise(9, 9, 3);
  EXPECT_EQ(applied("RandomResizeCrop", {{"Width", "5"}, {"Height", "5"}}, image),
            applied("Rescale", {{"Width", "5"}, {"Height", "5"}}, image));
}

/// A picture whose value tells where it lies: 16 y + x.
Image places() {
  Image out(16, 16, 1);
  for (size_t i = 0; i < 256; ++i) out.span<uint8_t>()[i] = static_cast<uint8_t>(i);
  return out;
}

TEST(RandomResizeCrop, WindowsHaveTheAreasAndShapesAskedFor) {
  const auto step = transformation("RandomResizeCropTransformation", {{"Width", "16"},
                                                                      {"Height", "16"},
                                                                      {"ScaleMin", "0.25"},
                                                                      {"ScaleMax", "0.5"},
                                                                      {"RatioMin", "0.5"},
                                                                      {"RatioMax", "2"}});
  EXPECT_TRUE(step->is_random());
  std::set<std::pair<int, int>> corners;
  for (uint64_t i = 0; i < 200; ++i) {
    Image image = places();
    Rng rng(1, "crop", 0, i);
    step->apply(image, rng);
    ASSERT_EQ(image.text(), "16x16x1 u8");
    const auto bytes = image.span<uint8_t>();
    // Corners are whole pixels of the window where it is not magnified beyond 2; its extent is theirs and
    // half a step more.
    const int x = bytes[0] % 16, y = bytes[0] / 16, last_x = bytes[255] % 16, last_y = bytes[255] / 16;
    const int w = last_x - x + 1, h = last_y - y + 1;
    EXPECT_GE(w * h, 0.25 * 256 * 0.7);
    EXPECT_LE(w * h, 0.5 * 256 * 1.3);
    EXPECT_LE(static_cast<double>(w) / h, 2.3);
    EXPECT_GE(static_cast<double>(w) / h, 1 / 2.3);
    corners.emplace(x, y);
  }
  EXPECT_GT(corners.size(), 30U);
}

TEST(RandomResizeCrop, FallsBackToTheMiddleWhenNoWindowFits) {
  // A window of all of the area that is four times as wide as high does not fit into a square.
  const MapKeys::Map keys{{"Width", "16"}, {"Height", "4"}, {"RatioMin", "4"}, {"RatioMax", "4"}};
  const Image image = applied("RandomResizeCrop", keys, places());
  EXPECT_EQ(image.span<uint8_t>()[0], 16 * 6);
  EXPECT_EQ(image.span<uint8_t>()[63], 16 * 9 + 15);
  EXPECT_EQ(
      transformation_errors("RandomResizeCropTransformation",
                            {{"Width", "1"}, {"Height", "1"}, {"ScaleMin", "0.5"}, {"ScaleMax", "0.4"}}),
      "a.ini:5: [sp.Transformation] ScaleMin: expected at most ScaleMax (0.4), got 0.5\n");
}

TEST(Distortion, WithoutKeysChangesNothing) {
  const auto step = transformation("DistortionTransformation", {});
  EXPECT_FALSE(step->is_random());
  EXPECT_EQ(applied("Distortion", {}, noise(7, 5, 3)), noise(7, 5, 3));
}

TEST(Distortion, IsAFunctionOfItsDraw) {
  const MapKeys::Map keys{{"ElasticScaling", "36"}, {"Scaling", "15"}, {"Rotation", "15"}};
  const Image image = noise(28, 28, 1);
  EXPECT_EQ(applied("Distortion", keys, image, 7), applied("Distortion", keys, image, 7));
  EXPECT_NE(applied("Distortion", keys, image, 7), applied("Distortion", keys, image, 8));
}

/// Where a dot of light at (x, y) lies afterwards: the mean place of what is bright.
std::pair<double, double> seen_at(const MapKeys::Map& keys, int x, int y, uint64_t draw) {
  Image image(41, 41, 1, DataType::F32);
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) image.span<float>()[static_cast<size_t>(41 * (y + dy) + x + dx)] = 1;
  const Image moved = applied("Distortion", keys, image, draw);
  double sum = 0, sum_x = 0, sum_y = 0;
  for (int row = 0; row < 41; ++row)
    for (int column = 0; column < 41; ++column) {
      const double light = moved.span<float>()[static_cast<size_t>(41 * row + column)];
      sum += light;
      sum_x += light * column;
      sum_y += light * row;
    }
  return {sum_x / sum - 20, sum_y / sum - 20};
}

TEST(Distortion, TurnsAndStretchesAroundTheMiddle) {
  double largest_angle = 0, largest_stretch = 0;
  for (uint64_t draw = 0; draw < 40; ++draw) {
    const auto [x, y] = seen_at({{"Rotation", "30"}}, 32, 20, draw);
    EXPECT_NEAR(std::hypot(x, y), 12, 0.2);
    const double angle = std::atan2(y, x) * 180 / M_PI;
    EXPECT_LE(std::abs(angle), 30.5);
    largest_angle = std::max(largest_angle, std::abs(angle));
    const auto [stretched_x, stretched_y] = seen_at({{"Scaling", "20"}}, 32, 20, draw);
    EXPECT_NEAR(stretched_y, 0, 1e-3);
    EXPECT_GE(stretched_x, 12 / 1.2 - 0.2);
    EXPECT_LE(stretched_x, 12 / 0.8 + 0.2);
    largest_stretch = std::max(largest_stretch, std::abs(stretched_x - 12));
  }
  EXPECT_GT(largest_angle, 20);
  EXPECT_GT(largest_stretch, 1);
}

TEST(Distortion, ElasticFieldsMovePixelsByThatMany) {
  double largest = 0;
  for (uint64_t draw = 0; draw < 20; ++draw) {
    const auto [x, y] = seen_at({{"ElasticScaling", "36"}}, 20, 20, draw);
    largest = std::max(largest, std::hypot(x, y));
  }
  // Deviation of a uniform field 0.58, of its mean over a Gaussian of 6 pixels 0.58 / (2 sqrt(pi) 6), times
  // 36: 1 pixel.
  EXPECT_GT(largest, 0.7);
  EXPECT_LT(largest, 6);
}

TEST(Distortion, WhatIsMissingIsBlackOrTheNearestPixel) {
  Image white(9, 9, 1);
  std::fill(white.span<uint8_t>().begin(), white.span<uint8_t>().end(), uint8_t{255});
  const auto least = [&](const char* ignore) {
    int found = 255;
    for (uint64_t draw = 0; draw < 8; ++draw) {
      const Image image =
          applied("Distortion", {{"Rotation", "90"}, {"IgnoreMissingData", ignore}}, white, draw);
      for (const int x : row(image)) found = std::min(found, x);
    }
    return found;
  };
  EXPECT_EQ(least("1"), 0);
  EXPECT_EQ(least("0"), 255);
  EXPECT_EQ(transformation_errors("DistortionTransformation", {{"ElasticGaussianSize", "4"}}),
            "a.ini:5: [sp.Transformation] ElasticGaussianSize: expected an odd number, got 4\n");
}

TEST(Reshape, KeepsValuesInTheirOrder) {
  const Image six = picture<uint8_t>(3, 2, 1, {1, 2, 3, 4, 5, 6});
  const Image tall = applied("Reshape", {{"NbRows", "3"}}, six);
  EXPECT_EQ(tall.text(), "2x3x1 u8");
  EXPECT_EQ(row(tall), (std::vector<int>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(applied("Reshape", {{"NbRows", "1"}, {"NbChannels", "3"}}, six).text(), "2x1x3 u8");
  EXPECT_EQ(applied("Reshape", {{"NbRows", "2"}, {"NbCols", "1"}, {"NbChannels", "3"}}, six).text(),
            "1x2x3 u8");
  EXPECT_EQ(config_error([&] {
              applied("Reshape", {{"NbRows", "4"}}, six);
            }),
            "a.ini:1: [sp.Transformation] NbRows: the 6 values of a picture of 3x2x1 u8 do not make 4 rows "
            "of 1 channels");
  EXPECT_EQ(config_error([&] {
              applied("Reshape", {{"NbRows", "2"}, {"NbCols", "2"}}, six);
            }),
            "a.ini:1: [sp.Transformation] NbRows: the 6 values of a picture of 3x2x1 u8 do not make 2 rows "
            "of 2 columns "
            "and 1 channels");
}

TEST(StripeRemove, TakesOutRowsOrColumnsOfThePictureAsItWas) {
  Image image(7, 2, 1);
  for (size_t i = 0; i < 14; ++i) image.span<uint8_t>()[i] = static_cast<uint8_t>(i);
  EXPECT_EQ(row(applied("StripeRemove", {{"Axis", "0"}, {"Offset", "1"}, {"Length", "2"}}, image)),
            (std::vector<int>{0, 3, 4, 5, 6, 7, 10, 11, 12, 13}));
  EXPECT_EQ(row(applied("StripeRemove",
                        {{"Axis", "0"}, {"Offset", "2"}, {"Length", "1"}, {"NbIterations", "3"}}, image)),
            (std::vector<int>{0, 1, 3, 5, 7, 8, 10, 12}));
  EXPECT_EQ(row(applied("StripeRemove", {{"Axis", "1"}, {"Offset", "0"}, {"Length", "1"}}, image)),
            (std::vector<int>{7, 8, 9, 10, 11, 12, 13}));
  const MapKeys::Map random{{"Axis", "0"},         {"Offset", "0"},     {"Length", "2"},
                            {"RandomOffset", "1"}, {"StepOffset", "3"}, {"NbIterations", "2"}};
  std::set<std::vector<int>> all;
  for (uint64_t draw = 0; draw < 50; ++draw) {
    Image labels(7, 2, 1, DataType::I32);
    for (size_t i = 0; i < 14; ++i) labels.span<int32_t>()[i] = static_cast<int32_t>(i);
    Rng rng(draw);
    transformation("StripeRemoveTransformation", random)->move_labels(labels, rng);
    const std::vector<int> found = row(applied("StripeRemove", random, image, draw));
    EXPECT_EQ(values<int32_t>(labels), std::vector<int32_t>(found.begin(), found.end()));
    all.insert(found);
  }
  EXPECT_EQ(all.size(), 3U);  // the first stripe begins at 0, 1 or 2
}

TEST(StripeRemove, SaysWhatDoesNotFit) {
  EXPECT_EQ(config_error([] {
              applied("StripeRemove", {{"Axis", "1"}, {"Offset", "3"}, {"Length", "2"}}, Image(9, 4, 1));
            }),
            "a.ini:1: [sp.Transformation] Length: stripes up to 5 do not fit into the 4 rows of a picture of "
            "9x4x1 u8");
  EXPECT_EQ(transformation_errors("StripeRemoveTransformation",
                                  {{"Axis", "0"}, {"Offset", "1"}, {"Length", "2"}, {"NbIterations", "2"}}),
            "a.ini:1: [sp.Transformation] StepOffset: expected at least Length (2), got 1: stripes would "
            "overlap\n");
  EXPECT_EQ(transformation_errors("StripeRemoveTransformation",
                                  {{"Axis", "0"}, {"Offset", "1"}, {"Length", "2"}, {"StepOffset", ""}}),
            "a.ini:5: [sp.Transformation] StepOffset: expected one integer\n");
}

}  // namespace
}  // namespace n2d2::data
