// report.json: what it has, and that it is read to the same report.
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "n2d2/base/error.hpp"
#include "n2d2/report/write.hpp"

#include "report/hostile_names.hpp"
#include "report/sample_report.hpp"

namespace n2d2::report {
namespace {

TEST(ReportJson, HasFiguresUnderTheirKeysAndNothingElse) {
  Report report;
  report.network = "net";
  Layer& layer = report.layers.emplace_back();
  layer.name = "fc", layer.macs = 0, layer.sqnr_db = HUGE_VAL;
  EXPECT_EQ(write_json(report),
            "{\n \"format\": 1,\n \"network\": \"net\",\n \"layers\": [\n  {\"name\":\"fc\",\"macs\":0}]}\n");
}

TEST(ReportJson, IsReadToTheSameReport) {
  const std::string text = write_json(sample_report(12));
  EXPECT_EQ(write_json(read_json(text, "report.json")), text);
  const Report read = read_json(text, "report.json");
  EXPECT_EQ(read.layers.size(), 12U);
  EXPECT_EQ(read.layers[5].parents, (std::vector<std::string>{"conv4", "conv2"}));
}

TEST(ReportJson, IsAsciiWithoutCharactersOfHtml) {
  for (int seed = 0; seed < kHostileNames; ++seed) {
    const std::string text = write_json(sample_report(3, hostile_name(seed)));
    for (const char c : text) ASSERT_TRUE((c >= ' ' && c < '\x7f') || c == '\n') << seed;
    ASSERT_EQ(text.find_first_of("<>&"), std::string::npos) << seed;
    ASSERT_EQ(write_json(read_json(text, "report.json")), text) << seed;
  }
}

void expect_refused(const std::string& text, const std::string& message) {
  try {
    read_json(text, "a/report.json");
    ADD_FAILURE() << text;
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), ::testing::StartsWith("a/report.json: " + message));
  }
}

TEST(ReportJson, OfAnythingElseIsRefused) {
  expect_refused("", "no report of n2d2");
  expect_refused("[1, 2]", "no report of n2d2");
  expect_refused("{}", "no report of n2d2");
  expect_refused(R"({"format": 2})", "a report of format 2, this program reads 1");
  expect_refused(R"({"format": 1.5})", "no report of n2d2");
  expect_refused(R"({"format": 1, "layers": [{"macs": "x"}]})", "no report of n2d2");
  expect_refused(R"({"format": 1, "layers": [{"step": 1e300}]})", "no report of n2d2");
}

struct Keys {
  std::set<std::string>& found;
  template <class T>
  void of() {
    T::fields([this](const char* key, auto) { found.insert(key); });
  }
};

TEST(ReportJson, IsDocumentedWhole) {
  std::ifstream in(N2D2_SOURCE_DIR "/docs/use/report.md");
  std::ostringstream page;
  page << in.rdbuf();
  std::set<std::string> found;
  Keys keys{found};
  keys.of<Report>(), keys.of<Tile>(), keys.of<Layer>(), keys.of<MemoryMap>(), keys.of<MapBox>();
  keys.of<NamedBytes>(), keys.of<Fact>(), keys.of<Histogram>(), keys.of<Blame>(), keys.of<Confusion>();
  keys.of<Differing>(), keys.of<Curve>(), keys.of<Series>(), keys.of<Point>(), keys.of<Feed>();
  for (const std::string& key : found) EXPECT_THAT(page.str(), ::testing::HasSubstr("`" + key + "`")) << key;
}

TEST(BytesInUse, CountsBytesOnce) {
  MemoryMap map;
  map.boxes = {{"a", 0, 2, 0, 100, 0, 1}, {"b", 1, 2, 50, 150, 1, 1}, {"c", 2, 3, 400, 500, 2, 1}};
  EXPECT_EQ(bytes_in_use(map, 0), 100);
  EXPECT_EQ(bytes_in_use(map, 1), 150);
  EXPECT_EQ(bytes_in_use(map, 2), 100);
  EXPECT_EQ(bytes_in_use(map, 3), 0);
}

}  // namespace
}  // namespace n2d2::report
