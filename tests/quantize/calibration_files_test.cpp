#include "n2d2/quantize/calibration_files.hpp"

#include <gtest/gtest.h>

namespace n2d2::quantize {
namespace {

TEST(CalibrationFiles, HoldRangesAndTheBinsThatCount) {
  graph::Graph graph;
  const Shape pixel{1, 1, 1, 1};
  const graph::ValueId late = graph.add_input("b", {pixel, DataType::F32, Layout::Nchw, {}});
  const graph::ValueId early = graph.add_input("a/b", {pixel, DataType::F32, Layout::Nchw, {}});
  Ranges ranges;
  Statistics s;
  s.min = -1, s.max = 3, s.count = 4, s.sum = 4, s.sum_of_squares = 12;
  s.histogram = Histogram(0, 4, 4);
  s.histogram->insert(0.5, 1);
  s.histogram->insert(2.5, 3);
  ranges.values[early] = s;
  ranges.values[late] = {};
  std::map<std::string, std::string> files;
  calibration_files(graph, ranges, [&](const std::string& path, const std::string& content) {
    EXPECT_TRUE(files.emplace(path, content).second);
  });
  const std::map<std::string, std::string> expected{
      {"outputs_range.dat", "a/b -1 3 1 1.4142135623730951\nb 0 0 0 0\n"},
      {"outputs_histogram/a_b.dat", "0 0.5 1 0.25\n2 2.5 3 0.75\n"}};
  EXPECT_EQ(files, expected);
}

}  // namespace
}  // namespace n2d2::quantize
