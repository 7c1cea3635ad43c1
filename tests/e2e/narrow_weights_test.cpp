// Are weights of 4, 2 and 1 bits those of the framework in exports for every machine?
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"

#include "drawn.hpp"
#include "e2e/exported_builds.hpp"
#include "e2e/instruction_sets.hpp"

namespace n2d2::e2e {
namespace {

namespace fs = std::filesystem;

/// Convolutions whose weights have each of the storages, groups that are not whole and groups that are, and
/// an Fc whose input is no multiple of 4.
constexpr const char* kNarrow = R"(
[database]
Type=Glyphs_Database
Width=16
Height=16
Learn=8
Validation=0
Test=4
[sp]
Size=16 16
BatchSize=4
[Conv_def]
Type=Conv
KernelSize=3
Padding=1
ActivationFunction=Rectifier
WeightsFiller=HeFiller
QWeight=SAT
[bytes]Conv_def
Input=sp
NbOutputs=6
QWeight.QuantMode=Symmetric
[nibbles]Conv_def
Input=bytes
NbOutputs=20
QWeight.Range=15
QWeight.QuantMode=Symmetric
[odd_nibbles]Conv_def
Input=nibbles
NbOutputs=8
Stride=2
QWeight.Range=15
[quarters]Conv_def
Input=odd_nibbles
NbOutputs=36
QWeight.Range=3
QWeight.QuantMode=Symmetric
[odd_quarters]Conv_def
Input=quarters
NbOutputs=7
KernelSize=4
Stride=2
QWeight.Range=3
[bits]Conv_def
Input=odd_quarters
NbOutputs=17
KernelSize=4
QWeight.Range=1
[fc]
Input=bits
Type=Fc
NbOutputs=10
WeightsFiller=HeFiller
QWeight=SAT
QWeight.Range=1
[fc.Target]
)";

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

Exported exported(const Settings& settings) {
  const log::Capture quiet;
  return run_pipeline(kNarrow, settings);
}

TEST(NarrowWeights, AreStoredInTheFewestBits) {
  const TemporaryFolder folder;
  const Exported net = exported(all_references(8));
  const fs::path project = write(net, folder);
  const std::string calls = text_of(project / "dnn" / "src" / "forward.cpp");
  for (const char* call :
       {"narrow<4, 0>(cells::nibbles_", "narrow<4, 1>(cells::odd_nibbles_", "narrow<2, 0>(cells::quarters_",
        "narrow<2, 1>(cells::odd_quarters_", "narrow<1, 1>(cells::bits_", "narrow<1, 1>(cells::fc_"})
    EXPECT_NE(calls.find(call), std::string::npos) << call;
  EXPECT_EQ(calls.find("(cells::bytes_weights)"), std::string::npos);
  // Rows of 9 bytes; of 54 and 180 halves, 72 and 576 quarters, 112 and 153 eighths of bytes.
  EXPECT_EQ(net.project->weights_bytes(), 6 * 9 + 20 * 27 + 8 * 90 + 36 * 18 + 7 * 144 + 17 * 14 + 10 * 20);
}

TEST(NarrowWeights, EqualTheHostRunOnEveryInstructionSet) {
  const TemporaryFolder folder;
  const fs::path project = write(exported(all_references(8)), folder);
  const CommandResult make = run_command(project, "make -s DISPATCH=1 CXXFLAGS='-O1 -Werror'");
  ASSERT_EQ(make.status, 0) << make.output;
  auto sets = instruction_sets();
  sets.emplace_back("sse2", true);
  for (const auto& [isa, runs] : sets) {
    if (!runs) continue;
    const CommandResult run = run_command(project, "./bin/run_export -compare reference -isa " + isa);
    EXPECT_EQ(run.status, 0) << isa << "\n" << run.output;
    EXPECT_NE(run.output.find("values, 0 different"), std::string::npos) << isa << "\n" << run.output;
  }
  if (is_in_turn(0, 2)) build_and_compare(project, kSanitized);
}

TEST(NarrowWeights, EqualTheHostRunInPlainOrderAndInLittleCode) {
  Settings settings = all_references(8);
  settings.parameters.machine = targets::cpp::Machine::CortexM;
  settings.parameters.optimize = targets::cpp::Optimize::Size;
  const TemporaryFolder folder;
  build_and_compare(write(exported(settings), folder), kGccO1);
}

}  // namespace
}  // namespace n2d2::e2e
