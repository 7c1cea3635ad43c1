// Steps that change values and leave them in their places.
#include <cmath>
#include <limits>

#include "n2d2/base/log.hpp"

#include "applied.hpp"
#include "files/matrix_file.hpp"

namespace n2d2::data {
namespace {

std::vector<float> floats(const Image& image) {
  return values<float>(image);
}

TEST(Normalize, BringsEveryPictureToOneRangeOrNorm) {
  const Image four = picture<uint8_t>(2, 1, 2, {10, 0, 20, 4});
  EXPECT_EQ(floats(applied("Normalize", {}, four)), (std::vector<float>{0.5F, 0, 1, 0.2F}));
  EXPECT_EQ(floats(applied("Normalize", {{"PerChannel", "1"}}, four)), (std::vector<float>{0, 0, 1, 1}));
  EXPECT_EQ(floats(applied("Normalize", {{"NormMin", "-1"}, {"NormMax", "1"}}, four)),
            (std::vector<float>{0, -1, 1, -0.6F}));
  EXPECT_EQ(floats(applied("Normalize", {{"Norm", "L1"}, {"NormValue", "34"}}, four)),
            (std::vector<float>{10, 0, 20, 4}));
  EXPECT_EQ(floats(applied("Normalize", {{"Norm", "Linf"}}, four)), (std::vector<float>{0.5F, 0, 1, 0.2F}));
  EXPECT_EQ(
      floats(applied("Normalize", {{"Norm", "L2"}, {"NormValue", "5"}}, picture<int16_t>(2, 1, 1, {-3, 4}))),
      (std::vector<float>{-3, 4}));
}

TEST(Normalize, DividesByNoZero) {
  EXPECT_EQ(floats(applied("Normalize", {{"NormMin", "2"}, {"NormMax", "3"}}, Image(2, 1, 1))),
            (std::vector<float>{2, 2}));
  for (const char* norm : {"L1", "L2", "Linf"})
    EXPECT_EQ(floats(applied("Normalize", {{"Norm", norm}}, Image(2, 1, 1))), (std::vector<float>{0, 0}));
}

TEST(Normalize, SaysWhichKeysHaveNoEffect) {
  Diagnostics diagnostics;
  make_transformation("NormalizeTransformation", MapKeys({{"Norm", "L2"}, {"NormMin", "0"}}, "[sp.T]"),
                      diagnostics);
  ASSERT_EQ(diagnostics.warnings().size(), 1U);
  EXPECT_EQ(diagnostics.warnings()[0].text(), "a.ini:5: [sp.T] NormMin: without effect with Norm=L2");
  EXPECT_EQ(transformation_errors("NormalizeTransformation", {{"NormMin", "1"}}),
            "a.ini:5: [sp.Transformation] NormMin: expected less than NormMax (1), got 1\n");
}

TEST(RangeClipping, StretchesARangeOverTheDepth) {
  const MapKeys::Map keys{{"RangeMin", "10"}, {"RangeMax", "20"}};
  EXPECT_EQ(row(applied("RangeClipping", keys, picture<uint8_t>(5, 1, 1, {0, 10, 15, 20, 255}))),
            (std::vector<int>{0, 0, 128, 255, 255}));
  EXPECT_EQ(floats(applied("RangeClipping", keys, picture<float>(3, 1, 1, {-5, 12.5F, 99}))),
            (std::vector<float>{0, 0.25F, 1}));
  EXPECT_EQ(values<int8_t>(applied("RangeClipping", keys, picture<int8_t>(2, 1, 1, {10, 20}))),
            (std::vector<int8_t>{-128, 127}));
}

TEST(RangeClipping, TakesWhatIsNotGivenFromThePicture) {
  const Image three = picture<uint8_t>(3, 1, 1, {50, 60, 100});
  EXPECT_EQ(row(applied("RangeClipping", {}, three)), (std::vector<int>{0, 51, 255}));
  EXPECT_EQ(row(applied("RangeClipping", {{"RangeMax", "150"}}, three)), (std::vector<int>{0, 26, 128}));
  EXPECT_EQ(row(applied("RangeClipping", {}, picture<uint8_t>(2, 1, 1, {9, 9}))), (std::vector<int>{0, 0}));
  EXPECT_EQ(transformation_errors("RangeClippingTransformation", {{"RangeMin", "3"}, {"RangeMax", "3"}}),
            "a.ini:5: [sp.Transformation] RangeMin: expected less than RangeMax (3), got 3\n");
  EXPECT_EQ(transformation_errors("RangeClippingTransformation", {{"RangeMin", "3 4"}}),
            "a.ini:5: [sp.Transformation] RangeMin: expected one number, got '3 4'\n");
}

TEST(Threshold, EveryOperation) {
  const Image three = picture<uint8_t>(3, 1, 1, {99, 100, 101});
  const auto with = [&](const char* operation) {
    return row(
        applied("Threshold", {{"Threshold", "100"}, {"MaxValue", "255"}, {"Operation", operation}}, three));
  };
  EXPECT_EQ(with("Binary"), (std::vector<int>{0, 0, 255}));
  EXPECT_EQ(with("BinaryInverted"), (std::vector<int>{255, 255, 0}));
  EXPECT_EQ(with("Truncate"), (std::vector<int>{99, 100, 100}));
  EXPECT_EQ(with("ToZero"), (std::vector<int>{0, 0, 101}));
  EXPECT_EQ(with("ToZeroInverted"), (std::vector<int>{99, 100, 0}));
  EXPECT_EQ(floats(applied("Threshold", {{"Threshold", "0.5"}}, picture<float>(2, 1, 1, {0.5F, 0.6F}))),
            (std::vector<float>{0, 1}));
}

/// The threshold of the largest variance between the two classes; the first one of equals. Source: Otsu 1979.
int otsu(const std::vector<int>& bytes) {
  double best = -1;
  int found = 0;
  for (int t = 0; t < 256; ++t) {
    double low = 0, low_sum = 0, high = 0, high_sum = 0;
    for (const int x : bytes) (x <= t ? low : high) += 1, (x <= t ? low_sum : high_sum) += x;
    if (low == 0 || high == 0) continue;
    const double between = low * high * std::pow(low_sum / low - high_sum / high, 2);
    if (between > best * (1 + 1e-12)) {
      best = between;
      found = t;
    }
  }
  return found;
}

TEST(Threshold, OtsuPartsEachChannelBest) {
  Image image(8, 8, 2);
  Rng rng(3, "two humps");
  for (size_t i = 0; i < image.span<uint8_t>().size(); ++i)
    image.span<uint8_t>()[i] =
        static_cast<uint8_t>((rng.chance(0.4) ? 30 : 130) + (i % 2) * 60 + rng.below(40));
  const Image result =
      applied("Threshold", {{"Threshold", "0"}, {"OtsuMethod", "1"}, {"MaxValue", "255"}}, image);
  for (size_t c = 0; c < 2; ++c) {
    std::vector<int> plane;
    for (size_t i = c; i < image.span<uint8_t>().size(); i += 2) plane.push_back(image.span<uint8_t>()[i]);
    const int limit = otsu(plane);
    for (size_t i = 0; i < plane.size(); ++i)
      EXPECT_EQ(result.span<uint8_t>()[2 * i + c], plane[i] > limit ? 255 : 0);
  }
  EXPECT_EQ(config_error([] {
              applied("Threshold", {{"Threshold", "0"}, {"OtsuMethod", "1"}}, Image(2, 2, 1, DataType::F32));
            }),
            "a.ini:1: [sp.Transformation] ThresholdTransformation: expected a picture of u8, got 2x2x1 f32");
}

TEST(Equalize, SpreadsTheHistogramOfEachChannel) {
  Image image(16, 4, 2);
  Rng rng(5, "dark");
  for (uint8_t& x : image.span<uint8_t>()) x = static_cast<uint8_t>(40 + rng.below(20));
  const Image result = applied("Equalize", {}, image);
  for (size_t c = 0; c < 2; ++c) {
    std::vector<int> from, to;
    for (size_t i = c; i < image.span<uint8_t>().size(); i += 2) {
      from.push_back(image.span<uint8_t>()[i]);
      to.push_back(result.span<uint8_t>()[i]);
    }
    const int least = *std::min_element(from.begin(), from.end());
    const auto count_to = [&](int x) {
      return std::count_if(from.begin(), from.end(), [&](int y) { return y <= x; });
    };
    const auto first = static_cast<double>(count_to(least)), all = static_cast<double>(from.size());
    for (size_t i = 0; i < from.size(); ++i)
      EXPECT_NEAR(to[i], (static_cast<double>(count_to(from[i])) - first) * 255 / (all - first), 0.51);
  }
}

TEST(Equalize, ClaheRaisesTheContrastOfDarkTiles) {
  Image image(32, 32, 1);
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 32; ++x)
      image.span<uint8_t>()[static_cast<size_t>(32 * y + x)] =
          static_cast<uint8_t>((x < 16 ? 20 : 200) + (x + y) % 8);
  const auto range_of_left = [](const Image& picture) {
    int low = 255, high = 0;
    for (size_t y = 0; y < 32; ++y)
      for (size_t x = 0; x < 12; ++x) {
        low = std::min<int>(low, picture.span<uint8_t>()[32 * y + x]);
        high = std::max<int>(high, picture.span<uint8_t>()[32 * y + x]);
      }
    return high - low;
  };
  const auto clahe = [&](const char* limit) {
    return applied("Equalize", {{"Method", "CLAHE"}, {"CLAHE_GridSize", "2"}, {"CLAHE_ClipLimit", limit}},
                   image);
  };
  EXPECT_EQ(range_of_left(image), 7);
  EXPECT_GT(range_of_left(clahe("40")), 150);
  EXPECT_LT(range_of_left(clahe("1")), range_of_left(clahe("40")));
}

TEST(RandomAffine, ComputesGainBiasAndGamma) {
  const auto with = [](MapKeys::Map keys, Image image) {
    return applied("RandomAffine", std::move(keys), image);
  };
  const Image bytes = picture<uint8_t>(3, 1, 1, {0, 51, 255});
  EXPECT_EQ(row(with({}, bytes)), (std::vector<int>{0, 51, 255}));
  EXPECT_EQ(row(with({{"GainRange", "2 2"}}, bytes)), (std::vector<int>{0, 102, 255}));
  EXPECT_EQ(row(with({{"BiasRange", "0.2 0.2"}}, bytes)), (std::vector<int>{51, 102, 255}));
  EXPECT_EQ(row(with({{"GammaRange", "2 2"}}, bytes)),
            (std::vector<int>{0, 10, 255}));  // 0.2 ^ 2 * 255 = 10.2
  EXPECT_EQ(floats(with({{"GainRange", "3 3"}, {"BiasRange", "1 1"}}, picture<float>(2, 1, 1, {2, -2}))),
            (std::vector<float>{7, -5}));
  EXPECT_EQ(floats(with({{"GammaRange", "2 2"}}, picture<float>(2, 1, 1, {2, -2}))),
            (std::vector<float>{4, -4}));
}

TEST(RandomAffine, ChannelsMayHaveRangesOfTheirOwnOrNone) {
  const Image white = picture<uint8_t>(1, 1, 3, {100, 100, 100});
  EXPECT_EQ(row(applied("RandomAffine", {{"GainRange", "2 2"}, {"GainRange[1]", "0.5 0.5"}}, white)),
            (std::vector<int>{200, 50, 200}));
  EXPECT_EQ(row(applied("RandomAffine", {{"GainRange", "2 2"}, {"ChannelsMask", "1 0 1"}}, white)),
            (std::vector<int>{200, 100, 200}));
  EXPECT_EQ(config_error([&] {
              applied("RandomAffine", {{"ChannelsMask", "1 0"}}, white);
            }),
            "a.ini:1: [sp.Transformation] ChannelsMask: expected 3 numbers for a picture of 1x1x3 u8, got 2");
  EXPECT_EQ(config_error([&] {
              applied("RandomAffine", {{"BiasRange[3]", "0 1"}}, white);
            }),
            "a.ini:1: [sp.Transformation] a range of channel 3 has no channel in a picture of 1x1x3 u8");
  EXPECT_EQ(
      transformation_errors("RandomAffineTransformation", {{"GammaRange", "0 1"}, {"GainRange[0]", "x"}}),
      "a.ini:5: [sp.Transformation] GainRange[0]: expected two numbers, got 'x'\n"
      "a.ini:5: [sp.Transformation] GammaRange: expected two numbers, the smaller one first and >= 1e-06, "
      "got "
      "'0 1'\n");
}

TEST(RandomAffine, VariesAsOftenAsItIsTold) {
  const auto step = transformation(
      "RandomAffineTransformation",
      {{"GainRange", "2 3"}, {"GammaRange", "2 2"}, {"GammaVarProb", "0.3"}, {"DisjointGamma", "1"}});
  int gamma = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    Rng rng(1, "affine", 0, i);
    Image image = picture<float>(2, 1, 1, {1, 3});
    step->apply(image, rng);
    const auto seen = floats(image);
    if (seen[1] == 9 && seen[0] == 1) {
      ++gamma;  // the gain stays 1 with it
    } else {
      EXPECT_NEAR(seen[1], 3 * seen[0], 1e-5);
      EXPECT_TRUE(seen[0] >= 2 && seen[0] <= 3) << seen[0];
    }
  }
  EXPECT_NEAR(gamma, 300, 60);
}

