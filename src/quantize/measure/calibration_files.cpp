#include "n2d2/quantize/calibration_files.hpp"

#include "n2d2/base/text.hpp"

namespace n2d2::quantize {

namespace {

std::string histogram_text(const Histogram& histogram) {
  std::string out;
  const auto counts = histogram.counts();
  for (int64_t i = 0; i < histogram.bins(); ++i) {
    const uint64_t count = counts[static_cast<size_t>(i)];
    if (count == 0) continue;
    out += fmt::format("{} {} {} {}\n", i, histogram.centre(i), count,
                       static_cast<double>(count) / static_cast<double>(histogram.total()));
  }
  return out;
}

}  // namespace

std::vector<CalibrationStem> calibration_stems(const graph::Graph& graph, const Ranges& ranges) {
  std::map<std::string_view, graph::ValueId> by_name;
  for (const auto& [id, statistics] : ranges.values) by_name.emplace(graph.value(id).name, id);
  std::vector<std::string> names;
  for (const auto& [name, id] : by_name) names.emplace_back(name);
  std::vector<std::string> stems = file_names(names);
  std::vector<CalibrationStem> out;
  for (const auto& [name, id] : by_name) out.push_back({id, std::move(stems[out.size()])});
  return out;
}

void calibration_files(
    const graph::Graph& graph, const Ranges& ranges,
    const std::function<void(const std::string& path, const std::string& content)>& write) {
  std::string lines;
  for (const auto& [id, stem] : calibration_stems(graph, ranges)) {
    const Statistics& statistics = ranges.values.at(id);
    lines += fmt::format("{} {} {} {} {}\n", graph.value(id).name, statistics.min, statistics.max,
                         statistics.mean(), statistics.stddev());
    if (statistics.histogram)
      write("outputs_histogram/" + stem + ".dat", histogram_text(*statistics.histogram));
  }
  write("outputs_range.dat", lines);
}

}  // namespace n2d2::quantize
