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

void calibration_files(
    const graph::Graph& graph, const Ranges& ranges,
    const std::function<void(const std::string& path, const std::string& content)>& write) {
  std::map<std::string_view, const Statistics*> by_name;
  for (const auto& [id, statistics] : ranges.values) by_name[graph.value(id).name] = &statistics;
  std::vector<std::string> names;
  for (const auto& [name, statistics] : by_name) names.emplace_back(name);
  const std::vector<std::string> stems = file_names(names);
  auto stem = stems.begin();
  std::string lines;
  for (const auto& [name, statistics] : by_name) {
    lines += fmt::format("{} {} {} {} {}\n", name, statistics->min, statistics->max, statistics->mean(),
                         statistics->stddev());
    if (statistics->histogram)
      write("outputs_histogram/" + *stem + ".dat", histogram_text(*statistics->histogram));
    ++stem;
  }
  write("outputs_range.dat", lines);
}

}  // namespace n2d2::quantize
