#include "samples.hpp"

namespace n2d2::data {
namespace {

/// Four pictures of one class, two of another, two of clutter; files that are no .jpg and deeper ones do not
/// count.
void write_all(const Folder& folder, const std::string& clutter) {
  for (const char* name : {"ant/0.jpg", "ant/1.jpg", "ant/2.jpg", "ant/3.jpg", "bee/0.jpg", "bee/1.jpg"})
    folder.write(name, "x");
  for (const char* name : {"/0.jpg", "/1.jpg"}) folder.write(clutter + name, "x");
  for (const char* name : {"ant/notes.txt", "bee/deep/0.jpg", "top.jpg"}) folder.write(name, "x");
}

TEST(Caltech, FoldersAreClassesAndClutterIsLeftOut) {
  for (const auto& [type, clutter] : {std::pair{"Caltech101_DIR_Database", "BACKGROUND_Google"},
                                      {"Caltech256_DIR_Database", "257.clutter"}}) {
    const Folder folder;
    write_all(folder, clutter);
    const auto db = database(type, {{"DataPath", folder.path()}, {"Learn", "0.5"}, {"Validation", "0.25"}});
    ASSERT_NE(db, nullptr);
    EXPECT_EQ(db->labels(), (std::vector<std::string>{"/ant", "/bee"}));
    // In each class 2 of 4 learn, 1 validates; 1 of 2 learns, the half one goes to Test.
    EXPECT_EQ(db->summary(), "Learn 3, Validation 2, Test 1, unused 0, 2 labels");
    const auto all = database(type, {{"DataPath", folder.path()}, {"Learn", "0.5"}, {"IncClutter", "1"}});
    EXPECT_EQ(all->labels().size(), 3U);
    EXPECT_EQ(all->size(), 8);
  }
}

TEST(Caltech, BadKeysAndMissingFoldersAreErrors) {
  const Folder folder;
  EXPECT_EQ(database_errors("Caltech101_DIR_Database", {}),
            "a.ini:1: [database] Learn: missing, expected a number >= 0 and <= 1\n");
  EXPECT_EQ(folder.anonymous(database_errors("Caltech256_DIR_Database", {{"Learn", "0.5"}}, folder.path())),
            "a.ini:1: [database] DataPath: no folder 'DIR/256_ObjectCategories'\n"
            "  hint: the data root is 'DIR'\n");
  folder.write("a/0.png", "x");
  EXPECT_EQ(folder.anonymous(
                database_errors("Caltech101_DIR_Database", {{"Learn", "0.5"}, {"DataPath", folder.path()}})),
            "a.ini:5: [database] DataPath: no folder with .jpg pictures in 'DIR'\n"
            "  hint: DataPath says where to look; the data root is not put in front of it\n");
  EXPECT_EQ(database_errors("Caltech101_DIR_Database", {{"Learn", "0.8"}, {"Validation", "0.4"}}),
            "a.ini:5: [database] Learn: expected fractions with Learn + Validation + Test <= 1, got 1.2\n"
            "  hint: counts of samples need PerLabelPartitioning=0\n");
}

}  // namespace
}  // namespace n2d2::data
