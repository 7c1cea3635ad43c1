// Steps that make a pixel of what is around it, or of the whole picture.
#include <cmath>
#include <complex>
#include <functional>

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

/// Weights of a kernel of 2 r + 1 columns and rows, from f(x, y) around the middle.
std::vector<double> kernel_of(int r, const std::function<double(int, int)>& f) {
  std::vector<double> out;
  for (int y = -r; y <= r; ++y)
    for (int x = -r; x <= r; ++x) out.push_back(f(x, y));
  return out;
}

/// Sum of the kernel's weights times what they lie on.
double weighted(const Image& image, int x, int y, int channel, const std::vector<double>& kernel) {
  const int r = (static_cast<int>(std::lround(std::sqrt(static_cast<double>(kernel.size())))) - 1) / 2;
  double sum = 0;
  size_t i = 0;
  for (int dy = -r; dy <= r; ++dy)
    for (int dx = -r; dx <= r; ++dx)
      sum += kernel[i++] *
             at<float>(image, mirrored(x + dx, image.width()), mirrored(y + dy, image.height()), channel);
  return sum;
}

void expect_filter(MapKeys::Map keys, const std::vector<double>& kernel) {
  Image image(9, 7, 2, DataType::F32);
  Rng rng(3);
  for (float& v : image.span<float>()) v = static_cast<float>(rng.uniform(-1, 1));
  const auto side = std::to_string(std::lround(std::sqrt(static_cast<double>(kernel.size()))));
  keys.insert({{"Kernel.SizeX", side}, {"Kernel.SizeY", side}});
  const Image found = applied("Filter", keys, image);
  for (int y = 0; y < 7; ++y)
    for (int x = 0; x < 9; ++x)
      for (int c = 0; c < 2; ++c)
        ASSERT_NEAR(at<float>(found, x, y, c), weighted(image, x, y, c, kernel), 1e-5);
}

std::vector<double> gaussian(int r, double deviation) {
  std::vector<double> out =
      kernel_of(r, [&](int x, int y) { return std::exp(-0.5 * (x * x + y * y) / (deviation * deviation)); });
  double sum = 0;
  for (const double w : out) sum += w;
  for (double& w : out) w /= sum;
  return out;
}

TEST(Filter, KernelsAreThoseOfTheirFormulas) {
  expect_filter({{"Kernel", "*"}, {"Kernel.Mat", "1 2 3 4 5 6 7 8 -9"}}, {1, 2, 3, 4, 5, 6, 7, 8, -9});
  expect_filter({{"Kernel", "Gaussian"}}, gaussian(2, std::sqrt(2.0)));
  std::vector<double> dog = gaussian(2, 1.5);
  const std::vector<double> wide = gaussian(2, 3);
  for (size_t i = 0; i < dog.size(); ++i) dog[i] -= wide[i];
  expect_filter({{"Kernel", "DoG"}, {"Kernel.Sigma1", "3"}, {"Kernel.Sigma2", "1.5"}}, dog);
  std::vector<double> log = kernel_of(2, [](int x, int y) {
    const double t = (x * x + y * y) / 2.0;  // deviation 1
    return (t - 1) * std::exp(-t) / M_PI;
  });
  double mean = 0;
  for (const double w : log) mean += w / 25;
  for (double& w : log) w -= mean;
  expect_filter({{"Kernel", "LoG"}, {"Kernel.Sigma", "1"}, {"Kernel.Positive", "0"}}, log);
  const double c = std::cos(0.7), s = std::sin(0.7);
  expect_filter({{"Kernel", "Gabor"}, {"Kernel.Theta", "0.7"}, {"Kernel.Lambda", "5"}, {"Kernel.Psi", "1"}},
                kernel_of(2, [&](int x, int y) {
                  const double along = c * x + s * y, across = c * y - s * x;
                  return std::exp(-(along * along + 0.25 * across * across) / 4) *
                         std::cos(2 * M_PI * along / 5 + 1);
                }));
}

TEST(Filter, BytesAreRoundedAndKept) {
  const Image image = noise(5, 4, 1);
  const Image half =
      applied("Filter",
              {{"Kernel", "*"}, {"Kernel.SizeX", "1"}, {"Kernel.SizeY", "1"}, {"Kernel.Mat", "-0.5"}}, image);
  EXPECT_EQ(row(half), std::vector<int>(20, 0));
}

