// report.html and report.json: the figures of the other files of an export, and nothing of this machine.
#include "report_of_run.hpp"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

#include "n2d2/report/write.hpp"

#include "folder_test.hpp"
#include "run_net.hpp"
#include "small_net.hpp"
#include "targets/needs.hpp"

namespace n2d2::app {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

class ReportOfRun : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    N2D2_NEEDS_TARGETS("CPP");
    write("net.ini", kSmallNet);
  }
  static report::Report report_of(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"-seed", "3",      "-w", "/dev/null",  "-export",
                                       "CPP",   "-calib", "5",  "-db-export", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    run_net(arguments);
    return report::read_json(content_of("export_CPP_int8/report.json"), "report.json");
  }
  static const report::Tile* tile(const report::Report& report, const std::string& name) {
    for (const report::Tile& each : report.tiles)
      if (each.name == name) return &each;
    return nullptr;
  }
};

TEST_F(ReportOfRun, HasTheRowsOfTheReadme) {
  const report::Report report = report_of({"-test"});
  const std::string readme = content_of("export_CPP_int8/README.md");
  ASSERT_GT(report.about.size(), 6U);
  for (const report::Fact& fact : report.about) {
    EXPECT_THAT(readme, ::testing::HasSubstr("| " + fact.name + " | "));
    EXPECT_THAT(readme, ::testing::HasSubstr(fact.value));
  }
}

TEST_F(ReportOfRun, HasTheLayersOfTheProgramWithTheirStepsAndKernels) {
  const report::Report report = report_of();
  ASSERT_FALSE(report.layers.empty());
  EXPECT_EQ(report.layers.front().type, "Input");
  int64_t flash = 0;
  for (const report::Layer& layer : report.layers) {
    flash += layer.flash.value_or(0);
    if (!layer.step) continue;
    EXPECT_FALSE(layer.kernel.empty()) << layer.name;
    EXPECT_EQ(layer.ram, report::bytes_in_use(report.memory, *layer.step)) << layer.name;
  }
  ASSERT_NE(tile(report, "flash"), nullptr);
  EXPECT_EQ(static_cast<double>(flash), tile(report, "flash")->number);
}

TEST_F(ReportOfRun, HasTheArenaAsItsPeak) {
  const report::Report report = report_of();
  int64_t highest = 0;
  for (const report::MapBox& box : report.memory.boxes) highest = std::max(highest, box.to);
  EXPECT_EQ(report.memory.levels.back().bytes, highest);
  ASSERT_TRUE(report.memory.peak_step);
  EXPECT_LT(*report.memory.peak_step, static_cast<int64_t>(report.memory.steps.size()));
}

TEST_F(ReportOfRun, SaysThatTheJudgeGaveTheSameBytes) {
  const report::Report report = report_of();
  ASSERT_NE(tile(report, "bytes equal"), nullptr);
  EXPECT_EQ(tile(report, "bytes equal")->value, "yes");
  write("p.ini", "JudgeSamples=0\n");
  EXPECT_EQ(tile(report_of({"-export-parameters", "p.ini"}), "bytes equal")->value, "not judged");
}

TEST_F(ReportOfRun, IsTheSameInAnotherFolder) {
  report_of({"-test"});
  const std::string first = content_of("export_CPP_int8/report.html");
  fs::create_directory("other");
  fs::copy("net.ini", "other/net.ini");
  fs::current_path("other");
  report_of({"-test"});
  EXPECT_EQ(content_of("export_CPP_int8/report.html"), first);
}

TEST_F(ReportOfRun, KeepsWarningsWithoutFolders) {
  Options options;
  options.model = "/some/where/net.ini";
  const log::Capture quiet;
  const WarningLog warnings;
  log::warn("/some/where/net.ini:3: odd");
  log::warn("/some/where/net.ini:3: odd");
  log::notice("no warning");
  log::warn("N2D2_HOST_ISA=avx2: of this machine");
  EXPECT_EQ(warnings.texts(options), std::vector<std::string>{"net.ini:3: odd"});
  EXPECT_THAT(quiet.text(log::Level::Warning), ::testing::HasSubstr("odd"));
}

}  // namespace
}  // namespace n2d2::app
