// report.html of runs that export nothing, and -compare.
#include "other_reports.hpp"

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

using ::testing::HasSubstr;
using ::testing::StartsWith;

class OtherReports : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    write("net.ini", kSmallNet);
  }
  static std::string content_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
  static report::Report report_of(const std::string& file) {
    return report::read_json(content_of(file), file);
  }
  static std::vector<std::string> export_of(const std::string& folder, const std::string& bits) {
    return {"-seed", "3", "-w", "/dev/null", "-export", "CPP", "-calib", "5", "-nbbits", bits, "-o", folder};
  }
  static std::string message(const std::vector<std::string>& arguments) {
    try {
      const CommandLine line = parse(arguments);
      run(line.options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(OtherReports, LearningHasItsCurves) {
  run_net({"-seed", "3", "-learn-epoch", "2"});
  const report::Report report = report_of("report.json");
  EXPECT_EQ(report.kind, "learning");
  ASSERT_EQ(report.curves.size(), 2U);
  EXPECT_EQ(report.curves[0].series.size(), 2U);
  EXPECT_EQ(report.curves[1].series.front().x.size(), report.curves[1].series.front().y.size());
  EXPECT_GT(report.curves[1].series.front().x.size(), 1U);
  EXPECT_EQ(report.tiles.front().name, "best validation");
  EXPECT_THAT(content_of("report.html"), HasSubstr("<polyline"));
}

TEST_F(OtherReports, ParetoHasItsPoints) {
  N2D2_NEEDS_TARGETS("CPP");
  write("p.ini", "MemoryBudget=min\n");
  run_net({"-seed", "3", "-w", "/dev/null", "-pareto", "-export", "CPP", "-nbbits", "8", "-calib", "10",
           "-quant-effort", "0", "-export-parameters", "p.ini"});
  const report::Report report = report_of("pareto/report.json");
  EXPECT_EQ(report.kind, "pareto");
  ASSERT_FALSE(report.points.empty());
  EXPECT_THAT(report.points.front().command, StartsWith("n2d2 net.ini"));
  EXPECT_THAT(content_of("pareto/report.html"), HasSubstr("<circle class=\"dot c0\""));
}

TEST_F(OtherReports, AnalysisIsPrintedAsAPage) {
  N2D2_NEEDS_TARGETS("CPP");
  const std::string page = run_net({"-analyze", "html"});
  EXPECT_THAT(page, HasSubstr("<!doctype html>"));
  EXPECT_THAT(page, HasSubstr("<h2 id=\"of-memory\">Memory over time</h2>"));
  EXPECT_THAT(page, HasSubstr("ranges of values are made up"));
}

TEST_F(OtherReports, TwoExportsAreCompared) {
  N2D2_NEEDS_TARGETS("CPP");
  run_net(export_of("a", "8"));
  run_net(export_of("b", "4"));
  EXPECT_EQ(message({"-compare", "a/export_CPP_int8", "b/export_CPP_int4/report.json"}), "");
  const std::string page = content_of("comparison.html");
  EXPECT_THAT(page, HasSubstr("<h1>a/export_CPP_int8 and b/export_CPP_int4/report.json</h1>"));
  EXPECT_THAT(page, HasSubstr("<h3>bits of weights</h3>"));
}

TEST_F(OtherReports, NothingElseIsCompared) {
  EXPECT_EQ(message({"-compare", "a"}),
            "option -compare takes two folders with a report.json\n  hint: n2d2 -compare export_a export_b");
  EXPECT_EQ(message({"-compare", "a", "b"}),
            "a: report: no such file\n  hint: every export writes a report.json");
  write("some.json", "{\"layers\": []}");
  EXPECT_EQ(message({"-compare", "some.json", "some.json"}), "some.json: no report of n2d2");
}

}  // namespace
}  // namespace n2d2::app
