// The files of whole exports: sections of the program, headers, what a second export leaves, CheckMemory.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/memory/plan_csv.hpp"
#include "n2d2/memory/validate.hpp"

#include "drawn.hpp"
#include "e2e/exported_builds.hpp"
#include "e2e/networks.hpp"

namespace n2d2::e2e {
namespace {

namespace fs = std::filesystem;

/// What readelf prints of one section of a file.
struct Section {
  std::string type;
  int64_t address = 0, size = 0;
};

Section section_of(const fs::path& project, const std::string& name,
                   const std::string& file = "bin/run_export") {
  const CommandResult lines = run_command(
      project, "readelf -SW " + file + " | sed 's/^ *\\[ *[0-9]*\\] //' | awk '$1 == \"" + name + "\"'");
  std::istringstream fields(lines.output);
  std::string same_name, address, offset, size;
  Section section;
  fields >> same_name >> section.type >> address >> offset >> size;
  EXPECT_EQ(same_name, name) << lines.output;
  if (same_name != name) return section;
  section.address = std::stoll(address, nullptr, 16);
  section.size = std::stoll(size, nullptr, 16);
  return section;
}

/// In turn; delegates_test compiles with the first one in each run, instances_test with the second one.
TEST(CheckMemory, BothPatternsLeaveEveryLayerAsItIs) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  const fs::path project = write(run_pipeline(ini_of(kBranches), all_references(8)), folder);
  if (is_in_turn(0, 2))
    build_and_compare(project, {"checked", "CXX=g++ CXXFLAGS='-O1 -Werror' CHECK_MEMORY=1"});
  if (is_in_turn(1, 2))
    build_and_compare(project, {"checked", "CXX=clang++-14 CXXFLAGS='-O1 -Werror' OPENMP=0 CHECK_MEMORY=2"});
}

TEST(CheckMemory, FindsAByteOutsideTheArenaAndAByteFreedTooEarly) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  const Exported net = run_pipeline(ini_of(kLenet), all_references(8));
  const fs::path project = write(net, folder);
  const std::string make = "make -s clean && make -s CXX=g++ CXXFLAGS='-O1 -Werror' CHECK_MEMORY=1 && ";
  const std::string shifted =
      "sed -i 's/FC2_MEM_CONT_OFFSET = .*/FC2_MEM_CONT_OFFSET = MEMORY_SIZE - 2;/' dnn/include/mem_info.hpp "
      "&& ";
  const CommandResult early = run_command(
      project,
      "cp dnn/src/forward.cpp saved && sed -i 's/\\(before_step(.*\\)1);/\\10);/' dnn/src/forward.cpp && " +
          make + "cp saved dnn/src/forward.cpp && ./bin/run_export -compare reference");
  EXPECT_EQ(early.status, 1) << early.output;
  const CommandResult outside = run_command(project, shifted + make + "./bin/run_export");
  EXPECT_EQ(outside.status, 2) << outside.output;
  EXPECT_NE(outside.output.find("a cell writes outside the arena"), std::string::npos) << outside.output;
}

TEST(ExportedFiles, AnArenaForEachMemoryIsAsLargeAsReported) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  Settings settings = all_references(8);
  settings.parameters.memories = {{.name = "fast", .size = 700, .section = ".fast"}, {.name = "slow"}};
  const Exported net = run_pipeline(ini_of(kBranches), settings);
  const fs::path project = write(net, folder);
  ASSERT_EQ(run_command(project, std::string("make -s ") + kGccO3.make).status, 0);
  for (const targets::cpp::MemoryUse& use : net.project->memory().memories) {
    const CommandResult symbols =
        run_command(project, "nm -SC build/dnn/src/forward.o | grep 'memory_" + use.name + "$'");
    std::istringstream fields(symbols.output);
    std::string address, size;
    fields >> address >> size;
    ASSERT_FALSE(size.empty()) << use.name;
    EXPECT_EQ(std::stoll(size, nullptr, 16), use.peak);
  }
  EXPECT_LE(net.project->memory().memories[0].peak, 700);
  EXPECT_EQ(section_of(project, ".fast").type, "NOBITS");
}

