#include <limits>

#include "n2d2/data/image.hpp"

#include "files/sample_files.hpp"
#include "samples.hpp"

namespace n2d2::data {
namespace {

/// The picture as its PNG file is read. The file is named after the test: ctest runs tests beside each other.
Image read_again(const Image& image) {
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / ("n2d2_png_" + test + ".png");
  std::ofstream(file, std::ios::binary) << png(image);
  Image out = Sample(std::make_shared<FoundFile>(FoundFile{file, {}, {}})).image();
  std::filesystem::remove(file);
  return out;
}

TEST(ImagePng, HoldsBytesAsTheyAre) {
  const Image grey = picture<uint8_t>(3, 2, 1, {0, 1, 2, 100, 200, 255});
  EXPECT_EQ(read_again(grey), grey);
  const Image color = picture<uint8_t>(2, 1, 3, {1, 2, 3, 40, 50, 60});
  EXPECT_EQ(read_again(color), color);
}

TEST(ImagePng, SpreadsOtherValuesOverTheBytes) {
  EXPECT_EQ(read_again(picture<float>(3, 1, 1, {-1, 0, 1})), picture<uint8_t>(3, 1, 1, {0, 128, 255}));
  EXPECT_EQ(read_again(picture<int16_t>(3, 1, 1, {100, 200, 610})), picture<uint8_t>(3, 1, 1, {0, 50, 255}));
  EXPECT_EQ(read_again(picture<float>(2, 1, 1, {7, 7})), picture<uint8_t>(2, 1, 1, {0, 0}));
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(read_again(picture<float>(4, 1, 1, {nan, inf, 1, 2})), picture<uint8_t>(4, 1, 1, {0, 0, 0, 255}));
}

TEST(ImagePng, ShowsOtherChannelsBesideEachOther) {
  EXPECT_EQ(read_again(picture<uint8_t>(2, 1, 2, {1, 11, 2, 12})), picture<uint8_t>(4, 1, 1, {1, 2, 11, 12}));
}

TEST(ImagePng, RefusesWhatIsTooLarge) {
  testing::internal::CaptureStderr();
  for (const auto& [width, height] : {std::pair(2000000, 1), {1, 1000001}})
    EXPECT_THROW(png(Image(width, height, 1)), ConfigError) << width;
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace n2d2::data
