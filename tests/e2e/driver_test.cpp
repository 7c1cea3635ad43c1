// What do the static files of an export do? Options, answers, files, messages and exit statuses of the driver
// of a project whose every number is known; its Makefile; its headers alone.
#include <fstream>

#include <gtest/gtest.h>

#include "drawn.hpp"
#include "e2e/exported.hpp"
#include "e2e/instruction_sets.hpp"
#include "golden/fixed_network.hpp"

namespace n2d2::e2e {
namespace {

namespace fs = std::filesystem;

fs::path write_to(const fs::path& folder) {
  const targets::cpp::Project project = golden::fixed_project();
  project.write(folder, golden::judged_samples(project, golden::fixed_stimuli(project)), {});
  return folder;
}

/// The project, compiled once for all tests of this file. Other tests have its flags: the compiler cache has
/// the driver.
class Driver : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    project_ = write_to(folder_->path() / "project");
    make_ = run_command(project_, "make -s CXXFLAGS='-O3 -Werror'");
  }
  static void TearDownTestSuite() { folder_.reset(); }

  void SetUp() override { ASSERT_EQ(make_.status, 0) << make_.output; }

  static void expect(int status, const std::string& text, const std::string& command) {
    const CommandResult run = run_command(project_, command);
    EXPECT_EQ(run.status, status) << command << "\n" << run.output;
    EXPECT_NE(run.output.find(text), std::string::npos) << command << ": no '" << text << "' in\n"
                                                        << run.output;
  }

  static std::unique_ptr<TemporaryFolder> folder_;
  static fs::path project_;
  static CommandResult make_;
};

std::unique_ptr<TemporaryFolder> Driver::folder_;
fs::path Driver::project_;
CommandResult Driver::make_;

TEST_F(Driver, ScoresAllStimuli) {
  expect(0, "Score: 75.000000%", "bin/run_export");
  expect(0, "2/2 (100.000000%)", "bin/run_export -nb 2");
  expect(0, "1/1", "bin/run_export -stimulus stimuli/env1.pgm");
  expect(0, "expected \\ found", "bin/run_export -confusion");
  expect(0, "Score: 100.000000%", "bin/run_export -topn 6");
  expect(0, "\"topn\": 6", "cat results.json");
}

TEST_F(Driver, ReportsEveryCellAgainstTheReference) {
  expect(0, "fc1: 24 values, 0 different", "bin/run_export -compare reference");
  expect(0, "env: 256 values, 0 different", "bin/run_export -compare reference");
  expect(0, "sum1: 256 values, 0 different", "bin/run_export -compare reference -topn 2 -confusion -time 3");
  expect(0, "\"cell\": \"total\"", "cat results.json");
}

TEST_F(Driver, FindsAChangedReference) {
  expect(1, "first: env1 channel 0 row 0 column 0: expected 1000",
         "cp -r reference changed && sed -i '2s/^[0-9]*/1000/' changed/env1/pool1.txt && "
         "bin/run_export -compare changed");
  expect(2, "changed/env1/pool1.txt: expected '0:', found '7:'",
         "sed -i '1s/0/7/' changed/env1/pool1.txt && bin/run_export -compare changed");
  expect(2, "nowhere: no reference for any cell", "bin/run_export -compare nowhere");
}

TEST_F(Driver, FindsAGuttedReference) {
  expect(0, "4 of 4 stimuli compared", "bin/run_export -compare reference");
  expect(
      2, "gutted/env0/sum1.txt: no such reference; files that are missing: 1",
      "rm -rf gutted && cp -r reference gutted && rm gutted/env0/sum1.txt && bin/run_export -compare gutted");
  expect(2, "gutted/env0/sum1.txt: is a pipe or a device",
         "mkfifo gutted/env0/sum1.txt && timeout 20 bin/run_export -compare gutted");
  expect(2, "gutted/env0/", "rm -rf gutted/env0 && bin/run_export -compare gutted");
  expect(2, "gutted/env3/",
         "rm -rf gutted && cp -r reference gutted && find gutted/env3 -name '*.txt' | sort | tail -n +2 | "
         "xargs rm && bin/run_export -compare gutted");
  // The last stimuli need none.
  expect(0, "3 of 4 stimuli compared",
         "rm -rf gutted && cp -r reference gutted && rm -r gutted/env3 && bin/run_export -compare gutted");
}

