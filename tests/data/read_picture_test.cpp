#include "files/picture_orientation.hpp"
#include "jpegs.hpp"
#include "pngs.hpp"
#include "samples.hpp"

namespace n2d2::data {
namespace {

/// Smooth, of another value in each corner, and not as wide as it is high.
Image ramp(int channels) {
  Image out(24, 16, channels);
  const auto pixels = out.span<uint8_t>();
  for (size_t i = 0; i < pixels.size(); ++i) {
    const size_t c = i % static_cast<size_t>(channels), x = i / static_cast<size_t>(channels) % 24,
                 y = i / static_cast<size_t>(channels) / 24;
    pixels[i] = static_cast<uint8_t>(20 + 6 * x + 4 * y + 10 * c);
  }
  return out;
}

uint8_t at(const Image& image, int x, int y, int c) {
  return image.span<uint8_t>()[static_cast<size_t>((y * image.width() + x) * image.channels() + c)];
}

/// The picture upright, by the definition of the orientations: where the first row and the first column of
/// the file are.
Image upright(const Image& stored, int orientation) {
  const bool is_sideways = orientation >= 5;
  Image out(is_sideways ? stored.height() : stored.width(), is_sideways ? stored.width() : stored.height(),
            stored.channels());
  // By orientation: whether the first row is at the bottom or on the right, and the first column likewise.
  const bool row_is_last = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool column_is_last = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  for (int y = 0; y < stored.height(); ++y)
    for (int x = 0; x < stored.width(); ++x)
      for (int c = 0; c < stored.channels(); ++c) {
        const int row = row_is_last ? stored.height() - 1 - y : y;
        const int column = column_is_last ? stored.width() - 1 - x : x;
        const int to_x = is_sideways ? row : column, to_y = is_sideways ? column : row;
        out.span<uint8_t>()[static_cast<size_t>((to_y * out.width() + to_x) * out.channels() + c)] =
            at(stored, x, y, c);
      }
  return out;
}

std::unique_ptr<Database> samples_in(const Folder& folder, MapKeys::Map keys = {}) {
  keys.emplace("DataPath", folder.path());
  keys.emplace("Learn", "1");
  keys.emplace("Depth", "0");
  return database("DIR_Database", std::move(keys));
}

/// What is said while body runs, by this program and by libraries.
template <class Body>
std::string said(const Body& body) {
  const log::Capture capture;
  testing::internal::CaptureStderr();
  body();
  return testing::internal::GetCapturedStderr() + capture.text();
}

TEST(ReadPicture, DecodesJpegOfOneAndOfThreeChannels) {
  const Folder folder;
  folder.write("a.jpg", jpeg_of(ramp(1)));
  folder.write("b.jpg", jpeg_of(ramp(3)));
  const auto db = samples_in(folder);
  for (const int channels : {1, 3}) {
    const Image expected = ramp(channels), found = db->image(channels / 3);
    ASSERT_EQ(found.text(), expected.text());
    for (size_t i = 0; i < expected.span<uint8_t>().size(); ++i)
      ASSERT_NEAR(found.span<uint8_t>()[i], expected.span<uint8_t>()[i], 6) << i;
  }
}

TEST(ReadPicture, SetsJpegUprightByEveryOrientation) {
  const std::string plain = jpeg_of(ramp(3));
  const Folder folder;
  folder.write("0.jpg", plain);
  for (int orientation = 1; orientation <= 8; ++orientation)
    folder.write(std::to_string(orientation) + ".jpg",
                 with_exif(plain, exif_of(orientation, orientation % 2 == 0)));
  const auto db = samples_in(folder), raw = samples_in(folder, {{"ExifOrientation", "0"}});
  const Image stored = db->image(0);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Image found = db->image(orientation);
    EXPECT_EQ(found, upright(stored, orientation)) << orientation;
    EXPECT_EQ(db->picture_size(orientation), (Dims{found.width(), found.height()})) << orientation;
    EXPECT_EQ(raw->image(orientation), stored) << orientation;
    EXPECT_EQ(raw->picture_size(orientation), (Dims{24, 16})) << orientation;
  }
  EXPECT_NE(db->stamp(), raw->stamp());
}

TEST(ReadPicture, SetsPngUpright) {
  const Folder folder;
  const std::string plain = png(ramp(3));
  folder.write("0.png", plain);
  folder.write("1.png", png_with(plain, png_chunk("eXIf", exif_of(6, false))));
  const auto db = samples_in(folder);
  EXPECT_EQ(db->image(1), upright(db->image(0), 6));
}

/// Grey or RGB bytes in one strip behind a directory.
std::string tiff_of(const Image& image, int orientation) {
  const auto number = [](uint64_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xffU);
    return out;
  };
  const auto channels = static_cast<uint64_t>(image.channels());
  const auto entry = [&](uint64_t tag, uint64_t value, uint64_t type = 3, uint64_t count = 1) {
    return number(tag, 2) + number(type, 2) + number(count, 4) + number(value, 4);
  };
  constexpr uint64_t kEntries = 10, kPixels = 8 + 2 + 12 * kEntries + 4 + 6;
  std::string out = std::string("II*\0", 4) + number(8, 4) + number(kEntries, 2);
  out += entry(256, static_cast<uint64_t>(image.width())) + entry(257, static_cast<uint64_t>(image.height()));
  out += channels == 1 ? entry(258, 8) : entry(258, kPixels - 6, 3, 3);
  out += entry(259, 1) + entry(262, channels == 1 ? 1 : 2) + entry(273, kPixels, 4);
  out += entry(274, static_cast<uint64_t>(orientation)) + entry(277, channels);
  out += entry(278, static_cast<uint64_t>(image.height())) +
         entry(279, static_cast<uint64_t>(image.elements()), 4);
  out += number(0, 4) + number(8, 2) + number(8, 2) + number(8, 2);
  for (size_t i = 0; i < image.span<uint8_t>().size(); ++i) {
    const size_t c = i % channels;  // colours of a picture are blue, green, red
    out += static_cast<char>(image.span<uint8_t>()[i - c + (channels - 1 - c)]);
  }
  return out;
}

