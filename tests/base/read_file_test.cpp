#include "n2d2/base/read_file.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace n2d2 {
namespace {

namespace fs = std::filesystem;

class ReadFile : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  static std::string failure(const fs::path& path, int64_t most = 1000) {
    try {
      return "read " + read_regular_file(path, most);
    } catch (const FileError& error) {
      return error.reason;
    }
  }
  const fs::path folder_ = fs::temp_directory_path() / ("n2d2_read_" + std::to_string(::getpid()));
};

TEST_F(ReadFile, GivesAllBytes) {
  std::string bytes = "a\n\r";
  bytes += '\0';
  std::ofstream(folder_ / "a", std::ios::binary) << bytes;
  EXPECT_EQ(read_regular_file(folder_ / "a", 4), bytes);
  EXPECT_EQ(failure(folder_ / "a", 3), "the file is larger than 3 bytes");
  std::ofstream(folder_ / "empty");
  EXPECT_EQ(read_regular_file(folder_ / "empty", 0), "");
  fs::create_symlink("a", folder_ / "link");
  EXPECT_EQ(read_regular_file(folder_ / "link", 1000), bytes);
}

TEST_F(ReadFile, GivesLargeFilesAndThoseWithoutASize) {
  const std::string large(3'000'000, 'x');
  std::ofstream(folder_ / "large") << large;
  EXPECT_TRUE(read_regular_file(folder_ / "large", 3'000'000) == large);
  EXPECT_NE(failure("/proc/self/status", 1'000'000).find("Name:"), std::string::npos);
  EXPECT_EQ(failure("/proc/self/status", 10), "the file is larger than 10 bytes");
}

TEST_F(ReadFile, GivesTextAsItIsWhicheverEditorWroteIt) {
  const auto text = [&](const std::string& bytes) {
    std::ofstream(folder_ / "a", std::ios::binary) << bytes;
    return read_text_file(folder_ / "a", 1000);
  };
  EXPECT_EQ(text("a b\nc\n"), "a b\nc\n");
  EXPECT_EQ(text("\xEF\xBB\xBF"
                 "a b\nc"),
            "a b\nc");
  EXPECT_EQ(text("\xEF\xBB\xBF"
                 "a b\r\n\r\nc\r\n"),
            "a b\n\nc\n");
  EXPECT_EQ(text("a b\rc\r"), "a b\nc\n");
  EXPECT_EQ(text("a\xEF\xBB\xBF\n"), "a\xEF\xBB\xBF\n");
  EXPECT_EQ(text(""), "");
  EXPECT_THROW(text("\xFF\xFE"
                    "a"),
               FileError);
  EXPECT_THROW(text("\xFE\xFF"
                    "a"),
               FileError);
}

TEST_F(ReadFile, NeverWaitsForAPipeOrADevice) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(failure(folder_ / "pipe"), "expected a regular file, found a pipe");
  EXPECT_EQ(failure("/dev/zero"), "expected a regular file, found a device");
  EXPECT_EQ(failure(folder_), "expected a regular file, found a folder");
  EXPECT_EQ(failure(folder_ / "missing"), "no such file");
  EXPECT_EQ(failure(folder_ / "missing" / "a"), "no such file");
  EXPECT_THROW(expect_regular_file(folder_ / "pipe"), FileError);
  EXPECT_NO_THROW(expect_regular_file("/proc/self/status"));
}

}  // namespace
}  // namespace n2d2
