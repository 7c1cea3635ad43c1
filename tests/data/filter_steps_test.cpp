// Steps that make a pixel of what is around it, or of the whole picture.
#include <cmath>
#include <complex>

#include "applied.hpp"

namespace n2d2::data {
namespace {

/// 0 to size - 1, mirrored at the edges without repeating them.
int mirrored(int i, int size) {
  if (size == 1) return 0;
  while (i < 0 || i >= size) i = i < 0 ? -i : 2 * (size - 1) - i;
  return i;
}

template <class T = uint8_t>
double at(const Image& image, int x, int y, int channel) {
  return static_cast<double>(
      image.span<T>()[static_cast<size_t>((y * image.width() + x) * image.channels() + channel)]);
}

/// Least or largest value of the size x size square around each pixel that lies inside the picture.
Image extreme(const Image& image, int size, bool largest) {
  Image out(image.width(), image.height(), image.channels());
  size_t i = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      for (int c = 0; c < image.channels(); ++c) {
        int found = largest ? 0 : 255;
        for (int dy = -(size / 2); dy < size - size / 2; ++dy)
          for (int dx = -(size / 2); dx < size - size / 2; ++dx) {
            if (x + dx < 0 || y + dy < 0 || x + dx >= image.width() || y + dy >= image.height()) continue;
            const int value = static_cast<int>(at(image, x + dx, y + dy, c));
            found = largest ? std::max(found, value) : std::min(found, value);
          }
        out.span<uint8_t>()[i++] = static_cast<uint8_t>(found);
      }
  return out;
}

Image difference(const Image& a, const Image& b) {
  Image out = a;
  for (size_t i = 0; i < out.span<uint8_t>().size(); ++i)
    out.span<uint8_t>()[i] = static_cast<uint8_t>(a.span<uint8_t>()[i] - b.span<uint8_t>()[i]);
  return out;
}

TEST(Morphology, EveryOperation) {
  const Image image = noise(9, 7, 2);
  const auto done = [&](const char* operation, const char* times = "1") {
    return applied("Morphology", {{"Operation", operation}, {"Size", "3"}, {"NbIterations", times}}, image);
  };
  const auto erode = [](const Image& i) { return extreme(i, 3, false); };
  const auto dilate = [](const Image& i) { return extreme(i, 3, true); };
  EXPECT_EQ(done("Erode"), erode(image));
  EXPECT_EQ(done("Dilate"), dilate(image));
  EXPECT_EQ(done("Dilate", "2"), dilate(dilate(image)));
  EXPECT_EQ(done("Opening"), dilate(erode(image)));
  EXPECT_EQ(done("Closing"), erode(dilate(image)));
  EXPECT_EQ(done("Gradient"), difference(dilate(image), erode(image)));
  EXPECT_EQ(done("TopHat"), difference(image, dilate(erode(image))));
  EXPECT_EQ(done("BlackHat"), difference(erode(dilate(image)), image));
}

TEST(Morphology, ShapesAndWhatIsRefused) {
  Image dot(5, 5, 1);
  dot.span<uint8_t>()[12] = 9;
  EXPECT_EQ(row(applied("Morphology", {{"Operation", "Dilate"}, {"Size", "3"}, {"Shape", "Cross"}}, dot)),
            (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 9, 9, 9, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(transformation_errors("MorphologyTransformation",
                                  {{"Operation", "Erode"}, {"Size", "3"}, {"ApplyToLabels", "1"}}),
            "a.ini:5: [sp.Transformation] ApplyToLabels: '1' is not supported: label maps are not changed\n");
}

TEST(GradientFilter, IsHalfOfBothDerivatives) {
  const Image image = noise(8, 6, 2);
  const Image sobel = applied("GradientFilter", {}, image),
              laplacian =
                  applied("GradientFilter", {{"GradientFilter", "Laplacian"}, {"KernelSize", "1"}}, image);
  const Image scharr = applied("GradientFilter", {{"GradientFilter", "Scharr"}, {"Scale", "0.1"}}, image);
  for (int y = 0; y < 6; ++y)
    for (int x = 0; x < 8; ++x)
      for (int c = 0; c < 2; ++c) {
        const auto around = [&](int dx, int dy) {
          return at(image, mirrored(x + dx, 8), mirrored(y + dy, 6), c);
        };
        const auto steep = [&](double side, double middle, double factor) {
          const double gx = side * (around(1, -1) - around(-1, -1) + around(1, 1) - around(-1, 1)) +
                            middle * (around(1, 0) - around(-1, 0));
          const double gy = side * (around(-1, 1) - around(-1, -1) + around(1, 1) - around(1, -1)) +
                            middle * (around(0, 1) - around(0, -1));
          return std::min(255.0, factor * (std::abs(gx) + std::abs(gy)) / 2);
        };
        EXPECT_NEAR(at(sobel, x, y, c), steep(1, 2, 1), 0.51);
        EXPECT_NEAR(at(scharr, x, y, c), steep(3, 10, 0.1), 0.51);
        const double second = around(1, 0) + around(-1, 0) + around(0, 1) + around(0, -1) - 4 * around(0, 0);
        EXPECT_NEAR(at(laplacian, x, y, c), std::min(255.0, std::abs(second)), 0.51);
      }
}

TEST(WallisFilter, MakesMeanAndDeviationTheSameEverywhere) {
  const Image image = noise(7, 9, 2);
  const MapKeys::Map keys{{"Size", "3"}, {"Mean", "2"}, {"StdDev", "5"}, {"PerChannel", "1"}};
  const Image each = applied("WallisFilter", keys, image);
  const Image together = applied("WallisFilter", {{"Size", "3"}}, image);
  for (int y = 0; y < 9; ++y)
    for (int x = 0; x < 7; ++x) {
      double sum[2] = {0, 0}, squares[2] = {0, 0};
      for (int c = 0; c < 2; ++c)
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx) {
            const double v = at(image, mirrored(x + dx, 7), mirrored(y + dy, 9), c);
            sum[c] += v;
            squares[c] += v * v;
          }
      for (int c = 0; c < 2; ++c) {
        const double m = sum[c] / 9, s = std::sqrt(squares[c] / 9 - m * m);
        EXPECT_NEAR(at<float>(each, x, y, c), (at(image, x, y, c) - m) / s * 5 + 2, 1e-3);
        const double all = (sum[0] + sum[1]) / 18,
                     deviation = std::sqrt((squares[0] + squares[1]) / 18 - all * all);
        EXPECT_NEAR(at<float>(together, x, y, c), (at(image, x, y, c) - all) / deviation, 1e-4);
      }
    }
  EXPECT_EQ(values<float>(applied("WallisFilter", {{"Size", "3"}, {"Mean", "4"}}, Image(2, 1, 1))),
            (std::vector<float>{4, 4}));
}

TEST(CompressionNoise, KeepsThePictureAndLosesWhatTheQualitySays) {
  Image image(16, 16, 3);
  for (size_t i = 0; i < image.span<uint8_t>().size(); ++i)
    image.span<uint8_t>()[i] = static_cast<uint8_t>(60 + i / 8 + 40 * (i % 3));
  const auto error = [&](const char* range) {
    const Image result = applied("CompressionNoise", {{"CompressionRange", range}}, image);
    EXPECT_EQ(result.text(), image.text());
    double sum = 0;
    for (size_t i = 0; i < image.span<uint8_t>().size(); ++i)
      sum += std::abs(image.span<uint8_t>()[i] - result.span<uint8_t>()[i]);
    return sum / static_cast<double>(image.elements());
  };
  EXPECT_LT(error("100 100"), 2);
  EXPECT_GT(error("1 1"), 5);
  const MapKeys::Map all{{"CompressionRange", "0 100"}};
  EXPECT_NE(applied("CompressionNoise", all, image, 1), applied("CompressionNoise", all, image, 2));
  EXPECT_EQ(transformation_errors("CompressionNoiseTransformation", {{"CompressionRange", "9 8"}}),
            "a.ini:5: [sp.Transformation] CompressionRange: expected two integers, the smaller one first, "
            "got '9 8'\n");
  EXPECT_EQ(config_error([] { applied("CompressionNoise", {}, Image(2, 2, 2)); }),
            "a.ini:1: [sp.Transformation] CompressionNoiseTransformation: expected 1 or 3 channels, got a "
            "picture of "
            "2x2x2 u8");
}

TEST(Dft, IsTheSumOverAllPixels) {
  const Image image = noise(5, 4, 1);
  for (const bool both : {true, false}) {
    const Image result = applied("DFT", {{"TwoDimensional", both ? "1" : "0"}}, image);
    ASSERT_EQ(result.text(), "5x4x2 f32");
    for (int v = 0; v < 4; ++v)
      for (int u = 0; u < 5; ++u) {
        std::complex<double> sum = 0;
        for (int y = both ? 0 : v; y < (both ? 4 : v + 1); ++y)
          for (int x = 0; x < 5; ++x)
            sum += at(image, x, y, 0) * std::polar(1.0, -2 * M_PI * (u * x / 5.0 + (both ? v * y / 4.0 : 0)));
        EXPECT_NEAR(at<float>(result, u, v, 0), sum.real(), 2e-3);
        EXPECT_NEAR(at<float>(result, u, v, 1), sum.imag(), 2e-3);
      }
  }
  EXPECT_EQ(config_error([] { applied("DFT", {}, Image(2, 2, 3)); }),
            "a.ini:1: [sp.Transformation] DFTTransformation: expected 1 channel, got a picture of 2x2x3 u8\n"
            "  hint: a ChannelExtractionTransformation before this step keeps one");
}

TEST(Dct, IsTheOrthogonalOneOfEachChannel) {
  const Image image = noise(6, 4, 2);
  const Image result = applied("DCT", {}, image), rows = applied("DCT", {{"TwoDimensional", "0"}}, image);
  const auto wave = [](int n, int k, int size) {
    return std::sqrt((k == 0 ? 1.0 : 2.0) / size) * std::cos(M_PI * (2 * n + 1) * k / (2.0 * size));
  };
  for (int c = 0; c < 2; ++c)
    for (int v = 0; v < 4; ++v)
      for (int u = 0; u < 6; ++u) {
        double sum = 0, of_row = 0;
        for (int x = 0; x < 6; ++x) of_row += at(image, x, v, c) * wave(x, u, 6);
        for (int y = 0; y < 4; ++y)
          for (int x = 0; x < 6; ++x) sum += at(image, x, y, c) * wave(x, u, 6) * wave(y, v, 4);
        EXPECT_NEAR(at<float>(result, u, v, c), sum, 1e-3);
        EXPECT_NEAR(at<float>(rows, u, v, c), of_row, 1e-3);
      }
  EXPECT_EQ(config_error([] { applied("DCT", {}, Image(3, 2, 1)); }),
            "a.ini:1: [sp.Transformation] DCTTransformation: expected even sides, got a picture of 3x2x1 u8\n"
            "  hint: a PadCropTransformation before this step makes them even");
}

TEST(MagnitudePhase, LengthAndAngleOfComplexNumbers) {
  const Image two = picture<float>(2, 1, 2, {3, 4, 0, -2});
  const auto plain = values<float>(applied("MagnitudePhase", {}, two));
  EXPECT_FLOAT_EQ(plain[0], 5);
  EXPECT_FLOAT_EQ(plain[1], static_cast<float>(std::atan2(4.0, 3.0)));
  EXPECT_FLOAT_EQ(plain[2], 2);
  EXPECT_FLOAT_EQ(plain[3], static_cast<float>(-M_PI / 2));
  EXPECT_FLOAT_EQ(values<float>(applied("MagnitudePhase", {{"LogScale", "1"}}, two))[0],
                  static_cast<float>(std::log(6.0)));
}

TEST(CentroidCrop, PutsTheWeightIntoTheMiddle) {
  Image image(9, 7, 1);
  image.span<uint8_t>()[9 * 2 + 3] = 200;  // alone at (3, 2)
  const auto with = [&](const char* axis) { return applied("CentroidCrop", {{"Axis", axis}}, image); };
  EXPECT_EQ(with("-1").text(), "7x5x1 u8");
  EXPECT_EQ(at(with("-1"), 3, 2, 0), 200);
  EXPECT_EQ(with("0").text(), "7x7x1 u8");
  EXPECT_EQ(at(with("0"), 3, 2, 0), 200);
  EXPECT_EQ(with("1").text(), "9x5x1 u8");
  EXPECT_EQ(applied("CentroidCrop", {}, Image(4, 3, 1)).text(), "4x3x1 u8");
}

TEST(Trim, LeavesLevels) {
  EXPECT_EQ(row(applied("Trim", {{"NbLevels", "2"}}, picture<uint8_t>(4, 1, 1, {0, 127, 128, 255}))),
            (std::vector<int>{0, 0, 255, 255}));
  EXPECT_EQ(row(applied("Trim", {{"NbLevels", "4"}}, picture<uint8_t>(4, 1, 1, {40, 43, 127, 250}))),
            (std::vector<int>{0, 85, 85, 255}));
  EXPECT_EQ(transformation_errors("TrimTransformation", {{"NbLevels", "3"}, {"Method", "Reduce"}}),
            "a.ini:5: [sp.Transformation] Method: 'Reduce' is not supported: levels are equally far from "
            "each other\n");
}

}  // namespace
}  // namespace n2d2::data