TEST_F(Driver, RunsWithoutStimuliAndWritesResultsWhereItIsTold) {
  expect(2, "stimuli: no stimuli; '-stimulus FILE' runs one, '-time N' needs none",
         "mkdir -p bare/bin && cp bin/run_export bare/bin && cd bare && bin/run_export");
  expect(0, "total: min ", "cd bare && bin/run_export -time 3 -results some.json && ! test -e results.json");
  expect(0, "{\n  \"count\": 0,\n", "cat bare/some.json");
  expect(0, "1/1", "cd bare && bin/run_export -stimulus ../stimuli/env1.pgm");
  expect(2, "nowhere/a.json: cannot be written", "bin/run_export -results nowhere/a.json");
}

TEST_F(Driver, NoticesAFullDisk) {
  expect(2, "standard output: cannot be written", "bin/run_export >/dev/full");
  expect(2, "standard output: cannot be written", "bin/run_export -help >/dev/full");
  expect(2, "results.json: cannot be written",
         "mkdir -p full && cd full && ln -sf /dev/full results.json && ../bin/run_export -nb 1");
  expect(2, "/dev/full: cannot be written", "bin/run_export -classes /dev/full");
}

TEST_F(Driver, RefusesOptionsItDoesNotKnow) {
  expect(0, "usage: run_export", "bin/run_export -h");
  expect(2, "-foo: unknown option", "bin/run_export -foo");
  expect(2, "-nb: expected a positive integer, found '0'", "bin/run_export -nb 0");
  expect(2, "-nb: expected a value", "bin/run_export -nb");
}

TEST_F(Driver, SaysWhatIsWrongWithAStimulus) {
  expect(2, "missing.pgm: cannot be opened", "bin/run_export -stimulus missing.pgm");
  expect(2, "stimuli: cannot be read", "bin/run_export -stimulus stimuli");
  expect(2, "pipe.pgm: is a pipe or a device",
         "mkfifo pipe.pgm && timeout 20 bin/run_export -stimulus pipe.pgm");
  expect(2, "/dev/zero: is a pipe or a device", "timeout 20 bin/run_export -stimulus /dev/zero");
  expect(2, "short.pgm: expected 68 bytes after the header, found 49",
         "head -c 60 stimuli/env0.pgm >short.pgm; bin/run_export -stimulus short.pgm");
  expect(2, "long.pgm: expected 68 bytes after the header, found 69",
         "(cat stimuli/env0.pgm && echo) >long.pgm; bin/run_export -stimulus long.pgm");
  expect(2, "tall.pgm: height: expected 8, found '9'",
         "sed '2s/8 8/8 9/' stimuli/env0.pgm >tall.pgm; bin/run_export -stimulus tall.pgm");
  expect(2, "color.pgm: format: expected P5, found 'P6'",
         "sed '1s/P5/P6/' stimuli/env0.pgm >color.pgm; bin/run_export -stimulus color.pgm");
}

TEST_F(Driver, InferenceUsesNeitherHeapNorExceptionsNorStreams) {
  expect(1, "",
         "nm -uC $(find build/dnn -name '*.o') build/src/Network.o | "
         "grep -E 'malloc|calloc|realloc|free|operator new|operator delete|__cxa|std::|printf'");
}

TEST_F(Driver, MakeHasNothingToDoTwiceAndHelps) {
  expect(0, "", "make -q CXXFLAGS='-O3 -Werror'");
  expect(0, "clean", "make help");
}

/// Compiles each header alone, those of AArch64 where that compiler is; prints FAILED and the name where one
/// does not.
std::string headers_alone(const std::string& compiler) {
  const std::string other =
      compiler == "g++" ? "aarch64-linux-gnu-g++" : compiler + " --target=aarch64-linux-gnu";
  return "there=$(command -v aarch64-linux-gnu-g++); for h in $(find . -name '*.h*'); do cxx=" + compiler +
         "; case $h in *_avx512*) flags='-mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vnni';; "
         "*_avxvnni*) flags='-mavx2 -mavxvnni';; *_avx2*) flags=-mavx2;; "
         "*_neon*|*_dotprod*|*_i8mm*) [ \"$there\" ] || continue; cxx='" +
         other +
         "'; flags=-march=armv8-a; case $h in *_dotprod*) flags=-march=armv8.2-a+dotprod;; "
         "*_i8mm*) flags=-march=armv8.2-a+dotprod+i8mm;; esac;; *) flags=;; esac; "
         "echo \"#include \\\"$h\\\"\" | $cxx -std=c++11 -pedantic -Wall -Wextra -Wshadow -Werror $flags -I. "
         "-fsyntax-only -x c++ - || echo FAILED $h; done";
}

