#include "samples.hpp"

namespace n2d2::data {
namespace {

/// A 2x1 grey picture file.
const std::string kPgm = std::string("P5\n2 1\n255\n") + '\x05' + '\x06';
/// A 1x1 coloured one: red 1, green 2, blue 3.
const std::string kPpm = std::string("P6\n1 1\n255\n") + "\x01\x02\x03";

/// cat: 8 files, dog: 4 files, dog/small: 2 files.
void write_all(const Folder& folder) {
  for (int i = 0; i < 8; ++i) folder.write("cat/" + std::to_string(i) + ".pgm", kPgm);
  for (int i = 0; i < 4; ++i) folder.write("dog/" + std::to_string(i) + ".ppm", kPpm);
  for (int i = 0; i < 2; ++i) folder.write("dog/small/" + std::to_string(i) + ".PGM", kPgm);
}

MapKeys::Map with(const Folder& folder, MapKeys::Map keys) {
  keys["DataPath"] = folder.path();
  keys.emplace("Learn", "0.5");
  return keys;
}

std::vector<int64_t> per_label(const Database& db, Partition partition) {
  std::vector<int64_t> out(db.labels().size());
  for (const int64_t id : db.list(partition)) ++out[static_cast<size_t>(db.label(id))];
  return out;
}

TEST(Directory, FoldersAreLabels) {
  const Folder folder;
  write_all(folder);
  const auto db = database("DIR_Database", with(folder, {}));
  ASSERT_NE(db, nullptr);
  EXPECT_EQ(db->labels(), (std::vector<std::string>{"/cat", "/dog"}));
  EXPECT_EQ(db->size(), 12);  // Depth=1: dog/small is not searched
  EXPECT_EQ(db->name(8), "dog/0.ppm");
  EXPECT_EQ(values<uint8_t>(db->image(8)), (std::vector<uint8_t>{3, 2, 1}));
  EXPECT_EQ(db->image(0).text(), "2x1x1 u8");
}

TEST(Directory, DepthsDecideWhatIsFoundAndNamed) {
  const Folder folder;
  write_all(folder);
  folder.write("top.pgm", kPgm);
  const auto deep =
      database("DIR_Database", with(folder, {{"Depth", "-1"}, {"LabelDepth", "2"}, {"LabelName", "pet"}}));
  EXPECT_EQ(deep->labels(), (std::vector<std::string>{"pet", "pet/cat", "pet/dog", "pet/dog/small"}));
  EXPECT_EQ(deep->name(0), "top.pgm");
  const auto flat = database("DIR_Database", with(folder, {{"Depth", "0"}}));
  EXPECT_EQ(flat->size(), 1);
  const auto same =
      database("DIR_Database", with(folder, {{"Depth", "2"}, {"LabelDepth", "0"}, {"LabelName", "x"}}));
  EXPECT_EQ(same->labels(), (std::vector<std::string>{"x"}));
  EXPECT_EQ(same->size(), 15);
  const auto none = database("DIR_Database", with(folder, {{"LabelDepth", "-1"}}));
  EXPECT_TRUE(none->labels().empty());
  EXPECT_EQ(none->label(0), -1);
  EXPECT_GT(none->size(Partition::Learn), 0);
}

TEST(Directory, SmallestLabelDecidesTheCountsOfAll) {
  const Folder folder;
  write_all(folder);
  const auto db = database("DIR_Database", with(folder, {{"Validation", "0.25"}}));
  EXPECT_EQ(per_label(*db, Partition::Learn), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(per_label(*db, Partition::Validation), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(per_label(*db, Partition::Test), (std::vector<int64_t>{5, 1}));
}

TEST(Directory, LabelsCanHaveCountsOfTheirOwn) {
  const Folder folder;
  write_all(folder);
  const auto db =
      database("DIR_Database",
               with(folder, {{"EquivLabelPartitioning", "0"}, {"Validation", "0.25"}, {"Test", "0.125"}}));
  EXPECT_EQ(per_label(*db, Partition::Learn), (std::vector<int64_t>{4, 2}));
  EXPECT_EQ(per_label(*db, Partition::Validation), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(per_label(*db, Partition::Test), (std::vector<int64_t>{1, 0}));
}

TEST(Directory, CountsOverAllLabels) {
  const Folder folder;
  write_all(folder);
  const auto db = database("DIR_Database", with(folder, {{"PerLabelPartitioning", "0"},
                                                         {"RandomPartitioning", "0"},
                                                         {"Learn", "3"},
                                                         {"Validation", "2"}}));
  EXPECT_EQ(db->list(Partition::Learn), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(db->list(Partition::Validation), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(db->size(Partition::Test), 7);
}

TEST(Directory, PartitionsDependOnTheSeedAlone) {
  const Folder folder;
  write_all(folder);
  const auto learn = [&](uint64_t seed) {
    return database("DIR_Database", with(folder, {}), seed)->list(Partition::Learn);
  };
  EXPECT_EQ(learn(1), learn(1));
  EXPECT_NE(learn(1), learn(2));
}

TEST(Directory, MasksAndExtensionsLeaveFilesOut) {
  const Folder folder;
  write_all(folder);
  EXPECT_EQ(database("DIR_Database", with(folder, {{"ValidExtensions", "ppm png"}}))->size(), 4);
  EXPECT_EQ(database("DIR_Database", with(folder, {{"ValidExtensions", "pgm"}, {"Depth", "-1"}}))->size(),
            10);
  EXPECT_EQ(database("DIR_Database", with(folder, {{"IgnoreMasks", "cat */3.ppm"}}))->size(), 3);
}

TEST(Directory, LoadInMemoryGivesTheSamePictures) {
  const Folder folder;
  write_all(folder);
  const auto db = database("DIR_Database", with(folder, {{"LoadInMemory", "1"}}));
  const Image first = db->image(0);
  std::filesystem::remove(folder.path("cat/0.pgm"));
  EXPECT_EQ(db->image(0), first);
  EXPECT_EQ(folder.anonymous(config_error([&] {
    std::filesystem::remove(folder.path("cat/1.pgm"));
    db->image(1);
  })),
            "DIR/cat/1.pgm: no such file");
}

TEST(Directory, UnreadablePicturesNameTheFile) {
  const Folder folder;
  folder.write("a/0.png", "this is no picture");
  folder.write("a/1.wav", "RIFF");
  const auto db = database("DIR_Database", with(folder, {}));
  EXPECT_EQ(folder.anonymous(config_error([&] { db->image(0); })),
            "DIR/a/0.png: cannot be decoded: not a picture, or damaged");
  EXPECT_EQ(
      folder.anonymous(config_error([&] { db->image(1); })),
      "DIR/a/1.wav: no reader for files ending in '.wav'\n"
      "  hint: pictures (jpg, png, ppm, ...) and arrays (npy, csv, bin) are read; leave other files out with "
      "ValidExtensions or IgnoreMasks");
}

std::string errors(const Folder& folder, const MapKeys::Map& keys) {
  return folder.anonymous(database_errors("DIR_Database", with(folder, keys)));
}

TEST(Directory, BadKeysAreErrors) {
  const Folder folder;
  write_all(folder);
  EXPECT_EQ(database_errors("DIR_Database", {}),
            "a.ini:1: [database] DataPath: missing, expected a text\n"
            "a.ini:1: [database] Learn: missing, expected a number >= 0\n");
  EXPECT_EQ(errors(folder, {{"Learn", "0.7"}, {"Validation", "0.2"}, {"Test", "0.2"}}),
            "a.ini:5: [database] Learn: expected fractions with Learn + Validation + Test <= 1, got 1.1\n"
            "  hint: counts of samples need PerLabelPartitioning=0\n");
  EXPECT_EQ(errors(folder, {{"PerLabelPartitioning", "0"}}),
            "a.ini:5: [database] Learn: expected a number of samples, got '0.5'\n"
            "  hint: PerLabelPartitioning=0 counts samples; fractions need PerLabelPartitioning=1\n");
  EXPECT_EQ(errors(folder, {{"PerLabelPartitioning", "0"}, {"Learn", "10"}, {"Validation", "3"}}),
            "a.ini:5: [database] Learn: expected at most 12 samples in Learn, Validation and Test, got 13\n");
  EXPECT_EQ(
      errors(folder, {{"LoadMore", "x"}, {"ROIFile", "y"}, {"ROIDir", "z"}, {"ROIExtension", "txt"}}),
      "a.ini:5: [database] LoadMore: 'x' is not supported: one tree per database\n"
      "a.ini:5: [database] ROIFile: 'y' is not supported: annotations inside pictures are not read\n"
      "a.ini:5: [database] ROIDir: 'z' is not supported: annotations inside pictures are not read\n"
      "a.ini:5: [database] ROIExtension: 'txt' is not supported: annotations inside pictures are not read\n");
}

TEST(Directory, NothingToLoadIsAnError) {
  const Folder folder;
  folder.write("a/0.pgm", kPgm);
  EXPECT_EQ(
      folder.anonymous(database_errors("DIR_Database", {{"DataPath", folder.path("none")}, {"Learn", "1"}})),
      "a.ini:5: [database] DataPath: no folder 'DIR/none'\n"
      "  hint: DataPath says where to look; the data root is not put in front of it\n");
  EXPECT_EQ(errors(folder, {{"ValidExtensions", "jpg png"}, {"IgnoreMasks", "b*"}}),
            "a.ini:5: [database] DataPath: no file to load found in 'DIR'\n"
            "  hint: Depth=1 levels of folders, ValidExtensions='jpg png', IgnoreMasks='b*'\n");
}

}  // namespace
}  // namespace n2d2::data
