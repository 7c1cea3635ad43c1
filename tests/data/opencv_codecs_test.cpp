// The readers and writers of pictures that need no OpenCV give what OpenCV gives, which is the oracle here.
#include <opencv2/imgcodecs.hpp>

#include "n2d2/base/random.hpp"

#include "files/codecs.hpp"
#include "files/mat.hpp"
#include "files/png_file.hpp"
#include "files/pnm_file.hpp"
#include "samples.hpp"

namespace n2d2::data {
namespace {

constexpr uint64_t kMost = 1 << 20;

int below(Rng& rng, int count) {
  return static_cast<int>(rng.below(static_cast<uint64_t>(count)));
}

/// Blanks and comments that may stand between two numbers.
std::string gap(Rng& rng) {
  static const char* const kGaps[] = {" ", "\n", "\t ", "\r\n", "\n# 12 a comment\n", "\n#\r\n", "\v\f"};
  return kGaps[below(rng, std::size(kGaps))];
}

/// A whole file of any kind. Behind the last number there is a blank, as OpenCV demands.
std::string any_pnm(Rng& rng) {
  const int kind = 1 + below(rng, 6), width = 1 + below(rng, 19), height = 1 + below(rng, 5);
  static const int kLargest[] = {1, 7, 100, 255, 256, 1000, 65535};
  const int largest = kind == 1 || kind == 4 ? 1 : kLargest[below(rng, std::size(kLargest))];
  std::string out = "P" + std::to_string(kind) + "\n" + gap(rng) + std::to_string(width) + gap(rng) +
                    std::to_string(height);
  if (kind != 1 && kind != 4) out += gap(rng) + std::to_string(largest);
  out += kind < 4 ? gap(rng) : std::string("\n");
  const int values = width * height * (kind == 3 || kind == 6 ? 3 : 1);
  if (kind == 1)
    for (int i = 0; i < values; ++i)
      out += std::to_string(below(rng, 2)) + (below(rng, 2) != 0 ? gap(rng) : "");
  else if (kind < 4)
    for (int i = 0; i < values; ++i) out += std::to_string(below(rng, largest + 3)) + gap(rng);
  const int bytes = kind == 4 ? (width + 7) / 8 * height : values * (largest > 255 ? 2 : 1);
  if (kind >= 4)
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(below(rng, 256));
  return out;
}

cv::Mat by_opencv(const std::string& bytes) {
  return codecs::functions().decode({bytes.begin(), bytes.end()}, cv::IMREAD_UNCHANGED);
}

TEST(Pnm, IsReadAsByOpenCv) {
  Rng rng(1, "pnm");
  for (int i = 0; i < 600; ++i) {
    const std::string bytes = any_pnm(rng);
    ASSERT_TRUE(is_pnm(bytes));
    const DecodedPicture found = decode_pnm(bytes, kMost);
    ASSERT_EQ(found.damage, "") << bytes;
    ASSERT_EQ(found.image, to_image(by_opencv(bytes))) << bytes;
  }
}

TEST(Pnm, ThatIsCutIsNoPicture) {
  Rng rng(2, "pnm");
  for (int i = 0; i < 100; ++i) {
    const std::string bytes = "P5 4 4 255\n0123456789abcde";
    const std::string cut = bytes.substr(0, 3 + rng.below(bytes.size() - 3));
    EXPECT_TRUE(decode_pnm(cut, kMost).image.empty()) << cut;
  }
  EXPECT_EQ(decode_pnm("P5 2000 2000 255\n", kMost).damage, "its size is not the one of its header");
}

TEST(Pnm, NeedsNothingBehindItsLastNumber) {
  EXPECT_EQ(decode_pnm("P2 2 1 255 5 6", kMost).image, (picture<uint8_t>(2, 1, 1, {5, 6})));
  EXPECT_EQ(decode_pnm("P1 2 1 01", kMost).image, (picture<uint8_t>(2, 1, 1, {255, 0})));
}

TEST(Png, IsWrittenAsByOpenCv) {
  Rng rng(3, "png");
  for (int i = 0; i < 60; ++i) {
    static const int kChannels[] = {1, 3, 4};
    Image image(1 + below(rng, 40), 1 + below(rng, 40), kChannels[i % 3],
                i % 2 == 0 ? DataType::U8 : DataType::U16);
    const int most = i % 5 == 0 ? 2 : 256;
    auto* const bytes = reinterpret_cast<unsigned char*>(image.raw());
    for (int64_t b = 0; b < image.bytes(); ++b) bytes[b] = static_cast<unsigned char>(below(rng, most));
    std::vector<unsigned char> expected;
    ASSERT_TRUE(codecs::functions().encode(".png", view(image), expected, {}));
    const EncodedPicture found = encode_png(image);
    EXPECT_EQ(found.reason, "");
    EXPECT_TRUE(found.bytes == std::string(expected.begin(), expected.end())) << image.text();
  }
}

}  // namespace
}  // namespace n2d2::data