TEST(ReadPicture, SetsTiffUpright) {
  for (const int channels : {1, 3}) {
    const Folder folder;
    for (int orientation = 1; orientation <= 8; ++orientation)
      folder.write(std::to_string(orientation) + ".tif", tiff_of(ramp(channels), orientation));
    const auto db = samples_in(folder);
    for (int orientation = 1; orientation <= 8; ++orientation)
      EXPECT_EQ(db->image(orientation - 1), upright(ramp(channels), orientation))
          << channels << " " << orientation;
    EXPECT_EQ(samples_in(folder, {{"ExifOrientation", "0"}})->image(5), upright(ramp(channels), 6));
  }
}

TEST(ReadPicture, TakesOrientationsThatAreNoneAsUpright) {
  const std::string plain = jpeg_of(ramp(1));
  const Folder folder;
  const auto orientation_of = [&](const std::string& bytes) {
    folder.write("a.jpg", bytes);
    return picture_orientation(folder.path("a.jpg"));
  };
  EXPECT_EQ(orientation_of(with_exif(plain, exif_of(6))), 6);
  EXPECT_EQ(orientation_of(with_exif(plain, exif_of(0))), 1);
  EXPECT_EQ(orientation_of(with_exif(plain, exif_of(9))), 1);
  for (size_t bytes = 0; bytes < 20; ++bytes)
    EXPECT_EQ(orientation_of(with_exif(plain, exif_of(6).substr(0, bytes)).substr(0, 12 + bytes)), 1)
        << bytes;
  EXPECT_EQ(orientation_of(plain), 1);
  EXPECT_EQ(orientation_of("text"), 1);
  EXPECT_EQ(picture_orientation(folder.path("missing")), 1);
}

TEST(ReadPicture, IsAppliedByCalibrationPathUnlessItIsTurnedOff) {
  const Folder folder;
  folder.write("a.jpg", with_exif(jpeg_of(ramp(1)), exif_of(8)));
  Diagnostics diagnostics;
  const MapKeys keys({{"CalibrationPath", folder.path()}});
  EXPECT_EQ(make_calibration_database(keys, diagnostics)->image(0).text(), "16x24x1 u8");
  EXPECT_EQ(make_calibration_database(keys, diagnostics, true)->image(0).text(), "24x16x1 u8");
  const MapKeys whole({{"DataPath", folder.path()}, {"Learn", "1"}, {"Depth", "0"}});
  DataContext context;
  context.no_exif = true;
  EXPECT_EQ(make_database("DIR_Database", whole, context, diagnostics)->image(0).text(), "24x16x1 u8");
}

TEST(ReadPicture, RefusesAJpegThatIsCutByItsName) {
  const std::string whole = jpeg_of(ramp(3));
  const Folder folder;
  folder.write("a.jpg", whole);
  const size_t scan = whole.find("\xff\xda");
  const auto db = samples_in(folder);
  for (const size_t bytes : {scan + 40, (scan + whole.size()) / 2, whole.size() - 20}) {
    folder.write("a.jpg", whole.substr(0, bytes));
    std::string error;
    EXPECT_EQ(said([&] { error = folder.anonymous(config_error([&] { db->image(0); })); }), "");
    EXPECT_EQ(error,
              "DIR/a.jpg: damaged: the file ends before the picture does\n  hint: copy it again, or take it "
              "out of the folder")
        << bytes;
  }
  folder.write("a.jpg", whole.substr(0, scan));
  std::string error;
  EXPECT_EQ(said([&] { error = config_error([&] { db->image(0); }); }), "");
  EXPECT_NE(error.find("a.jpg: damaged: "), std::string::npos) << error;
}

TEST(ReadPicture, SaysOnceWhatWasSkippedInAJpegThatIsWhole) {
  const std::string plain = jpeg_of(ramp(1));
  const Folder folder;
  folder.write("0.jpg", plain);
  const size_t scan = plain.find("\xff\xda");
  folder.write("1.jpg", plain.substr(0, scan) + "zzz" + plain.substr(scan));
  const auto db = samples_in(folder);
  const Image whole = db->image(0);
  const std::string text = folder.anonymous(said([&] {
    EXPECT_EQ(db->image(1), whole);
    EXPECT_EQ(db->image(1), whole);
  }));
  EXPECT_EQ(
      text,
      "DIR/1.jpg: libjpeg says 'Corrupt JPEG data: 3 extraneous bytes before marker 0xda'; the picture is "
      "taken as it was decoded\n");
  folder.write("1.jpg", plain.substr(0, plain.size() - 2));
  const log::Capture quiet;
  EXPECT_EQ(samples_in(folder)->image(1), whole) << "without the mark of its end";
}

}  // namespace
}  // namespace n2d2::data
