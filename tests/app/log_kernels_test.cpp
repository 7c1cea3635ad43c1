#include "look/log_kernels.hpp"

#include <numeric>

#include "folder_test.hpp"
#include "run_net.hpp"
#include "small_net.hpp"

namespace n2d2::app {
namespace {

/// Two outputs of two channels, kernels of 1 x 2.
constexpr float kValues[] = {1, -1, 0, 0.5F, -0.5F, 0.25F, 0, 0};

uint8_t pixel(const data::Image& image, int x, int y) {
  return image.span<uint8_t>()[static_cast<size_t>(y * image.width() + x)];
}

TEST(KernelsPicture, IsARowOfWindowsForEachOutput) {
  const data::Image image = kernels_picture({2, 2, 1, 2, kValues});
  // Squares of 8 pixels, windows a pixel apart.
  ASSERT_EQ(image.text(), "35x19x1 u8");
  EXPECT_EQ(pixel(image, 1, 1), 255);    // 1
  EXPECT_EQ(pixel(image, 9, 8), 0);      // -1
  EXPECT_EQ(pixel(image, 17, 1), 255);   // between windows
  EXPECT_EQ(pixel(image, 18, 1), 128);   // 0
  EXPECT_EQ(pixel(image, 26, 1), 191);   // 0.5
  EXPECT_EQ(pixel(image, 1, 9), 255);    // between outputs
  EXPECT_EQ(pixel(image, 1, 10), 64);    // -0.5
  EXPECT_EQ(pixel(image, 9, 17), 159);   // 0.25
  EXPECT_EQ(pixel(image, 34, 18), 255);  // the frame
}

TEST(KernelsPicture, LeavesOutWholeKernelsWhereThereIsNoRoom) {
  std::vector<float> values(100 * 30 * 9);
  std::iota(values.begin(), values.end(), 0.0F);
  const data::Image image = kernels_picture({100, 30, 3, 3, values}, 41);
  EXPECT_EQ(image.text(), "41x41x1 u8");  // ten kernels of 3 + 1 pixels each way, and the frame
  EXPECT_GT(pixel(image, 39, 39), 128);
}

TEST(KernelsPicture, OfZerosIsGrey) {
  const float zeros[4] = {};
  EXPECT_EQ(pixel(kernels_picture({1, 1, 2, 2, zeros}), 3, 3), 128);
}

class LogKernels : public FolderTest {};

TEST_F(LogKernels, WritesTheWeightsOfLayersThatHaveSome) {
  write("net.ini", kSmallNet);
  const std::string out = run_net({"-seed", "1", "-w", "/dev/null", "-log-kernels"});
  EXPECT_TRUE(has(out, "Kernels: weights of 2 layers in 'kernels'\n")) << out;
  const std::string conv = read("kernels/conv.dat"), fc = read("kernels/fc.dat");
  EXPECT_TRUE(has(conv, "# 4 outputs of 1 channels, kernels of 3 rows of 3\n# output 0, channel 0\n"))
      << conv;
  EXPECT_TRUE(has(fc, "# 10 outputs of 4 channels, kernels of 5 rows of 5\n")) << fc.substr(0, 100);
  EXPECT_EQ(std::count(fc.begin(), fc.end(), '\n'), 1 + 10 * 4 * 6);
  EXPECT_TRUE(read("kernels/conv.png").starts_with("\x89PNG"));
  EXPECT_TRUE(read("kernels/fc.png").starts_with("\x89PNG"));
}

}  // namespace
}  // namespace n2d2::app