TEST(Affine, ComputesWithANumberForEachPlace) {
  const Folder folder;
  write_matrix(folder.path("mean.npy"), picture<float>(2, 1, 2, {1, 2, 3, 4}));
  write_matrix(folder.path("one.npy"), picture<float>(2, 1, 1, {2, 0}));
  const log::Capture quiet;
  const Image image = picture<uint8_t>(2, 1, 2, {11, 12, 13, 14});
  EXPECT_EQ(floats(applied("Affine",
                           {{"FirstOperator", "Minus"},
                            {"FirstValue", folder.path("mean.npy")},
                            {"SecondOperator", "Divides"},
                            {"SecondValue", folder.path("one.npy")}},
                           image)),
            (std::vector<float>{5, 5, 0, 0}));
  EXPECT_EQ(
      folder.anonymous(quiet.text()),
      "a.ini:5: [sp.Transformation] SecondValue: 1 of the 2 numbers of 'DIR/one.npy' are 0; what they divide "
      "becomes 0\n");
  EXPECT_EQ(config_error([&] {
              applied("Affine", {{"FirstOperator", "Plus"}, {"FirstValue", folder.path("mean.npy")}},
                      Image(2, 2, 2));
            }),
            "a.ini:1: [sp.Transformation] FirstValue: expected numbers for a picture of 2x2x2 f32, the file "
            "has 2x1x2 (width, "
            "height, channels)");
}

TEST(Affine, FilesAreReadWhenTheNetworkIsLoaded) {
  const Folder folder;
  EXPECT_EQ(folder.anonymous(transformation_errors(
                "AffineTransformation", {{"FirstOperator", "Plus"}, {"FirstValue", folder.path("no.npy")}})),
            "a.ini:5: [sp.Transformation] FirstValue: DIR/no.npy: no such file\n");
  EXPECT_EQ(
      transformation_errors("AffineTransformation", {{"FirstOperator", "Plus"}, {"FirstValue", "a.doc"}}),
      "a.ini:5: [sp.Transformation] FirstValue: a.doc: no reader for files that end like this\n"
      "  hint: pictures (png, tif, ...) and arrays (npy, csv) are read\n");
}

}  // namespace
}  // namespace n2d2::data