/// -Wshadow as well: the names of layers stand beside those of the kernels.
TEST(StaticFiles, CompileWithEveryWarning) {
  if (!is_drawn("every warning", 4)) GTEST_SKIP() << "not drawn";
  for (const char* compiler : {"g++", "clang++-14"}) {
    const TemporaryFolder folder;
    const fs::path project = write_to(folder.path() / "project");
    const CommandResult make =
        run_command(project, std::string("make -s OPENMP=0 CXXFLAGS='-O0 -Werror -Wshadow' CXX=") + compiler +
                                 " && bin/run_export -compare reference");
    EXPECT_EQ(make.status, 0) << make.output;
    const CommandResult headers = run_command(project, headers_alone(compiler));
    EXPECT_EQ(headers.output.find("FAILED"), std::string::npos) << headers.output;
  }
}

#if defined(__x86_64__) && !defined(__clang__)
TEST(StaticFiles, GiveTheSameBytesWithEveryInstructionSet) {
  if (!is_drawn("every instruction set", 4)) GTEST_SKIP() << "not drawn";
  const TemporaryFolder folder;
  const fs::path project = write_to(folder.path() / "project");
  auto all = instruction_sets();
  all.emplace_back("portable", true);
  all.emplace_back("amx", __builtin_cpu_supports("avx512vnni") != 0);  // also where there is no AMX
  for (const auto& [isa, runs] : all) {
    const CommandResult done =
        run_command(project, std::string("make -s OPENMP=0 CXXFLAGS=-O1 ISA=") + isa +
                                 (runs ? " && bin/run_export -compare reference" : ""));
    EXPECT_EQ(done.status, 0) << isa << done.output;
  }
  const CommandResult other = run_command(project, "make -s ISA=mmx");
  EXPECT_NE(other.status, 0);
  EXPECT_NE(other.output.find("ISA=mmx: expected one of native portable avx2 avxvnni avx512vnni amx neon "
                              "dotprod i8mm"),
            std::string::npos)
      << other.output;
}

/// A program of `make DISPATCH=1`, built once a compiler.
class Dispatched : public testing::TestWithParam<const char*> {
 protected:
  std::string run(const std::string& command) const { return run_command(project_, command).output; }
  int status(const std::string& options) const {
    return run_command(project_, "bin/run_export -compare reference" + options).status;
  }
  std::string count(const std::string& objects, const std::string& what) const {
    return run("objdump -d " + objects + " | grep -c " + what);
  }

  void expect_same_bytes() const {
    std::string best = "sse2";
    for (const auto& [isa, runs] : instruction_sets()) {
      EXPECT_EQ(status(" -isa " + isa), runs ? 0 : 2) << isa;
      if (runs) best = isa;
    }
    EXPECT_EQ(status(" -isa sse2"), 0);
    EXPECT_EQ(status(""), 0);
    EXPECT_EQ(
        run("bin/run_export -isa mmx"),
        "-isa mmx: this program does not hold it, or this processor lacks it; it runs with " + best + "\n");
  }
  /// What the linker may take of one instruction set for another one is a program that dies on an older
  /// processor.
  void expect_apart() const {
    EXPECT_EQ(
        run("for f in build/*/dnn/src/forward.o build/*/src/dispatched.o; do nm -g --defined-only $f; done "
            "| awk '{print $3}' | sort | uniq -d"),
        "");
    EXPECT_EQ(count("build/src/*.o build/sse2/dnn/src/*.o build/sse2/src/*.o", "'%[yz]mm'"), "0\n");
    EXPECT_EQ(count("build/avx2/dnn/src/*.o build/avxvnni/dnn/src/*.o", "%zmm"), "0\n");
    EXPECT_NE(count("build/avx2/dnn/src/forward.o", "%ymm"), "0\n");
    EXPECT_NE(count("build/avxvnni/dnn/src/forward.o", "vpdpbusd"), "0\n");
    EXPECT_NE(count("build/avx512vnni/dnn/src/forward.o", "%zmm"), "0\n");
  }
  void expect_parameters_once_per_order() const {
    EXPECT_EQ(run("find build -name conv1.o | sort"),
              "build/packed/dnn/src/cells/conv1.o\nbuild/plain/dnn/src/cells/conv1.o\n");
  }

  TemporaryFolder folder_;
  fs::path project_;
};

