#include "export_network.hpp"

#include "n2d2/base/log.hpp"

#include "folder_test.hpp"

namespace n2d2::app {
namespace {

class ExportNetwork : public FolderTest {};

TEST_F(ExportNetwork, ReadsExportParametersAndReportsWrongKeys) {
  write("p.ini", "MemoryAlignment=4\n");
  EXPECT_EQ(read_export_parameters("p.ini", "CPP", false).memory_alignment, 4);
  EXPECT_EQ(read_export_parameters("", "CPP", false).memory_alignment, 1);
  write("q.ini", "MemoryAlignmnt=4\n[conv1]\nNoWarp=1\n");
  try {
    read_export_parameters("q.ini", "CPP", false);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "q.ini:1: unknown export parameter 'MemoryAlignmnt'; did you mean 'MemoryAlignment'?\n"
                 "q.ini:3: unknown export parameter 'NoWarp'; did you mean 'NoWrap'?");
  }
}

TEST_F(ExportNetwork, UnknownKeysAreWarningsWithoutStrictKeys) {
  write("p.ini", "StrictKeys=0\nMemoryAlignment=4\nMemoryAlignmnt=8\n");
  log::Capture log;
  EXPECT_EQ(read_export_parameters("p.ini", "CPP", false).memory_alignment, 4);
  EXPECT_NE(log.text().find("p.ini:3: unknown export parameter 'MemoryAlignmnt'"), std::string::npos);
  EXPECT_THROW(read_export_parameters("p.ini", "CPP", true), ConfigError);
}

}  // namespace
}  // namespace n2d2::app
