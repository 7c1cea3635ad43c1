#include <iostream>
#include <tuple>

#include "pngs.hpp"
#include "samples.hpp"

namespace n2d2::data {
namespace {

/// What comes of reading a file: the picture or what it is refused with, and all that is printed meanwhile,
/// by this program and by libraries.
struct PictureOutcome {
  Image image;
  std::string error, said;
};

std::unique_ptr<Database> samples_of_folder(const Folder& folder) {
  return database("DIR_Database", {{"DataPath", folder.path()}, {"Learn", "1"}, {"Depth", "0"}});
}

/// The first file of the folder, read so often.
PictureOutcome picture_outcome(const Folder& folder, int times = 1) {
  const auto db = samples_of_folder(folder);
  PictureOutcome out;
  const log::Capture capture;
  testing::internal::CaptureStderr();
  for (int i = 0; i < times; ++i) {
    out.error = config_error([&] { out.image = db->image(0); });
    if (out.error == "no error") out.error.clear();
  }
  out.error = folder.anonymous(out.error);
  out.said = folder.anonymous(testing::internal::GetCapturedStderr() + capture.text());
  return out;
}

std::string refused_picture(const std::string& file, const std::string& why) {
  return "DIR/" + file + ": " + why + "\n  hint: copy it again, or take it out of the folder";
}

Image random_pixels(int channels) {
  Image out(24, 16, channels);
  Rng rng(3, "noise", 0, 0);
  for (uint8_t& x : out.span<uint8_t>()) x = static_cast<uint8_t>(rng.below(256));
  return out;
}

TEST(DamagedPng, IsRefusedByItsNameAndItsLibraryPrintsNothing) {
  const std::string whole = png(random_pixels(3));
  std::string flipped = whole;
  flipped[whole.find("IDAT") + 200] ^= 1;
  const std::string ends = "damaged: the file ends before the picture does";
  const std::pair<std::string, std::string> cases[] = {
      {whole.substr(0, whole.size() / 2), ends},
      {whole.substr(0, whole.size() - 10), ends},
      {whole.substr(0, 40), ends},
      {flipped, "damaged: IDAT: incorrect data check"},
      {png_of(1, {"a"}, {3, 0}), "damaged: Invalid IHDR data"},
      {png_of(2, {"ab", "cd"}, {8, 3}), "damaged: IDAT: Missing PLTE before IDAT"},
      {png_of(9, {"too short"}, {8, 2}), "damaged: Not enough image data"},
      {png_with(whole, png_chunk("ABCD", "")), "damaged: ABCD: unhandled critical chunk"}};
  for (const auto& [bytes, why] : cases) {
    const Folder folder;
    folder.write("a.png", bytes);
    const PictureOutcome found = picture_outcome(folder);
    EXPECT_EQ(found.error, refused_picture("a.png", why));
    EXPECT_EQ(found.said, "");
  }
}

TEST(OddPng, IsTakenAndWhatIsOddIsSaidOnceWithItsName) {
  const Image expected = random_pixels(3);
  const std::string profile(13, 'x');
  const std::pair<std::string, std::string> cases[] = {
      {png_chunk("iCCP", "name" + std::string(2, '\0') + profile), "iCCP: too short"},
      {png_chunk("gAMA", std::string("\0\0\xb1\x8f", 4), true), "gAMA: CRC error"},
      {png_chunk("iCCP", "name" + std::string(2, '\0') + profile, true) +
           png_chunk("gAMA", std::string("\0\0\xb1\x8f", 4), true),
       "iCCP: CRC error"}};
  for (const auto& [chunks, words] : cases) {
    const Folder folder;
    folder.write("a.png", png_with(png(expected), chunks));
    const PictureOutcome found = picture_outcome(folder, 3);
    EXPECT_EQ(found.error, "");
    EXPECT_EQ(found.image, expected);
    EXPECT_EQ(found.said, "DIR/a.png: libpng says '" + words + "'; the picture is taken as it was decoded\n");
  }
}

TEST(OddPng, IsSaidOfEveryFileOfASample) {
  const Folder folder;
  const std::string odd = png_with(png(random_pixels(1)), png_chunk("gAMA", "none", true));
  folder.write("a_red.png", odd);
  folder.write("a_green.png", odd);
  const auto db = database("DIR_Database", {{"DataPath", folder.path()},
                                            {"Learn", "1"},
                                            {"Depth", "0"},
                                            {"MultiChannelMatch", "_red\\.png$"},
                                            {"MultiChannelReplace", "_green.png"}});
  const log::Capture capture;
  EXPECT_EQ(db->image(0).channels(), 2);
  EXPECT_EQ(db->image(0).channels(), 2);
  EXPECT_EQ(folder.anonymous(capture.text()),
            "DIR/a_red.png: libpng says 'gAMA: CRC error'; the picture is taken as it was decoded\n"
            "DIR/a_green.png: libpng says 'gAMA: CRC error'; the picture is taken as it was decoded\n");
}

/// Little-endian words.
std::string little_words(const std::vector<uint32_t>& values) {
  std::string out;
  for (const uint32_t value : values)
    for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift & 0xffU);
  return out;
}

TEST(DamagedPicture, OfAnotherKindIsRefusedAndItsLibraryPrintsNothing) {
  // BMP: 8 x 8 pixels of 24 bits, whose rows are missing. JPEG 2000: a size segment without components.
  const std::string bmp =
      "BM" + little_words({54 + 192, 0, 54, 40, 8, 8, 1U | 24U << 16U, 0, 192, 0, 0, 0, 0});
  const std::string jpeg_2000 = std::string("\xff\x4f\xff\x51\0\x29\0\0", 8) + std::string(3, '\0') + "\x08" +
                                std::string(3, '\0') + "\x08" + std::string(40, '\0');
  // TIFF: 4 x 4 grey bytes at 1000, where nothing is.
  const std::string tiff =
      std::string("II*\0", 4) + little_words({8}) + std::string("\x06\0", 2) +
      little_words({256U | 3U << 16U, 1, 4, 257U | 3U << 16U, 1, 4, 258U | 3U << 16U, 1, 8, 259U | 3U << 16U,
                    1, 1, 262U | 3U << 16U, 1, 1, 273U | 4U << 16U, 1, 1000, 0});
  const std::string stream_ends = "cannot be decoded: Unexpected end of input stream";
  const std::string nothing_said = "cannot be decoded: not a picture, or damaged";
  const std::tuple<std::string, std::string, std::string> cases[] = {
      {"a.bmp", bmp + "abc", stream_ends},
      {"a.jp2", jpeg_2000,
       "cannot be decoded: OpenJPEG2000: Error with SIZ marker: number of component is not compatible with "
       "the remaining number of parameters ( 0 vs 1)"},
      {"a.tif", tiff, nothing_said},
      {"a.png", std::string("RIFF\x20\0\0\0WEBPVP8L\x10\0\0\0\x2f\x03\xc0\0\0", 25) + std::string(7, 'x'),
       nothing_said}};
  for (const auto& [file, bytes, why] : cases) {
    const Folder folder;
    folder.write(file, bytes);
    const PictureOutcome found = picture_outcome(folder);
    EXPECT_EQ(found.error, refused_picture(file, why));
    EXPECT_EQ(found.said, "");
  }
}

TEST(DamagedPicture, OfNetpbmIsRefused) {
  const std::string ends = "damaged: the file ends before the picture does";
  const std::tuple<std::string, std::string, std::string> cases[] = {
      {"a.ppm", "P6 8 8 255\nabc", ends},
      {"a.pgm", "P2 2 1 9 1", ends},
      {"a.pbm", "P1 2 1 1 x", "damaged: it has another character where a bit is"},
      {"a.pgm", "P2 2 1 9 1 x", "damaged: it has another character where a number is"},
      {"a.pgm", "P5 2 1 65536\nab", "damaged: its size or its largest value is out of range"},
      {"a.pgm", "P5 2 1 0\nab", "damaged: its size or its largest value is out of range"},
      {"a.pgm", "P5 2 1 99999999999\nab", "damaged: a number in it is too large"}};
  for (const auto& [file, bytes, why] : cases) {
    const Folder folder;
    folder.write(file, bytes);
    const PictureOutcome found = picture_outcome(folder);
    EXPECT_EQ(found.error, refused_picture(file, why));
    EXPECT_EQ(found.said, "");
  }
}

TEST(DamagedPicture, LeavesStandardErrorAsItWas) {
  const Folder folder;
  folder.write("a.tif", std::string("II*\0\x08\0\0\0\0\0", 10));
  picture_outcome(folder);
  testing::internal::CaptureStderr();
  std::cerr << "a sentence" << ' ' << 1 << std::endl;
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "a sentence 1\n");
}