TEST_P(Dispatched, HoldsInstructionSetsApartThatGiveTheSameBytes) {
  if (!is_in_turn(std::string(GetParam()).starts_with("CXX=g++") ? 0 : 1, 2)) GTEST_SKIP() << "not drawn";
  project_ = write_to(folder_.path() / "project");
  const CommandResult make =
      run_command(project_, std::string("make -s DISPATCH=1 CXXFLAGS='-O1 -Werror' ") + GetParam());
  ASSERT_EQ(make.status, 0) << make.output;
  expect_same_bytes();
  expect_apart();
  expect_parameters_once_per_order();
}

INSTANTIATE_TEST_SUITE_P(Builds, Dispatched,
                         testing::Values("CXX=g++ CHECK_MEMORY=1", "CXX=clang++-14 OPENMP=0"),
                         [](const auto& info) { return info.index == 0 ? "gcc_checked" : "clang"; });

TEST(StaticFiles, SayWhichInstructionSetsAProgramMayHold) {
  const TemporaryFolder folder;
  const fs::path project = write_to(folder.path() / "project");
  const CommandResult other = run_command(project, "make -s DISPATCH='avx2 mmx'");
  EXPECT_NE(other.status, 0);
  EXPECT_NE(other.output.find("DISPATCH=avx2 mmx: expected 0, 1 or some of amx avx512vnni avxvnni avx2 sse2"),
            std::string::npos)
      << other.output;
}
#endif

TEST_F(Driver, HoldsOneInstructionSetWhereNobodyAsksForMore) {
  expect(2, "-isa avx2: this program holds one instruction set; `make DISPATCH=1` builds one with several",
         "bin/run_export -isa avx2");
}

/// The forms of the kernels for instruction sets that an export for the machine ships.
std::string shipped_forms(targets::cpp::Machine machine) {
  const TemporaryFolder folder;
  targets::cpp::Parameters parameters;
  parameters.machine = machine;
  const targets::cpp::Project project = golden::fixed_project(parameters);
  project.write(folder.path(), golden::judged_samples(project), {});
  return run_command(folder.path() / "include" / "kernels",
                     "ls | grep -E 'list|_avx|_sse|_neon|_dotprod|_i8mm|_nofpu'; "
                     "for f in $(grep -ho '\"[a-z]*_.*[.]hpp\"' *_variants.hpp | tr -d '\"'); do "
                     "[ -e $f ] || echo no $f; done")
      .output;
}

TEST(StaticFiles, FormsOfOtherMachinesAreNotShipped) {
  using targets::cpp::Machine;
  const std::string all = shipped_forms(Machine::Generic);
  const std::string x86 = shipped_forms(Machine::X86), arm64 = shipped_forms(Machine::Arm64),
                    cortex_m = shipped_forms(Machine::CortexM);
  EXPECT_NE(x86.find("dot_avx512_vnni.hpp\n"), std::string::npos) << x86;
  EXPECT_NE(arm64.find("packed_dotprod.hpp\n"), std::string::npos) << arm64;
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_EQ(lines(x86) + lines(arm64) + lines(cortex_m), lines(all)) << all;
  for (const char* other : {"_neon", "_dotprod", "_i8mm", "list", "no "})
    EXPECT_EQ(x86.find(other), std::string::npos) << x86;
  for (const char* other : {"_avx", "_sse", "list", "no "})
    EXPECT_EQ(arm64.find(other), std::string::npos) << arm64;
  EXPECT_EQ(cortex_m, "rescale_nofpu.hpp\n");
}

TEST(StaticFiles, SaveOutputsScoreFileAndListAreWritten) {
  const TemporaryFolder folder;
  const fs::path project = write_to(folder.path() / "project");
  const CommandResult run =
      run_command(project,
                  "make -s save_outputs CXXFLAGS='-O1 -DOUTPUTFILE -DNO_DIRENT -DBENCHMARK' && "
                  "bin/run_export -stimulus stimuli/env1.pgm | grep forward: && "
                  "for cell in env conv1 left right join sum1 pool1 fc1; do "
                  "cmp outputs/${cell}_output.txt reference/env1/$cell.txt || exit 1; done && "
                  "[ \"$(sed -n 2p outputs/max_output.txt)\" = \"$(tail -c 4 stimuli/env1.pgm | od -An -td4 "
                  "| tr -d ' ')\" ] && "
                  "bin/run_export | grep 'Score: 75.000000%' && [ \"$(cat success_rate.txt)\" = 75 ] && "
                  "make -s clean && [ ! -e bin ] && [ ! -e build ]");
  EXPECT_EQ(run.status, 0) << run.output;
}

}  // namespace
}  // namespace n2d2::e2e
