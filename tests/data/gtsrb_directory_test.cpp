#include "samples.hpp"

namespace n2d2::data {
namespace {

/// A 6x5 coloured picture of one value.
std::string picture_file(char value) {
  return "P6\n6 5\n255\n" + std::string(6 * 5 * 3, value);
}

const std::string kHead = "Filename;Width;Height;Roi.X1;Roi.Y1;Roi.X2;Roi.Y2;ClassId\r\n";

/// Classes 0 and 14 with four training pictures, three for test.
void write_all(const Folder& folder) {
  std::string first = kHead, second = kHead, test = kHead;
  for (int i = 0; i < 2; ++i) {
    const std::string name = "00000_0000" + std::to_string(i) + ".ppm";
    folder.write("Final_Training/Images/00000/" + name, picture_file(static_cast<char>(i)));
    folder.write("Final_Training/Images/00014/" + name, picture_file(static_cast<char>(10 + i)));
    first += name + ";6;5;1;1;5;4;0\r\n";
    second += name + ";6;5;2;1;5;4;14\r\n";
  }
  for (int i = 0; i < 3; ++i) {
    const std::string name = "0000" + std::to_string(i) + ".ppm";
    folder.write("Final_Test/Images/" + name, picture_file(static_cast<char>(20 + i)));
    test += name + ";6;5;1;1;5;4;" + std::to_string(14 * i) + "\r\n";
  }
  folder.write("Final_Training/Images/00000/GT-00000.csv", first);
  folder.write("Final_Training/Images/00014/GT-00014.csv", second);
  folder.write("GT-final_test.csv", test);
}

TEST(Gtsrb, TrainingIsLearnAndValidationTestIsTest) {
  const Folder folder;
  write_all(folder);
  const auto db = database("GTSRB_DIR_Database", {{"DataPath", folder.path()}, {"Validation", "0.25"}});
  ASSERT_NE(db, nullptr);
  EXPECT_EQ(db->summary(), "Learn 3, Validation 1, Test 3, unused 0, 43 labels");
  EXPECT_EQ(db->labels()[14], "14");
  EXPECT_EQ(db->name(2), "Final_Training/Images/00014/00000_00000.ppm");
  EXPECT_EQ(db->label(2), 14);
  EXPECT_EQ(db->list(Partition::Test), (std::vector<int64_t>{4, 5, 6}));
  EXPECT_EQ(db->label(6), 28);
  EXPECT_EQ(db->sample(6).text(), "6x5x3 u8");
  EXPECT_EQ(values<uint8_t>(db->sample(6)).front(), 22);
}

TEST(Gtsrb, ExtractROIsCutsSignsOut) {
  const Folder folder;
  write_all(folder);
  const auto db = database("GTSRB_DIR_Database", {{"DataPath", folder.path()}, {"ExtractROIs", "1"}});
  EXPECT_EQ(db->rois(2), (std::vector<Roi>{{2, 1, 3, 3, 14}}));
  EXPECT_EQ(db->sample(2).text(), "3x3x3 u8");
  EXPECT_EQ(db->label(2), 14);
}

TEST(Gtsrb, TheTableOfTheTestCanLieBesideItsPictures) {
  const Folder folder;
  write_all(folder);
  std::filesystem::rename(folder.path("GT-final_test.csv"),
                          folder.path("Final_Test/Images/GT-final_test.csv"));
  EXPECT_EQ(database("GTSRB_DIR_Database", {{"DataPath", folder.path()}})->size(Partition::Test), 3);
}

std::string errors(const Folder& folder) {
  return folder.anonymous(database_errors("GTSRB_DIR_Database", {{"DataPath", folder.path()}}));
}

TEST(Gtsrb, MalformedTablesNameTheirLine) {
  const Folder folder;
  const auto error = [&](const std::string& line) {
    write_all(folder);
    folder.write("GT-final_test.csv", kHead + line + "\r\n");
    return errors(folder);
  };
  EXPECT_EQ(error("a.ppm;6;5;1;1;5;4;43"), "DIR/GT-final_test.csv:2: expected a class of 0 to 42, got 43\n");
  EXPECT_EQ(error("a.ppm;6;5;1;1;5;x;1"), "DIR/GT-final_test.csv:2: expected an integer >= 0, got 'x'\n");
  EXPECT_EQ(error("a.ppm;6;5;5;1;5;4;1"),
            "DIR/GT-final_test.csv:2: expected a rectangle inside of 6x5 pixels, got 5 1 5 4\n");
  EXPECT_EQ(error("a.ppm;6;5;1;1;7;4;1"),
            "DIR/GT-final_test.csv:2: expected a rectangle inside of 6x5 pixels, got 1 1 7 4\n");
  EXPECT_EQ(error("a.ppm;6;5;1;1;5;4"),
            "DIR/GT-final_test.csv:2: expected 8 columns, found 7: the table of the test pictures without "
            "classes is "
            "for contestants\n");
  EXPECT_EQ(error("a.ppm"),
            "DIR/GT-final_test.csv:2: expected 8 columns "
            "(Filename;Width;Height;Roi.X1;Roi.Y1;Roi.X2;Roi.Y2;ClassId), "
            "found 1\n");
  EXPECT_EQ(error(""), "DIR/GT-final_test.csv: expected a line for each picture, found none\n");
}

TEST(Gtsrb, MissingPartsNameTheScriptThatFetchesThem) {
  const Folder folder;
  const std::string hint =
      "  hint: DataPath says where to look; the data root is not put in front of it; 'databases/get.sh "
      "gtsrb' downloads "
      "the data into $N2D2_DATA\n";
  EXPECT_EQ(errors(folder),
            "a.ini:5: [database] DataPath: no folder of a class in 'DIR/Final_Training/Images'\n" + hint);
  write_all(folder);
  std::filesystem::remove(folder.path("GT-final_test.csv"));
  EXPECT_EQ(
      errors(folder),
      "a.ini:5: [database] DataPath: 'GT-final_test.csv' is neither in 'DIR' nor in its Final_Test/Images\n" +
          hint);
  std::filesystem::remove(folder.path("Final_Training/Images/00014/GT-00014.csv"));
  EXPECT_EQ(errors(folder), "DIR/Final_Training/Images/00014/GT-00014.csv: no such file\n");
}

}  // namespace
}  // namespace n2d2::data
