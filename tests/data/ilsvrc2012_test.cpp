#include "samples.hpp"

namespace n2d2::data {
namespace {

const std::string kPgm = std::string("P5\n2 1\n255\n") + '\x05' + '\x06';

/// Three synsets; five training pictures of two of them, four for validation.
void write_all(const Folder& folder) {
  folder.write("synsets.txt", "n01 n02\nn03\n");
  for (int i = 0; i < 3; ++i) folder.write("train/n01/" + std::to_string(i) + ".pgm", kPgm);
  for (int i = 0; i < 2; ++i) folder.write("train/n03/" + std::to_string(i) + ".pgm", kPgm);
  for (const char* name : {"a", "b", "c", "d"}) folder.write(std::string("val/") + name + ".pgm", kPgm);
  folder.write("val.txt", "a.pgm 2\nb.pgm 0\nc.pgm 1\nd.pgm 2\n");
}

MapKeys::Map with(const Folder& folder, MapKeys::Map keys) {
  keys["DataPath"] = folder.path();
  keys["LabelPath"] = std::string(folder.path()) + "/synsets.txt";
  keys.emplace("Learn", "0.6");
  return keys;
}

TEST(Ilsvrc2012, TrainIsLearnAndTestAndValIsValidationAndTest) {
  const Folder folder;
  write_all(folder);
  const auto db = database("ILSVRC2012_Database", with(folder, {}));
  ASSERT_NE(db, nullptr);
  EXPECT_EQ(db->labels(), (std::vector<std::string>{"n01", "n02", "n03"}));
  EXPECT_EQ(db->size(), 9);
  EXPECT_EQ(db->size(Partition::Learn), 3);
  EXPECT_EQ(db->size(Partition::Validation), 4);
  EXPECT_EQ(db->size(Partition::Test), 2 + 4);
  EXPECT_EQ(db->name(3), "train/n03/0.pgm");
  EXPECT_EQ(db->label(3), 2);
  EXPECT_EQ(db->name(5), "val/a.pgm");
  EXPECT_EQ(db->label(5), 2);
  EXPECT_EQ(db->label(6), 0);
  EXPECT_EQ(db->image(5).text(), "2x1x1 u8");
}

TEST(Ilsvrc2012, TheBackgroundIsTheFirstClass) {
  const Folder folder;
  write_all(folder);
  const auto db =
      database("ILSVRC2012_Database",
               with(folder, {{"BackgroundClass", "1"}, {"UseValidationForTest", "0"}, {"Learn", "1"}}));
  EXPECT_EQ(db->labels().front(), "background");
  EXPECT_EQ(db->label(0), 1);
  EXPECT_EQ(db->label(5), 3);
  EXPECT_EQ(db->size(Partition::Test), 0);
}

TEST(Ilsvrc2012, OnePartIsEnough) {
  const Folder only_val;
  only_val.write("synsets.txt", "n01");
  only_val.write("val/a.pgm", kPgm);
  only_val.write("val.txt", "a.pgm 0\n");
  EXPECT_EQ(database("ILSVRC2012_Database", with(only_val, {}))->size(Partition::Test), 1);
  const Folder only_train;
  only_train.write("synsets.txt", "n01");
  only_train.write("train/n01/a.pgm", kPgm);
  EXPECT_EQ(database("ILSVRC2012_Database", with(only_train, {{"Learn", "1"}}))->size(Partition::Learn), 1);
}

TEST(Ilsvrc2012, SaysThatValidationIsScored) {
  const Folder folder;
  write_all(folder);
  folder.write("train/other/x.pgm", kPgm);
  const log::Capture log;
  Diagnostics diagnostics;
  make_database("ILSVRC2012_Database", MapKeys(with(folder, {})), {1, {}}, diagnostics);
  EXPECT_NE(log.text().find("Validation and Test hold the same pictures"), std::string::npos) << log.text();
  EXPECT_NE(log.text().find("train/other is no synset"), std::string::npos) << log.text();
}

TEST(Ilsvrc2012, NamesWhatIsWrong) {
  const Folder folder;
  write_all(folder);
  const std::string root = folder.path();
  const auto errors = [&] { return database_errors("ILSVRC2012_Database", with(folder, {})); };
  folder.write("val.txt", "a.pgm 3\n");
  EXPECT_EQ(errors(),
            "a.ini:5: [database] " + root + "/val.txt:1: expected the id of a class, 0 .. 2, got '3'\n");
  folder.write("val.txt", "a.pgm 1\nb.pgm\n");
  EXPECT_EQ(errors(),
            "a.ini:5: [database] " + root + "/val.txt:2: expected a file and the id of its class\n");
  folder.write("synsets.txt", "n01 n01");
  EXPECT_EQ(errors(), "a.ini:5: [database] LabelPath: line 1 names 'n01' again\n");
  folder.write("synsets.txt", "");
  EXPECT_EQ(errors(), "a.ini:5: [database] LabelPath: expected synsets, the file is empty\n");
  const Folder empty;
  empty.write("synsets.txt", "n01");
  EXPECT_NE(database_errors("ILSVRC2012_Database", with(empty, {})).find("val.txt'"), std::string::npos);
}

}  // namespace
}  // namespace n2d2::data
