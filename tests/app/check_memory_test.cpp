#include "look/check_memory.hpp"

#include "n2d2/base/error.hpp"

#include "folder_test.hpp"

namespace n2d2::app {
namespace {

class CheckMemory : public FolderTest {};

constexpr const char* kProblem =
    "memory,ram,0,1\nbuffer,a,0,1,4,4,1,2,0,,0,\nbuffer,b,0,1,4,4,1,2,0,,0,\nstep,s,b,0,1,0,1,0\n"
    "read,a,Element,1,0,1\n";
constexpr const char* kInPlace =
    "peak,ram,8\nspace,ram,0,8,0,1\nspace,ram,0,8,0,1\nview,a,0,0,4,4,0,1,2\nview,b,1,0,4,4,0,1,2\n";

TEST_F(CheckMemory, PrintsPeakAndBoundOfAValidPlan) {
  write("plan.csv", std::string(kProblem) + kInPlace + "scan,s,TopDown,\n");
  ::testing::internal::CaptureStdout();
  check_memory("plan.csv");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "plan.csv: memory 'ram': valid, peak 8 bytes, lower bound 8 bytes, ratio 1.000\n");
}

TEST_F(CheckMemory, ThrowsEveryViolation) {
  write("plan.csv", std::string(kProblem) + kInPlace + "scan,s,Any,\n");
  EXPECT_THROW(check_memory("plan.csv"), ExportError);
}

}  // namespace
}  // namespace n2d2::app