TEST(Filter, SaysWhatIsWrongWithItsKernel) {
  const auto wrong = [](MapKeys::Map keys) {
    keys.insert({{"Kernel.SizeX", "3"}, {"Kernel.SizeY", "2"}});
    return transformation_errors("FilterTransformation", std::move(keys));
  };
  EXPECT_EQ(wrong({{"Kernel", "Sobel"}}),
            "a.ini:5: [sp.Transformation] Kernel: expected one of * Gaussian LoG DoG Gabor, got 'Sobel'\n");
  EXPECT_EQ(wrong({{"Kernel", "*"}, {"Kernel.Mat", "1 2"}}),
            "a.ini:5: [sp.Transformation] Kernel.Mat: expected 6 numbers (3 x 2), got 2\n");
  EXPECT_EQ(wrong({{"Kernel", "Gabor"}}),
            "a.ini:1: [sp.Transformation] Kernel.Theta: missing, expected a number\n");
  EXPECT_EQ(wrong({{"Kernel", "LoG"}, {"Kernel.Sigma", "0"}}),
            "a.ini:5: [sp.Transformation] Kernel.Sigma: expected a number above 0, got 0\n");
  EXPECT_EQ(wrong({{"Kernel", "LoG"}, {"Orientation", "1"}}),
            "a.ini:5: [sp.Transformation] Orientation: '1' is not supported: kernels are not turned\n");
}

TEST(Apodization, WindowsAreThoseOfTheirFormulas) {
  const auto window = [](const char* name, MapKeys::Map keys = {}) {
    keys.insert({{"Size", "5"}, {"WindowName", name}});
    Image ones(5, 2, 2);
    for (uint8_t& v : ones.span<uint8_t>()) v = 100;
    const Image out = applied("Apodization", keys, ones);
    std::vector<float> all = values<float>(out), first;
    for (size_t i = 0; i < 5; ++i) {
      first.push_back(all[2 * i] / 100);
      for (const size_t same : {2 * i + 1, 10 + 2 * i, 11 + 2 * i}) EXPECT_EQ(all[same], all[2 * i]);
    }
    return first;
  };
  const auto expect = [](const std::vector<float>& found, double end, double quarter, double middle = 1) {
    const double wanted[] = {end, quarter, middle, quarter, end};
    for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(found[i], wanted[i], 1e-5) << i;
  };
  expect(window("Rectangular"), 1, 1);
  expect(window("Hann"), 0, 0.5);
  expect(window("Hamming"), 0.08, 0.54);
  expect(window("Cosine"), 0, std::sqrt(0.5));
  expect(window("Gaussian", {{"WindowName.Sigma", "0.5"}}), std::exp(-2), std::exp(-0.5));
  expect(window("Blackman"), 0, 0.34);
  // I0(5) = 27.239872, I0(5 sqrt(0.75)) = 15.059611
  expect(window("Kaiser"), 1 / 27.239872, 15.059611 / 27.239872);
  EXPECT_EQ(config_error([] {
              applied("Apodization", {{"Size", "4"}}, Image(5, 1, 1));
            }),
            "a.ini:1: [sp.Transformation] Size: expected 5, the columns of a picture of 5x1x1 u8, got 4");
}

TEST(MorphologicalReconstruction, WhatSurvivesKeepsItsShape) {
  // A cross of 3 survives an erosion by a cross, with its arms; the dot at the right does not.
  const std::vector<uint8_t> before{0, 0, 7, 0, 0, 0, 0,  //
                                    0, 7, 9, 7, 0, 5, 0,  //
                                    0, 0, 7, 0, 0, 0, 0,  //
                                    0, 0, 7, 0, 0, 0, 0};
  Image image(7, 4, 1);
  std::copy(before.begin(), before.end(), image.span<uint8_t>().begin());
  const auto done = [&](const char* operation, const Image& from) {
    return row(applied("MorphologicalReconstruction",
                       {{"Operation", operation}, {"Size", "3"}, {"Shape", "Cross"}}, from));
  };
  std::vector<int> opened{0, 0, 7, 0, 0, 0, 0, 0, 7, 7, 7, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0};
  EXPECT_EQ(done("OpeningByReconstruction", image), opened);
  Image negative = image;
  for (uint8_t& v : negative.span<uint8_t>()) v = static_cast<uint8_t>(255 - v);
  for (int& v : opened) v = 255 - v;
  EXPECT_EQ(done("ClosingByReconstruction", negative), opened);
  EXPECT_EQ(
      transformation_errors(
          "MorphologicalReconstructionTransformation",
          {{"Operation", "ReconstructionByErosion"}, {"Size", "3"}, {"ApplyToLabels", "1"}}),
      "a.ini:5: [sp.Transformation] ApplyToLabels: '1' is not supported: label maps are not changed\n"
      "a.ini:5: [sp.Transformation] Operation: 'ReconstructionByErosion' is not supported: a second picture "
      "would say where it starts\n"
      "  hint: OpeningByReconstruction and ClosingByReconstruction start from the picture\n");
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
