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

TEST(Directory, WhatFileManagersLeaveIsNoSampleAndNoLabel) {
  const Folder folder;
  write_all(folder);
  for (const char* name : {".DS_Store", "cat/._0.pgm", "__MACOSX/cat/._0.pgm", "__MACOSX/1.pgm",
                           "dog/Thumbs.db", "dog/desktop.ini", "dog/@eaDir/0.pgm"})
    folder.write(name, kPgm);
  const log::Capture capture;
  Diagnostics diagnostics;
  const auto db =
      make_database("DIR_Database", MapKeys(with(folder, {{"Depth", "-1"}})), {1, {}}, diagnostics);
  ASSERT_NE(db, nullptr);
  EXPECT_EQ(db->labels(), (std::vector<std::string>{"/cat", "/dog"}));
  EXPECT_EQ(db->size(), 14);
  EXPECT_EQ(folder.anonymous(capture.text()),
            "[database] DataPath: files and folders that file managers leave are left out: 6, the first is "
            "'DIR/.DS_Store'\n");
}

TEST(Directory, UnreadablePicturesNameTheFile) {
  const Folder folder;
  folder.write("a/0.png", "this is no picture");
  folder.write("a/1.mp3", "ID3");
  const auto db = database("DIR_Database", with(folder, {}));
  EXPECT_EQ(folder.anonymous(config_error([&] { db->image(0); })),
            "DIR/a/0.png: cannot be decoded: not a picture, or damaged\n"
            "  hint: copy it again, or take it out of the folder");
  EXPECT_EQ(folder.anonymous(config_error([&] { db->image(1); })),
            "DIR/a/1.mp3: no reader for files ending in '.mp3'\n"
            "  hint: pictures (jpg, png, ppm, ...), arrays (npy, csv, dat, txt, bin) and sounds (wav) are "
            "read; leave other files out with "
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
  EXPECT_EQ(errors(folder, {{"LoadMore", "x"}}),
            "a.ini:5: [database] LoadMore: expected the name of a section, got 'x'\n");
  EXPECT_EQ(errors(folder, {{"ROIDir", folder.path()}}),
            "a.ini:1: [database] ROIExtension: 'json' is not supported, expected csv, dat or txt\n"
            "  hint: a line of such a file is 'name x1 y1 x2 y2 label'; JSON, the default, has no form that "
            "all tools "
            "agree on\n");
  EXPECT_EQ(errors(folder, {{"ROIFile", "boxes.json"}}),
            "a.ini:5: [database] ROIFile: 'boxes.json' is JSON, expected csv, dat or txt\n"
            "  hint: a line of such a file is 'name x1 y1 x2 y2 label'; JSON, the default, has no form that "
            "all tools agree on\n");
  EXPECT_EQ(errors(folder, {{"ROIFile", folder.path("none.txt")}}),
            "a.ini:5: [database] ROIFile: no file 'DIR/none.txt'\n");
  EXPECT_EQ(errors(folder, {{"ROIDir", folder.path("none")}, {"ROIExtension", "txt"}}),
            "a.ini:5: [database] ROIDir: no folder 'DIR/none'\n");
  EXPECT_EQ(errors(folder, {{"ROIDir", folder.path("cat")}, {"ROIExtension", "txt"}}),
            "a.ini:5: [database] ROIDir: no file ending in '.txt' in 'DIR/cat'\n");
}

/// Sections by name, as LoadMore finds them.
DataContext with_sections(const std::map<std::string, MapKeys::Map>& sections) {
  return {1, {}, [sections](const std::string& name) -> std::unique_ptr<KeySource> {
            const auto found = sections.find(name);
            if (found == sections.end()) return nullptr;
            return std::make_unique<MapKeys>(found->second, "[" + name + "]");
          }};
}

TEST(Directory, LoadMoreAddsTreesOneAfterTheOther) {
  const Folder folder;
  write_all(folder);
  folder.write("more/dog/a.pgm", kPgm);
  folder.write("more/owl/a.pgm", kPgm);
  folder.write("last/owl/b.pgm", kPgm);
  const std::map<std::string, MapKeys::Map> sections{
      {"more",
       {{"DataPath", folder.path("more")}, {"Learn", "0"}, {"Validation", "1"}, {"LoadMore", "last"}}},
      {"last", {{"DataPath", folder.path("last")}, {"Learn", "0"}}}};
  const log::Capture quiet;
  Diagnostics diagnostics;
  const auto db = make_database(
      "DIR_Database",
      MapKeys(with(folder, {{"IgnoreMasks", "more last"}, {"Learn", "1"}, {"LoadMore", "more"}})),
      with_sections(sections), diagnostics);
  ASSERT_NE(db, nullptr) << errors_of(diagnostics);
  EXPECT_EQ(db->labels(), (std::vector<std::string>{"/cat", "/dog", "/owl"}));
  EXPECT_EQ(db->size(), 15);
  EXPECT_EQ(db->name(12), "dog/a.pgm");
  EXPECT_EQ(db->label(12), 1);
  EXPECT_EQ(per_label(*db, Partition::Learn), (std::vector<int64_t>{4, 4, 0}));
  EXPECT_EQ(per_label(*db, Partition::Validation), (std::vector<int64_t>{0, 1, 1}));
  EXPECT_EQ(db->list(Partition::Test).back(), 14);
}

TEST(Directory, LoadMoreKeepsItsType) {
  const Folder folder;
  write_all(folder);
  const auto errors_of_more = [&](const std::string& type) {
    const std::map<std::string, MapKeys::Map> sections{
        {"more", {{"DataPath", folder.path("dog")}, {"Depth", "0"}, {"Learn", "1"}, {"Type", type}}}};
    const log::Capture quiet;
    Diagnostics diagnostics;
    make_database("DIR_Database", MapKeys(with(folder, {{"LoadMore", "more"}, {"Type", "DIR_Database"}})),
                  with_sections(sections), diagnostics);
    return errors_of(diagnostics);
  };
  EXPECT_EQ(errors_of_more("DIR_Database"), "");
  EXPECT_EQ(errors_of_more("CSV_Database"),
            "a.ini:5: [more] Type: expected DIR_Database as in [database], got 'CSV_Database'\n"
            "  hint: LoadMore goes on with the same driver; without Type it is that of the first\n");
}

TEST(Directory, LoadMoreDoesNotGoRound) {
  const Folder folder;
  write_all(folder);
  const std::map<std::string, MapKeys::Map> sections{
      {"more", {{"DataPath", folder.path("dog")}, {"Depth", "0"}, {"Learn", "1"}, {"LoadMore", "more"}}}};
  const log::Capture quiet;
  Diagnostics diagnostics;
  EXPECT_EQ(make_database("DIR_Database", MapKeys(with(folder, {{"LoadMore", "more"}})),
                          with_sections(sections), diagnostics),
            nullptr);
  EXPECT_EQ(errors_of(diagnostics), "a.ini:5: [more] LoadMore: [more] is loaded already\n");
}

/// A 4x3 grey picture of the bytes 0 .. 11.
std::string ramp() {
  std::string out = "P5\n4 3\n255\n";
  for (char i = 0; i < 12; ++i) out += i;
  return out;
}

TEST(Directory, OneRectangleIsWhatTheSampleIs) {
  const Folder folder;
  folder.write("a/0.pgm", ramp());
  folder.write("a/1.pgm", ramp());
  folder.write("rois.txt", "# name x1 y1 x2 y2 label\na/0.pgm 1 0 3 2 sign\n");
  const auto db = database("DIR_Database",
                           with(folder, {{"ValidExtensions", "pgm"}, {"ROIFile", folder.path("rois.txt")}}));
  EXPECT_EQ(db->labels(), (std::vector<std::string>{"/a", "sign"}));
  EXPECT_EQ(db->sample(0).text(), "2x2x1 u8");
  EXPECT_EQ(values<uint8_t>(db->sample(0)), (std::vector<uint8_t>{1, 2, 5, 6}));
  EXPECT_EQ(db->label(0), 0);
  EXPECT_EQ(values<int32_t>(db->label_map(0)), (std::vector<int32_t>{0, 0, 0, 0}));
  EXPECT_EQ(db->sample(1).text(), "4x3x1 u8");
}

TEST(Directory, RectanglesArePaintedOverTheBase) {
  const Folder folder;
  folder.write("a/0.pgm", ramp());
  folder.write("boxes/0.csv", "0.pgm;4;3;1;1;3;3;sign\n0.pgm;4;3;2;2;4;3;pole\n");
  const auto map = [&](const MapKeys::Map& more) {
    MapKeys::Map keys{{"ValidExtensions", "pgm"}, {"ROIDir", folder.path("boxes")}, {"ROIExtension", "csv"}};
    keys.insert(more.begin(), more.end());
    return values<int32_t>(database("DIR_Database", with(folder, keys))->label_map(0));
  };
  using Map = std::vector<int32_t>;  // /a 0, sign 1, pole 2
  EXPECT_EQ(map({{"CompositeLabel", "Combine"}}), (Map{0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 2, 2}));
  EXPECT_EQ(map({{"CompositeLabel", "Default"}}), (Map{-1, -1, -1, -1, -1, 1, 1, -1, -1, 1, 2, 2}));
  EXPECT_EQ(map({{"CompositeLabel", "Disjoint"}, {"DefaultLabel", "road"}}),
            (Map{3, 3, 3, 3, 3, 1, 1, 3, 3, 1, 2, 2}));
  EXPECT_EQ(map({{"CompositeLabel", "Combine"}, {"ROIsMargin", "1"}}),
            (Map{-1, -1, -1, -1, -1, 1, 1, -1, -1, 1, 2, 2}));
  // Samples with a label are not composite by themselves; without one they are.
  EXPECT_EQ(map({}), Map(12, 0));
  EXPECT_EQ(map({{"CompositeLabel", "None"}}), Map(12, 0));
  EXPECT_EQ(map({{"LabelDepth", "-1"}}), (Map{-1, -1, -1, -1, -1, 0, 0, -1, -1, 0, 1, 1}));
}

TEST(Directory, BadLinesOfAnnotationsNameTheirPlace) {
  const Folder folder;
  folder.write("a/0.pgm", ramp());
  folder.write("b/0.pgm", ramp());
  const auto error = [&](const std::string& line) {
    folder.write("rois.txt", "# comment\n" + line + "\n");
    return errors(folder, {{"ValidExtensions", "pgm"}, {"ROIFile", folder.path("rois.txt")}});
  };
  EXPECT_EQ(
      error("a/0.pgm 1 1 3 sign"),
      "DIR/rois.txt:2: expected 6 words (name x1 y1 x2 y2 label) or 8 (name width height x1 y1 x2 y2 label), "
      "found 5\n");
  EXPECT_EQ(error("a/0.pgm 1 x 3 3 sign"), "DIR/rois.txt:2: expected a coordinate, got 'x'\n");
  EXPECT_EQ(error("a/0.pgm 3 1 3 3 sign"),
            "DIR/rois.txt:2: expected corners 0 <= x1 < x2 and 0 <= y1 < y2, got 3 1 3 3\n");
  EXPECT_EQ(error("0.pgm 1 1 3 3 sign"),
            "DIR/rois.txt:2: several files are called '0.pgm'\n"
            "  hint: the path below DataPath tells them apart\n");
}

TEST(Directory, RectanglesOfOtherPicturesAreSaidOnce) {
  const Folder folder;
  folder.write("a/0.pgm", ramp());
  folder.write("rois.txt", "b/7.pgm 1 0 3 2 sign\nb/8.pgm 1 0 3 2 sign\n");
  const log::Capture capture;
  Diagnostics diagnostics;
  make_database("DIR_Database",
                MapKeys(with(folder, {{"ValidExtensions", "pgm"}, {"ROIFile", folder.path("rois.txt")}})), {},
                diagnostics);
  EXPECT_EQ(folder.anonymous(capture.text(log::Level::Warning)),
            "[database] 2 rectangles belong to pictures that are not loaded, the first: DIR/rois.txt:1 "
            "'b/7.pgm'\n");
}

TEST(Directory, ARectangleOutsideOfItsPictureNamesIt) {
  const Folder folder;
  folder.write("a/0.pgm", ramp());
  folder.write("rois.txt", "a/0.pgm 4 0 6 2 sign\n");
  const auto db = database("DIR_Database",
                           with(folder, {{"ValidExtensions", "pgm"}, {"ROIFile", folder.path("rois.txt")}}));
  EXPECT_EQ(config_error([&] { db->sample(0); }),
            "a/0.pgm: its rectangle of 2x2 pixels from (4, 0) lies outside of the picture of 4x3");
}

TEST(Directory, FilesOfChannelsAreOneSample) {
  const Folder folder;
  folder.write("a/0_red.pgm", kPgm);
  folder.write("a/0_green.pgm", std::string("P5\n2 1\n255\n") + "\x0A\x0B");
  folder.write("a/0_colour.ppm", std::string("P6\n2 1\n255\n") + "\x01\x02\x03\x04\x05\x06");
  const MapKeys::Map keys{{"MultiChannelMatch", "_red\\.pgm$"},
                          {"MultiChannelReplace", "_green.pgm _colour.ppm"}};
  const auto db = database("DIR_Database", with(folder, keys));
  ASSERT_NE(db, nullptr);
  EXPECT_EQ(db->size(), 1);
  EXPECT_EQ(db->name(0), "a/0_red.pgm");
  EXPECT_EQ(db->image(0).text(), "2x1x5 u8");
  EXPECT_EQ(values<uint8_t>(db->image(0)), (std::vector<uint8_t>{5, 10, 3, 2, 1, 6, 11, 6, 5, 4}));
  EXPECT_EQ(errors(folder, {{"MultiChannelMatch", "_red"}, {"MultiChannelReplace", "_blue"}}),
            "a.ini:5: [database] MultiChannelReplace: '_blue' gives 'a/0_blue.pgm' for 'a/0_red.pgm', which "
            "is no file in "
            "'DIR'\n");
  EXPECT_EQ(errors(folder, {{"MultiChannelMatch", "_infrared"}}),
            "a.ini:5: [database] MultiChannelMatch: no file in 'DIR' has a match of '_infrared'\n");
  EXPECT_TRUE(
      errors(folder, {{"MultiChannelMatch", "("}})
          .starts_with("a.ini:5: [database] MultiChannelMatch: expected a regular expression, got '(': "));
  EXPECT_EQ(errors(folder, {{"MultiChannelReplace", "_blue"}}),
            "a.ini:5: [database] MultiChannelReplace: expected MultiChannelMatch beside it\n");
  folder.write("a/0_green.pgm", std::string("P5\n1 1\n255\n") + "\x0A");
  EXPECT_EQ(folder.anonymous(config_error([&] { db->image(0); })),
            "DIR/a/0_green.pgm: expected 2x1 u8 as '0_red.pgm' has, found 1x1 u8");
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