TEST(ExportedFiles, ThePlanCanBeJudgedAlone) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  const Exported net = run_pipeline(ini_of(kBranches), all_references(8));
  const std::string file = text_of(write(net, folder) / "statistics/memory/memory_plan.csv");
  const auto [problem, plan] = memory::plan_file_from_csv(file, "memory_plan.csv");
  EXPECT_TRUE(memory::validate(problem, plan).empty());
  EXPECT_EQ(plan.peaks.at(0), net.project->memory().peak);
}

TEST(ExportedFiles, AreEqualForEqualInput) {
  const log::Capture quiet;
  const TemporaryFolder first, second;
  const fs::path a = write(run_pipeline(ini_of(kLenet), all_references(8)), first);
  const fs::path b = write(run_pipeline(ini_of(kLenet), all_references(8)), second);
  const CommandResult diff = run_command(first.path(), "diff -r '" + a.string() + "' '" + b.string() + "'");
  EXPECT_EQ(diff.status, 0) << diff.output;
}

TEST(ExportedFiles, InferenceNeedsNoHeapNoExceptionsNoStreams) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  const fs::path project = write(run_pipeline(ini_of(kResidual), all_references(8)), folder);
  ASSERT_EQ(run_command(project, std::string("make -s ") + kGccO3.make).status, 0);
  const CommandResult symbols =
      run_command(project, "nm -uC $(find build/dnn -name '*.o') build/src/Network.o");
  ASSERT_EQ(symbols.status, 0);
  for (const char* forbidden :
       {"malloc", "calloc", "free", "__cxa_throw", "__cxa_allocate", "operator new", "std::"})
    EXPECT_EQ(symbols.output.find(forbidden), std::string::npos) << forbidden << "\n" << symbols.output;
}

TEST(ExportedFiles, ArenaIsAsLargeAsReported) {
  const log::Capture quiet;
  for (const int bits : {8, 16, -32}) {
    const TemporaryFolder folder;
    const Exported net = run_pipeline(ini_of(kBranches), all_references(bits));
    const fs::path project = write(net, folder);
    ASSERT_EQ(run_command(project, std::string("make -s build/dnn/src/forward.o ") + kGccO1.make).status, 0);
    const CommandResult symbols = run_command(project, "nm -SC build/dnn/src/forward.o | grep 'memory$'");
    std::istringstream fields(symbols.output);
    std::string address, size;
    fields >> address >> size;
    EXPECT_EQ(std::stoll(size, nullptr, 16), net.project->memory().peak) << symbols.output;
    EXPECT_NE(text_of(project / "dnn/include/mem_info.hpp")
                  .find(fmt::format("constexpr uint32_t MEMORY_SIZE = {};\n", net.project->memory().peak)),
              std::string::npos);
  }
}

/// By one of two compilers, in turn.
TEST(ExportedFiles, ArenaTakesNoRoomInTheProgramAndIsPlacedByName) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  const Exported net = run_pipeline(ini_of(kLenet), all_references(8));
  const fs::path project = write(net, folder);
  for (const Build& build : {kGccO1, kClangO3}) {
    if (!is_in_turn(build.name == kGccO1.name ? 0 : 1, 2)) continue;
    const std::string make = std::string("make -s clean && make -s ") + build.make;
    ASSERT_EQ(
        run_command(project, make + " LDFLAGS='-no-pie -Wl,--section-start=.nn_memory=0x30000000'").status, 0)
        << build.name;
    const Section arena = section_of(project, ".nn_memory");
    EXPECT_EQ(arena.type, "NOBITS") << build.name;
    EXPECT_EQ(arena.size, net.project->memory().peak) << build.name;
    EXPECT_EQ(arena.address, 0x30000000) << build.name;
  }
}

