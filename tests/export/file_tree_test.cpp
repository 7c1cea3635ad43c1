#include "n2d2/export/file_tree.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "n2d2/base/error.hpp"

namespace n2d2::exporter {
namespace {

namespace fs = std::filesystem;

class FileTreeTest : public testing::Test {
 protected:
  FileTreeTest() : folder(fs::temp_directory_path() / ("n2d2_tree_" + std::to_string(::getpid()))) {
    fs::remove_all(folder);
  }
  ~FileTreeTest() override { fs::remove_all(folder); }
  fs::path folder;
};

TEST_F(FileTreeTest, NothingIsThereWithoutCommit) {
  {
    FileTree tree(folder / "out");
    tree.write("a/b.txt", "text");
  }
  EXPECT_FALSE(fs::exists(folder / "out"));
  EXPECT_FALSE(fs::exists(folder / "out.part"));
}

TEST_F(FileTreeTest, CommitReplacesGeneratedFilesAndKeepsOthers) {
  {
    FileTree tree(folder / "out");
    tree.write("old.txt", "1");
    tree.commit();
  }
  fs::create_directories(folder / "out" / "mine");
  std::ofstream(folder / "out" / "mine" / "kept.txt") << "k";
  fs::create_directories(folder / "out" / "build");
  std::ofstream(folder / "out" / "build" / "old.o") << "o";
  FileTree tree(folder / "out");
  tree.write("new.txt", "2");
  tree.commit();
  EXPECT_TRUE(fs::exists(folder / "out" / "new.txt"));
  EXPECT_TRUE(fs::exists(folder / "out" / "mine" / "kept.txt"));
  EXPECT_FALSE(fs::exists(folder / "out" / "old.txt"));
  EXPECT_FALSE(fs::exists(folder / "out" / "build" / "old.o"));
}

TEST_F(FileTreeTest, AFolderThatCannotBeWrittenIsNamed) {
  fs::create_directories(folder);
  std::ofstream(folder / "file") << "x";
  try {
    FileTree tree(folder / "file" / "out");
    FAIL() << "did not throw";
  } catch (const ExportError& e) {
    EXPECT_EQ(std::string(e.what()),
              (folder / "file" / "out").string() + ": export: cannot be written: Not a directory");
  }
}

TEST(Shipped, AFolderThatIsNowhereIsNamedWithThePlacesThatWereTried) {
  EXPECT_TRUE(fs::is_regular_file(kernel_sources() / "kernels.list"));
  setenv("N2D2_PATH", "/nowhere", 1);
  try {
    shipped("src/no_target/templates");
    ADD_FAILURE() << "did not throw";
  } catch (const ExportError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with(
        "export: src/no_target/templates is not installed; looked in /nowhere, "))
        << e.what();
    EXPECT_EQ(e.findings().at(0).hint, "N2D2_PATH names the folder that holds it");
  }
  unsetenv("N2D2_PATH");
}

TEST(ExportSources, AFileThatIsMissingIsNamed) {
  try {
    read_file("no/such.mustache");
    FAIL() << "did not throw";
  } catch (const ExportError& e) {
    EXPECT_STREQ(e.what(), "no/such.mustache: export: cannot be read");
  }
}

}  // namespace
}  // namespace n2d2::exporter
