#include "n2d2/base/staged_folder.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace n2d2 {
namespace {

namespace fs = std::filesystem;

class StagedFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("n2d2_staged_" + std::to_string(::getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
  static std::string read(const fs::path& file) {
    std::ostringstream out;
    out << std::ifstream(file).rdbuf();
    return out.str();
  }
  static std::string failure(const fs::path& folder) {
    try {
      const StagedFolder staged(folder);
    } catch (const FolderError& error) {
      return error.reason;
    }
    return "";
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(root_)) out.push_back(entry.path().filename());
    std::sort(out.begin(), out.end());
    return out;
  }
  fs::path root_;
};

TEST_F(StagedFolderTest, ChangesNothingWithoutCommit) {
  fs::create_directories(root_ / "f");
  write(root_ / "f" / "a", "1");
  {
    const StagedFolder staged(root_ / "f");
    write(staged.fresh() / "a", "2");
  }
  EXPECT_EQ(read(root_ / "f" / "a"), "1");
  EXPECT_EQ(names(), std::vector<std::string>{"f"});
}

TEST_F(StagedFolderTest, ExchangesTheWholeContent) {
  for (const std::string text : {"1", "2"}) {
    StagedFolder staged(root_ / "f" / "");
    write(staged.fresh() / text, text);
    staged.commit();
  }
  EXPECT_EQ(read(root_ / "f" / "2"), "2");
  EXPECT_FALSE(fs::exists(root_ / "f" / "1"));
  EXPECT_EQ(names(), std::vector<std::string>{"f"});
}

TEST_F(StagedFolderTest, FollowsALink) {
  fs::create_directories(root_ / "target");
  fs::create_directory_symlink("target", root_ / "f");
  StagedFolder staged(root_ / "f");
  write(staged.fresh() / "a", "1");
  staged.commit();
  EXPECT_TRUE(fs::is_symlink(root_ / "f"));
  EXPECT_EQ(read(root_ / "target" / "a"), "1");
}

TEST_F(StagedFolderTest, IsOfOneProcessAtATime) {
  const StagedFolder first(root_ / "f");
  EXPECT_EQ(failure(root_ / "f"), "another process is writing it");
  EXPECT_EQ(failure(root_ / "g"), "");
  const pid_t child = ::fork();
  if (child == 0) ::_exit(failure(root_ / "f") == "another process is writing it" ? 0 : 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(StagedFolderTest, TakesOverFromAProcessThatDied) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto* lost = new StagedFolder(root_ / "f");
    write(lost->fresh() / "half", "1");
    ::_exit(lost->fresh().empty() ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(names(), (std::vector<std::string>{".f.n2d2-lock", ".f.n2d2-new"}));
  StagedFolder staged(root_ / "f");
  staged.commit();
  EXPECT_TRUE(fs::is_empty(root_ / "f"));
  EXPECT_TRUE(fs::exists(root_ / ".f.n2d2-lock"));
}

TEST_F(StagedFolderTest, SaysThatAFolderIsReadOnly) {
  fs::create_directories(root_ / "theirs");
  fs::permissions(root_ / "theirs", fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read |
                                        fs::perms::others_exec);
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && ::seteuid(kNobody) != 0) ::_exit(2);  // root may write anywhere
    ::_exit(failure(root_ / "theirs" / "f") == "cannot be written: Permission denied" ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(StagedFolderTest, SaysWhyNot) {
  write(root_ / "file", "");
  EXPECT_EQ(failure(root_ / "file"), "cannot be written: expected a folder, found a file");
  EXPECT_EQ(failure(root_ / "file" / "f"), "cannot be written: Not a directory");
  EXPECT_EQ(failure("/proc/f"), "cannot be written: No such file or directory");
}

}  // namespace
}  // namespace n2d2
