#include "files/picture_size.hpp"

#include "samples.hpp"

namespace n2d2::data {
namespace {

std::string big(uint64_t value, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i) & 0xffU);
  return out;
}
std::string little(uint64_t value, int bytes) {
  const std::string out = big(value, bytes);
  return {out.rbegin(), out.rend()};
}

std::string png(uint64_t width, uint64_t height) {
  return "\x89PNG\r\n\x1a\n" + big(13, 4) + "IHDR" + big(width, 4) + big(height, 4) +
         std::string("\x08\x02\0\0\0", 5);
}
std::string jpeg(uint64_t width, uint64_t height, const std::string& before = "") {
  return "\xff\xd8" + before + "\xff\xc2" + big(17, 2) + '\x08' + big(height, 2) + big(width, 2) + '\x03';
}
std::string bmp(uint64_t width, uint64_t height) {
  return "BM" + std::string(12, '\0') + little(40, 4) + little(width, 4) + little(height, 4);
}
std::string tiff(uint64_t width, uint64_t height, uint64_t tile) {
  const auto entry = [](uint64_t tag, uint64_t type, uint64_t value) {
    return big(tag, 2) + big(type, 2) + big(1, 4) + (type == 3 ? big(value, 2) + "zz" : big(value, 4));
  };
  return std::string("MM\0*", 4) + big(8, 4) + big(4, 2) + entry(256, 4, width) + entry(257, 3, height) +
         entry(322, 4, tile) + entry(323, 4, tile);
}
std::string jpeg_2000(uint64_t width, uint64_t height) {
  return std::string("\0\0\0\x0cjP  \r\n\x87\n", 12) + std::string(60, 'b') + "\xff\x4f\xff\x51" +
         big(47, 2) + big(0, 2) + big(width, 4) + big(height, 4);
}
std::string webp(const std::string& kind, const std::string& behind) {
  return "RIFF" + little(100, 4) + "WEBP" + kind + little(10, 4) + behind;
}

std::optional<PictureSize> size_of(const std::string& content) {
  const Folder folder;
  folder.write("picture", content);
  return picture_size(folder.path("picture"));
}

TEST(PictureSize, IsReadOfTheHeaderOfEveryKind) {
  const PictureSize size{60000, 345};
  const std::string other = "\xff\xe1" + big(6, 2) + "\xff\xc0zz" + "\xff\xff\xff\xdb" + big(2, 2);
  EXPECT_EQ(size_of(png(60000, 345)), size);
  EXPECT_EQ(size_of(jpeg(60000, 345)), size);
  EXPECT_EQ(size_of(jpeg(60000, 345, other)), size);
  EXPECT_EQ(size_of(bmp(60000, 345)), size);
  EXPECT_EQ(size_of(bmp(60000, (uint64_t{1} << 32U) - 345)), size);
  EXPECT_EQ(size_of("BM" + std::string(12, '\0') + little(12, 4) + little(60000, 2) + little(345, 2)), size);
  EXPECT_EQ(size_of("P6\n# 1 2\n 60000\t345 255\n"), size);
  EXPECT_EQ(size_of("P7\nWIDTH 60000\nHEIGHT 345\nDEPTH 3\n"), size);
  EXPECT_EQ(size_of(tiff(60000, 345, 16)), size);
  EXPECT_EQ(size_of(tiff(60000, 345, 70000)), (PictureSize{70000, 70000}));
  EXPECT_EQ(size_of(jpeg_2000(60000, 345)), size);
  EXPECT_EQ(size_of("\x59\xa6\x6a\x95" + big(60000, 4) + big(345, 4)), size);
  EXPECT_EQ(size_of(webp("VP8X", little(0, 4) + little(59999, 3) + little(344, 3))), size);
  EXPECT_EQ(size_of(webp("VP8L", '\x2f' + little(9999 | 344 << 14, 4))), (PictureSize{10000, 345}));
  EXPECT_EQ(size_of(webp("VP8 ", std::string(6, 'x') + little(10000, 2) + little(345, 2))),
            (PictureSize{10000, 345}));
}

TEST(PictureSize, IsNothingForWhatIsCutWrongOrNoPicture) {
  // A header, and behind how many bytes the size is known.
  const std::pair<std::string, size_t> headers[] = {
      {png(7, 5), 24},     {jpeg(7, 5), 11},      {bmp(7, 5), 26},
      {tiff(7, 5, 1), 58}, {jpeg_2000(7, 5), 88}, {webp("VP8X", std::string(4, 'x') + big(0, 6)), 30}};
  for (const auto& [whole, known] : headers) {
    EXPECT_TRUE(size_of(whole.substr(0, known))) << whole.substr(0, 8);
    for (size_t bytes = 0; bytes < known; ++bytes)
      EXPECT_FALSE(size_of(whole.substr(0, bytes))) << whole.substr(0, 8) << " " << bytes;
  }
  EXPECT_FALSE(size_of("P6\n7"));
  EXPECT_FALSE(size_of("P7\nWIDTH 7\n"));
  EXPECT_FALSE(size_of("P6 no size"));
  EXPECT_FALSE(size_of("\xff\xd8\xff\xe0" + big(1, 2) + "\xff\xc0"));
  EXPECT_FALSE(size_of("\xff\xd8" + std::string(100000, '\xff')));
  EXPECT_FALSE(size_of("text"));
  EXPECT_FALSE(picture_size("no/such/file"));
}

TEST(PictureSize, DecidesBeforeAnythingIsAllocated) {
  const Folder folder;
  // Some bytes that declare 2.7 GB and more; the last is one row above what is read.
  folder.write("a/0.png", png(30000, 30000));
  folder.write("a/1.jpg", jpeg(60000, 60000));
  folder.write("a/2.ppm", "P6\n60000 60000\n255\n");
  folder.write("a/3.tif", tiff(16, 16, 60000));
  folder.write("a/4.pgm", "P5\n8192 8193\n255\n");
  folder.write("a/5.pgm", std::string("P5\n2 1\n255\n") + '\x05' + '\x06');
  const auto db = database("DIR_Database", {{"DataPath", folder.path()}, {"Learn", "1"}});
  const auto failure = [&](int64_t id) {
    try {
      db->image(id);
    } catch (const ConfigError& error) {
      const std::string text = error.what();
      return text.substr(text.find(": "));
    }
    return std::string("no error");
  };
  const std::string rest = "\n  hint: make it smaller before";
  EXPECT_EQ(failure(0), ": expected at most 67108864 pixels, the picture has 30000 x 30000" + rest);
  EXPECT_EQ(failure(1), ": expected at most 67108864 pixels, the picture has 60000 x 60000" + rest);
  EXPECT_EQ(failure(2), ": expected at most 67108864 pixels, the picture has 60000 x 60000" + rest);
  EXPECT_EQ(failure(3), ": expected at most 67108864 pixels, the picture has 60000 x 60000" + rest);
  EXPECT_EQ(failure(4), ": expected at most 67108864 pixels, the picture has 8192 x 8193" + rest);
  EXPECT_EQ(failure(5), "no error");
}

}  // namespace
}  // namespace n2d2::data