TEST(ExportedFiles, ArenaGoesWhereTheUsersMacroSays) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  const Exported net = run_pipeline(ini_of(kLenet), all_references(8));
  const fs::path project = write(net, folder);
  std::ofstream(project / "place.hpp")
      << "#define N2D2_SECTION_NN_MEMORY __attribute__((section(\".mine\")))\n";
  for (const char* compiler : {"g++", "clang++-14"}) {
    const CommandResult make =
        run_command(project, std::string("make -s build/dnn/src/forward.o OPENMP=0 CXX=") + compiler +
                                 " CXXFLAGS='-O1 -Werror -include place.hpp'");
    ASSERT_EQ(make.status, 0) << make.output;
    EXPECT_EQ(section_of(project, ".mine", "build/dnn/src/forward.o").size, net.project->memory().peak)
        << compiler;
  }
}

TEST(ExportedFiles, ASecondExportKeepsUnrelatedFilesAndDropsOldOnes) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  const fs::path project = write(run_pipeline(ini_of(kLenet), all_references(8)), folder);
  std::ofstream(project / "mine.txt") << "kept";
  ASSERT_TRUE(fs::exists(project / "dnn/include/cells/conv1.hpp"));
  write(run_pipeline(ini_of(kResidual), all_references(8)), folder);
  EXPECT_EQ(text_of(project / "mine.txt"), "kept");
  EXPECT_FALSE(fs::exists(project / "dnn/include/cells/conv1.hpp"));
  EXPECT_TRUE(fs::exists(project / "dnn/include/cells/sum1.hpp"));
  EXPECT_FALSE(fs::exists(project.parent_path() / ("." + project.filename().string() + ".n2d2-new")));
}

/// Forms for instruction sets that need flags: driver_test.
TEST(ExportedFiles, EveryHeaderCompilesAlone) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  const fs::path project = write(run_pipeline(ini_of(kDepthwise), all_references(8)), folder);
  const CommandResult result =
      run_command(project,
                  "for h in include/kernels/*.hpp dnn/include/*.hpp dnn/include/cells/*.hpp include/*.h "
                  "include/Network.hpp; do case $h in *_avx*|*_neon*|*_dotprod*|*_i8mm*) continue;; esac; "
                  "echo \"#include \\\"$h\\\"\" | g++ -std=c++11 -pedantic -Wall -Wextra -Werror "
                  "-fno-exceptions -fno-rtti -I. "
                  "-fsyntax-only -x c++ - || echo FAILED $h; done");
  EXPECT_EQ(result.output.find("FAILED"), std::string::npos) << result.output;
}

TEST(ExportedFiles, StimuliAreFoundFromAnyFolder) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  const fs::path project = write(run_pipeline(ini_of(kLenet), all_references(8)), folder);
  ASSERT_EQ(run_command(project, std::string("make -s ") + kGccO1.make).status, 0);
  const CommandResult run = run_command(folder.path(), "./export_CPP_int8/bin/run_export");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("Score: "), std::string::npos) << run.output;
}

TEST(ExportedFiles, TheProgramWritesTheClassOfEveryStimulus) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  const Exported net = run_pipeline(ini_of(kLenet), all_references(8));
  const fs::path project = write(net, folder);
  ASSERT_EQ(run_command(project, std::string("make -s ") + kGccO1.make).status, 0);
  const CommandResult run = run_command(project, "./bin/run_export -classes classes.txt");
  EXPECT_EQ(run.status, 0) << run.output;
  std::string expected;
  for (size_t i = 0; i < net.stimuli.size(); ++i) {
    const Tensor scores = net.project->host_run(net.stimuli[i].input).front();
    int64_t best = 0;
    for (int64_t c = 1; c < scores.elements(); ++c)
      if (scores.data<int32_t>()[c] > scores.data<int32_t>()[best]) best = c;
    expected += fmt::format("env{} {}\n", i, best);
  }
  EXPECT_EQ(text_of(project / "classes.txt"), expected);
  EXPECT_EQ(run_command(project, "./bin/run_export -classes no_such_folder/classes.txt").status, 2);
}

}  // namespace
}  // namespace n2d2::e2e
