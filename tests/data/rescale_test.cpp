#include <cmath>

#include "samples.hpp"

namespace n2d2::data {
namespace {

Image rescaled(Image image, MapKeys::Map keys) {
  Rng rng(1);
  transformation("RescaleTransformation", std::move(keys))->apply(image, rng);
  return image;
}

/// Bilinear with pixel centres at half coordinates, edges repeated, written from the definition.
double bilinear(const Image& image, int width, int height, int x, int y, int c) {
  const auto at = [&](int ix, int iy) {
    ix = std::clamp(ix, 0, image.width() - 1);
    iy = std::clamp(iy, 0, image.height() - 1);
    return static_cast<double>(
        image.span<float>()[static_cast<size_t>((iy * image.width() + ix) * image.channels() + c)]);
  };
  const double sx = (x + 0.5) * image.width() / width - 0.5, sy = (y + 0.5) * image.height() / height - 0.5;
  const int ix = static_cast<int>(std::floor(sx)), iy = static_cast<int>(std::floor(sy));
  const double fx = sx - ix, fy = sy - iy;
  return (1 - fy) * ((1 - fx) * at(ix, iy) + fx * at(ix + 1, iy)) +
         fy * ((1 - fx) * at(ix, iy + 1) + fx * at(ix + 1, iy + 1));
}

Image noise(int width, int height, int channels) {
  std::vector<float> x(static_cast<size_t>(width * height * channels));
  Rng rng(3);
  for (float& v : x) v = static_cast<float>(rng.uniform(0, 255));
  return picture(width, height, channels, x);
}

TEST(Rescale, IsBilinearAtHalfPixelCentres) {
  for (const auto& [width, height] : {std::pair{7, 5}, {13, 4}, {3, 20}}) {
    const Image from = noise(9, 6, 2);
    const Image to = rescaled(from, {{"Width", std::to_string(width)}, {"Height", std::to_string(height)}});
    const auto got = values<float>(to);
    ASSERT_EQ(to.width(), width);
    ASSERT_EQ(to.height(), height);
    for (int y = 0, i = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (int c = 0; c < 2; ++c, ++i)
          EXPECT_NEAR(got[static_cast<size_t>(i)], bilinear(from, width, height, x, y, c), 1e-3);
  }
}

TEST(Rescale, DoesNotAntialiasByDefault) {
  std::vector<uint8_t> row(16, 0);
  row[8] = 255;  // between the two pixels that are sampled
  const Image to = rescaled(picture<uint8_t>(16, 1, 1, row), {{"Width", "2"}, {"Height", "1"}});
  EXPECT_EQ(values<uint8_t>(to), (std::vector<uint8_t>{0, 0}));
}

TEST(Rescale, AntialiasWidensTheTriangleByTheShrinkFactor) {
  // 4 -> 2: centres 1 and 3, half width 2: weights 1 3 3 1, one of the outer ones cut at the edge.
  const Image from = picture<uint8_t>(4, 1, 1, {0, 70, 140, 210});
  EXPECT_EQ(values<uint8_t>(rescaled(from, {{"Width", "2"}, {"Height", "1"}, {"Antialias", "1"}})),
            (std::vector<uint8_t>{50, 160}));
  const Image column = picture<float>(1, 4, 1, {0, 70, 140, 210});
  EXPECT_EQ(values<float>(rescaled(column, {{"Width", "1"}, {"Height", "2"}, {"Antialias", "1"}})),
            (std::vector<float>{50, 160}));
}

TEST(Rescale, AntialiasEnlargesLikeBilinear) {
  const Image from = noise(5, 4, 3);
  const Image a = rescaled(from, {{"Width", "11"}, {"Height", "9"}, {"Antialias", "1"}});
  const Image b = rescaled(from, {{"Width", "11"}, {"Height", "9"}});
  const auto va = values<float>(a), vb = values<float>(b);
  for (size_t i = 0; i < va.size(); ++i) EXPECT_NEAR(va[i], vb[i], 1e-3);
}

TEST(Rescale, AntialiasKeepsAConstantPicture) {
  for (const int size : {1, 3, 8, 50}) {
    const Image to = rescaled(picture<uint8_t>(10, 10, 1, std::vector<uint8_t>(100, 201)),
                              {{"Width", std::to_string(size)}, {"Height", "7"}, {"Antialias", "1"}});
    for (const uint8_t x : values<uint8_t>(to)) EXPECT_EQ(x, 201);
  }
}

TEST(Rescale, AntialiasTakesSixteenBits) {
  const Image from = picture<uint16_t>(4, 1, 1, {0, 7000, 14000, 21000});
  EXPECT_EQ(values<uint16_t>(rescaled(from, {{"Width", "2"}, {"Height", "1"}, {"Antialias", "1"}})),
            (std::vector<uint16_t>{5000, 16000}));
  const Image negative = picture<int16_t>(4, 1, 1, {0, -7000, -14000, -21000});
  EXPECT_EQ(values<int16_t>(rescaled(negative, {{"Width", "2"}, {"Height", "1"}, {"Antialias", "1"}})),
            (std::vector<int16_t>{-5000, -16000}));
}

TEST(Rescale, KeepsTheAspectRatioInsideOrCovering) {
  EXPECT_EQ(rescaled(Image(40, 20, 1), {{"Width", "10"}, {"Height", "10"}, {"KeepAspectRatio", "1"}}).text(),
            "10x5x1 u8");
  EXPECT_EQ(rescaled(Image(40, 20, 1),
                     {{"Width", "10"}, {"Height", "10"}, {"KeepAspectRatio", "1"}, {"ResizeToFit", "0"}})
                .text(),
            "20x10x1 u8");
  // 33 * 10 / 40 = 8.25 is cut.
  EXPECT_EQ(rescaled(Image(40, 33, 1), {{"Width", "10"}, {"Height", "10"}, {"KeepAspectRatio", "1"}}).text(),
            "10x8x1 u8");
  EXPECT_EQ(rescaled(Image(400, 1, 1), {{"Width", "10"}, {"Height", "10"}, {"KeepAspectRatio", "1"}}).text(),
            "10x1x1 u8");
}

TEST(Rescale, ExactIsAsLongAsAskedForOnOneSide) {
  const auto size = [](int width, int height, int to, const char* fit, const char* exact) {
    const std::string side = std::to_string(to);
    return rescaled(Image(width, height, 1), {{"Width", side},
                                              {"Height", side},
                                              {"KeepAspectRatio", "1"},
                                              {"ResizeToFit", fit},
                                              {"Exact", exact}})
        .text();
  };
  EXPECT_EQ(size(49, 80, 32, "0", "0"), "31x52x1 u8");  // 32 / 49 * 49 < 32
  EXPECT_EQ(size(49, 80, 32, "0", "1"), "32x52x1 u8");
  EXPECT_EQ(size(80, 49, 32, "0", "1"), "52x32x1 u8");
  EXPECT_EQ(size(49, 80, 32, "1", "1"), "19x32x1 u8");
  EXPECT_EQ(size(80, 49, 32, "1", "1"), "32x19x1 u8");
  EXPECT_EQ(size(500, 375, 256, "0", "1"), "341x256x1 u8");
  EXPECT_EQ(size(400, 1, 10, "1", "1"), "10x1x1 u8");
  for (int side = 1; side < 300; ++side)
    EXPECT_EQ(size(side, side + 7, 32, "0", "1").substr(0, 3), "32x") << side;
}

TEST(Rescale, RefusesPicturesOfWholeNumbersOf32Bits) {
  EXPECT_EQ(config_error([] {
              rescaled(Image(4, 4, 1, DataType::I32), {{"Width", "2"}, {"Height", "2"}});
            }),
            "a.ini:1: [sp.Transformation] RescaleTransformation: expected a picture of u8 or u16 or i16 or "
            "f32, got "
            "4x4x1 i32");
}

TEST(Rescale, SizesAreRequired) {
  EXPECT_EQ(transformation_errors("RescaleTransformation", {{"Width", "0"}}),
            "a.ini:5: [sp.Transformation] Width: expected an integer >= 1, got '0'\n"
            "a.ini:1: [sp.Transformation] Height: missing, expected an integer >= 1\n");
}

TEST(Rescale, KeepSizeLeavesPicturesOfThatSizeAlone) {
  const MapKeys::Map keys{{"Width", "12"}, {"Height", "8"}, {"KeepSize", "9 6"}};
  EXPECT_EQ(rescaled(noise(9, 6, 2), keys), noise(9, 6, 2));
  EXPECT_EQ(rescaled(noise(6, 9, 2), keys).text(), "12x8x2 f32");
  PictureForm form{9, 6, 2, DataType::F32};
  transformation("RescaleTransformation", keys)->foresee(form);
  EXPECT_EQ(form.width, 0) << "not known before a picture is";
}

}  // namespace
}  // namespace n2d2::data
