#include "n2d2/data/database.hpp"

#include <cstdlib>

#include "samples.hpp"

namespace n2d2::data {
namespace {

TEST(Database, UnknownTypeNamesTheNearestOne) {
  EXPECT_EQ(
      database_errors("MNIST_IDX_Databse", {{"Type", "MNIST_IDX_Databse"}}),
      "a.ini:5: [database] Type: unknown database 'MNIST_IDX_Databse'; did you mean 'MNIST_IDX_Database'?\n");
}

TEST(Database, TypeOfTheReferenceSaysSo) {
  EXPECT_EQ(
      database_errors("KITTI_Database", {}),
      "a.ini:1: [database] Type: database 'KITTI_Database' is known to N2D2, not supported; supported: "
      "CIFAR100_Database, CIFAR10_Database, CSV_Database, Caltech101_DIR_Database, Caltech256_DIR_Database, "
      "DIR_Database, Fashion_MNIST_IDX_Database, GTSRB_DIR_Database, Glyphs_Database, ILSVRC2012_Database, "
      "Joined_Database, MNIST_IDX_Database\n");
}

TEST(Database, UnsupportedCommonKeysAreErrors) {
  EXPECT_EQ(
      database_errors("Glyphs_Database",
                      {{"TargetDataPath", "x"}, {"MultiChannelMatch", "a"}, {"MultiChannelReplace", "b c"}}),
      "a.ini:5: [database] TargetDataPath: 'x' is not supported: only the input can be the target "
      "(DataAsTarget)\n"
      "a.ini:5: [database] MultiChannelMatch: 'a' is not supported: the channels of a sample come from one "
      "file\n"
      "a.ini:5: [database] MultiChannelReplace: 'b c' is not supported: the channels of a sample come from "
      "one "
      "file\n");
}

TEST(Database, NeutralCommonKeysAreAccepted) {
  EXPECT_NE(database("Glyphs_Database", {{"DefaultLabel", ""},
                                         {"ROIsMargin", "0"},
                                         {"DataFileLabel", "0"},
                                         {"CompositeLabel", "None"},
                                         {"RandomPartitioning", "0"}}),
            nullptr);
}

TEST(Database, SaysThatNoFilesLabelPixels) {
  const log::Capture capture;
  Diagnostics diagnostics;
  make_database("Glyphs_Database", MapKeys(MapKeys::Map{{"DataFileLabel", "1"}}), {}, diagnostics);
  EXPECT_EQ(capture.text(),
            "[database] DataFileLabel: there are no files with labels of pixels to read, rectangles are what "
            "labels them\n");
}

TEST(Database, BadValuesAreErrors) {
  EXPECT_EQ(database_errors("MNIST_IDX_Database", {{"Validation", "1.5"}}),
            "a.ini:5: [database] Validation: expected a number >= 0 and <= 1, got '1.5'\n");
}

TEST(Database, SaysWhatItHoldsWhenLoaded) {
  const log::Capture capture;
  Diagnostics diagnostics;
  make_database("Glyphs_Database", MapKeys({{"Learn", "8"}, {"Validation", "0"}, {"Test", "2"}}), {},
                diagnostics);
  EXPECT_EQ(capture.text(log::Level::Info),
            "[database] Glyphs_Database: Learn 8, Validation 0, Test 2, unused 0, 10 labels\n");
}

TEST(Database, EveryTypeDescribesItsKeys) {
  for (const std::string& name : databases().names()) {
    const DatabaseType& type = *databases().find(name);
    EXPECT_FALSE(type.summary.empty()) << name;
    for (const FieldHelp& field : type.fields())
      EXPECT_FALSE(field.info.help.empty()) << name << field.info.name;
  }
}

TEST(DataRoot, ComesFromTheEnvironment) {
  const char* old_root = std::getenv("N2D2_DATA");
  const std::string kept_root = old_root != nullptr ? old_root : "";
  const char* old_user = std::getenv("USER");
  const std::string kept_user = old_user != nullptr ? old_user : "";
  setenv("N2D2_DATA", "/some/where", 1);
  EXPECT_EQ(data_root(), "/some/where");
  EXPECT_EQ(expand_environment("${N2D2_DATA}/x${N2D2_NOT_SET_AT_ALL}y$z${"), "/some/where/xy$z${");
  unsetenv("N2D2_DATA");
  setenv("USER", "ann", 1);
  EXPECT_EQ(data_root(), "/local/ann/n2d2_data");
  unsetenv("USER");
  EXPECT_EQ(data_root(), "/local/n2d2_data");
  if (old_root != nullptr) setenv("N2D2_DATA", kept_root.c_str(), 1);
  if (old_user != nullptr) setenv("USER", kept_user.c_str(), 1);
}

}  // namespace
}  // namespace n2d2::data
