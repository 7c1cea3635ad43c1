#include "files/wav_file.hpp"

#include "samples.hpp"

namespace n2d2::data {
namespace {

std::string number(uint32_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}

/// A file of one chunk that nothing reads, the format and the samples.
std::string wav(int tag, int channels, int bits, const std::string& samples) {
  const std::string format =
      number(static_cast<uint32_t>(tag), 2) + number(static_cast<uint32_t>(channels), 2) + number(16000, 4) +
      number(static_cast<uint32_t>(16000 * channels * bits / 8), 4) +
      number(static_cast<uint32_t>(channels * bits / 8), 2) + number(static_cast<uint32_t>(bits), 2);
  const std::string body = "WAVELIST" + number(3, 4) + "abc" + std::string(1, '\0') + "fmt " + number(16, 4) +
                           format + "data" + number(static_cast<uint32_t>(samples.size()), 4) + samples;
  return "RIFF" + number(static_cast<uint32_t>(body.size()), 4) + body;
}

Image read(const std::string& bytes) {
  const Folder folder;
  folder.write("a.wav", bytes);
  return read_wav(folder.path("a.wav"));
}

TEST(Wav, ElementsAreAsStored) {
  const Image stereo =
      read(wav(1, 2, 16, number(0x8000, 2) + number(0x7FFF, 2) + number(0xFFFF, 2) + number(5, 2)));
  EXPECT_EQ(stereo.text(), "2x1x2 i16");
  EXPECT_EQ(values<int16_t>(stereo), (std::vector<int16_t>{-32768, 32767, -1, 5}));
  EXPECT_EQ(values<uint8_t>(read(wav(1, 1, 8, std::string("\x80\x01", 2)))), (std::vector<uint8_t>{128, 1}));
  EXPECT_EQ(values<int32_t>(read(wav(1, 1, 24, number(0x800000, 3) + number(1, 3)))),
            (std::vector<int32_t>{INT32_MIN, 256}));
  EXPECT_EQ(values<int32_t>(read(wav(1, 1, 32, number(0xFFFFFFFE, 4)))), (std::vector<int32_t>{-2}));
  EXPECT_EQ(values<float>(read(wav(3, 1, 32, number(0xBF000000, 4)))), (std::vector<float>{-0.5F}));
}

TEST(Wav, ASampleOfADatabase) {
  const Folder folder;
  folder.write("yes/a.wav", wav(1, 1, 16, number(7, 2)));
  folder.write("no/a.txt", "1 2 3\n4 5 6\n");
  const auto db = database("DIR_Database", {{"DataPath", folder.path()}, {"Learn", "1"}});
  EXPECT_EQ(db->labels(), (std::vector<std::string>{"/no", "/yes"}));
  EXPECT_EQ(db->image(0).text(), "3x2x1 f32");
  EXPECT_EQ(values<int16_t>(db->image(1)), (std::vector<int16_t>{7}));
}

TEST(Wav, DamagedFilesAreOneClearLine) {
  const auto error = [](const std::string& bytes) {
    const Folder folder;
    folder.write("a.wav", bytes);
    return folder.anonymous(config_error([&] { read_wav(folder.path("a.wav")); }));
  };
  EXPECT_EQ(error("RIFF"), "DIR/a.wav: expected a RIFF file of WAVE");
  const std::string sound = wav(1, 1, 16, number(7, 4));
  EXPECT_EQ(error(sound.substr(0, sound.size() - 1)),
            "DIR/a.wav: cut short: a part of 4 bytes begins at byte 56, the file has 59");
  EXPECT_EQ(error(sound.substr(0, 48)), "DIR/a.wav: no samples in it");
  EXPECT_EQ(error(wav(2, 1, 4, "a")),
            "DIR/a.wav: expected integers of 8, 16, 24 or 32 bits or floats of 32, found form 2 of 4 bits");
  EXPECT_EQ(error(wav(1, 1, 16, "abc")), "DIR/a.wav: expected samples of 2 bytes, found 3 bytes");
  EXPECT_EQ(error(wav(3, 1, 32, number(0x7FC00000, 4))), "DIR/a.wav: sample 0 is not finite");
}

}  // namespace
}  // namespace n2d2::data
