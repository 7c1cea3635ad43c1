#include "arrays.hpp"
#include "samples.hpp"

namespace n2d2::data {
namespace {

class Joined : public ::testing::Test {
 protected:
  void SetUp() override {
    folder.write("maps.npy", npy("<f4", "(2, 1, 2, 2)", bytes_of<float>({1, 2, 3, 4, 5, 6, 7, 8})));
    folder.write("state.npy", npy("|i1", "(2, 1, 1)", bytes_of<int8_t>({-9, 9})));
    folder.write("once.csv", "10 20\n");
    folder.write("three.npy", npy("<f4", "(3, 1)", bytes_of<float>({1, 2, 3})));
  }
  MapKeys::Map keys(const std::vector<std::string>& files, const std::string& sizes) const {
    std::vector<std::string> paths;
    for (const std::string& file : files) paths.push_back(file == "0" ? file : folder.path(file));
    return {{"Files", join(paths, ",")}, {"Sizes", sizes}};
  }
  std::string refused(const std::vector<std::string>& files, const std::string& sizes) const {
    return folder.anonymous(database_errors("Joined_Database", keys(files, sizes)));
  }

  const Folder folder;
};

TEST_F(Joined, ASampleHasTheElementsOfAllFilesInTheirOrder) {
  const auto db = database("Joined_Database", keys({"maps.npy", "0", "state.npy", "once.csv"}, "4 3 1 2"));
  ASSERT_NE(db, nullptr);
  EXPECT_EQ(db->size(Partition::Test), 2);
  EXPECT_EQ(db->name(1), "maps.npy[1]");
  EXPECT_EQ(db->label(1), -1);
  EXPECT_EQ(db->image(0).text(), "1x1x10 f32");
  EXPECT_EQ(values<float>(db->image(0)), (std::vector<float>{1, 2, 3, 4, 0, 0, 0, -9, 10, 20}));
  EXPECT_EQ(values<float>(db->image(1)), (std::vector<float>{5, 6, 7, 8, 0, 0, 0, 9, 10, 20}));
  EXPECT_NE(db->stamp(), "");
}

TEST_F(Joined, FilesThatDoNotGoTogetherAreRefused) {
  EXPECT_EQ(refused({"maps.npy", "three.npy"}, "4 1"),
            "a.ini:5: [database] Files: 'DIR/maps.npy' has 2 samples, 'DIR/three.npy' has 3\n");
  EXPECT_EQ(refused({"maps.npy", "state.npy"}, "4"),
            "a.ini:5: [database] Sizes: expected 2 numbers, one for each of Files, got 1\n");
  EXPECT_EQ(refused({"0", "0"}, "4 1"), "a.ini:5: [database] Files: expected a file for one of the inputs\n");
  EXPECT_EQ(refused({"maps.npy", "state.npy"}, "3 1"),
            "DIR/maps.npy: expected samples of 3 1 1 (channels, height, width) or 1 1 3 (height, width, "
            "channels), found 2 1 2 2\n"
            "  hint: 'numpy.transpose' changes the order of axes\n");
  EXPECT_EQ(refused({"none.npy", "state.npy"}, "4 1").substr(0, 13), "DIR/none.npy:");
}

}  // namespace
}  // namespace n2d2::data