/// One picture of two pixels and what it is: values of U8, or of U16.
struct KindOfPixel {
  const char* what;
  std::string bytes;
  int channels;
  std::vector<int> values;
  bool is_wide = false;
};

std::vector<KindOfPixel> png_kinds() {
  const std::string palette = png_chunk("PLTE", "abcdef"), alpha = png_chunk("tRNS", "\x07");
  const std::string key = png_chunk("tRNS", std::string("\0\x05", 2));
  return {{"grey of 1 bit", png_of(2, {"\x40"}, {1, 0}), 1, {0, 255}},
          {"grey of 2 bits", png_of(2, {"\x90"}, {2, 0}), 1, {2 * 85, 85}},
          {"grey of 4 bits", png_of(2, {"\x3f"}, {4, 0}), 1, {3 * 17, 255}},
          {"grey of 8 bits", png_of(2, {"\x05\x06"}, {8, 0}), 1, {5, 6}},
          {"grey of 16 bits", png_of(2, {"\x05\x06\x07\x08"}, {16, 0}), 1, {0x0506, 0x0708}, true},
          {"grey with a value that is transparent", png_of(2, {"\x05\x06"}, {8, 0}, key), 1, {5, 6}},
          {"grey and alpha", png_of(2, {"\x05\x06\x07\x08"}, {8, 4}), 4, {5, 5, 5, 6, 7, 7, 7, 8}},
          {"colours", png_of(2, {"abcdef"}, {8, 2}), 3, {'c', 'b', 'a', 'f', 'e', 'd'}},
          {"colours of 16 bits", png_of(1, {"abcdef"}, {16, 2}), 3, {0x6566, 0x6364, 0x6162}, true},
          {"colours and alpha", png_of(1, {"abcd"}, {8, 6}), 4, {'c', 'b', 'a', 'd'}},
          {"a palette of 1 bit", png_of(2, {"\x40"}, {1, 3}, palette), 3, {'c', 'b', 'a', 'f', 'e', 'd'}},
          {"a palette and alpha",
           png_of(2, {std::string("\1\0", 2)}, {8, 3}, palette + alpha),
           4,
           {'f', 'e', 'd', 255, 'c', 'b', 'a', 7}}};
}

TEST(ReadPng, GivesTheValuesOfEveryKindOfPixel) {
  for (const KindOfPixel& kind : png_kinds()) {
    const Folder folder;
    folder.write("a.png", kind.bytes);
    const PictureOutcome found = picture_outcome(folder);
    ASSERT_EQ(found.error + found.said, "") << kind.what;
    EXPECT_EQ(found.image.channels(), kind.channels) << kind.what;
    std::vector<int> values;
    if (kind.is_wide)
      for (const uint16_t x : found.image.span<uint16_t>()) values.push_back(x);
    else
      for (const uint8_t x : found.image.span<uint8_t>()) values.push_back(x);
    EXPECT_EQ(values, kind.values) << kind.what;
  }
}

}  // namespace
}  // namespace n2d2::data
