#include "export_network.hpp"

#include "folder_test.hpp"

namespace n2d2::app {
namespace {

class ExportNetwork : public FolderTest {};

TEST_F(ExportNetwork, ReadsExportParametersAndReportsWrongKeys) {
  write("p.ini", "MemoryAlignment=4\n");
  EXPECT_EQ(read_export_parameters("p.ini", false).memory_alignment, 4);
  EXPECT_EQ(read_export_parameters("", false).memory_alignment, 1);
  write("q.ini", "MemoryAlignmnt=4\n[s]\nA=1\n");
  try {
    read_export_parameters("q.ini", false);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "q.ini:1: unknown export parameter 'MemoryAlignmnt'; did you mean 'MemoryAlignment'?\n"
                 "q.ini:2: [s]: export parameters stand before any section");
  }
}

}  // namespace
}  // namespace n2d2::app
