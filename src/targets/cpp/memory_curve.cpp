#include "memory_curve.hpp"

#include <algorithm>
#include <chrono>

#include "n2d2/base/csv.hpp"
#include "n2d2/base/text.hpp"
#include "n2d2/memory/strategy.hpp"
#include "n2d2/plot/chart.hpp"
#include "n2d2/program/run.hpp"
#include "n2d2/program/schedule.hpp"
#include "n2d2/program/tiling.hpp"

namespace n2d2::targets::cpp {

namespace {

constexpr int kTimedRuns = 5;

double shortest_run(const program::Program& program, const Tensor& input) {
  const program::Runner runner(program);
  program::Arena arena(program);
  double best = 0;
  for (int run = 0; run < kTimedRuns; ++run) {
    const auto start = std::chrono::steady_clock::now();
    runner.run(input, 0, arena);
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
    best = run == 0 ? spent.count() : std::min(best, spent.count());
  }
  return best;
}

std::string peak_layer(const memory::Problem& problem) {
  const memory::StepId step = memory::step_of_lower_bound(problem);
  return step == memory::kNone ? "" : problem.steps.at(static_cast<size_t>(step)).name;
}

CurvePoint point_of(const program::Planned& planned, const Tensor& input) {
  CurvePoint out;
  for (const program::Memory& memory : planned.program.memories) out.ram += memory.peak;
  out.runs = program::runs_of(planned.program);
  for (const program::Region& region : planned.program.regions)
    out.streamed +=
        static_cast<int>(region.paces.size()) - (planned.program.call(region.first).is_source() ? 1 : 0);
  out.macs = multiplications(planned.program).all;
  out.peak_layer = peak_layer(planned.problem);
  out.milliseconds = shortest_run(planned.program, input);
  return out;
}

}  // namespace

std::vector<CurvePoint> memory_curve(const std::vector<program::Planned>& plans, const Tensor& input) {
  std::vector<CurvePoint> out;
  for (const program::Planned& planned : plans) out.push_back(point_of(planned, input));
  return out;
}

std::string curve_table(const std::vector<CurvePoint>& curve) {
  std::string out =
      "RAM against calls of kernels (MemoryBudget=<bytes>); all plans make the same bytes\n"
      "       bytes of the first     calls  layers in turns  multiplications     time  the peak is at\n";
  for (const CurvePoint& point : curve)
    out += fmt::format(
        "{:>12} {:>10.1f} % {:>9} {:>16} {:>16} {:>8.2f}  {}\n", with_thousands(point.ram),
        100 * static_cast<double>(point.ram) / static_cast<double>(std::max<int64_t>(1, curve.front().ram)),
        with_thousands(point.runs), point.streamed, with_thousands(point.macs),
        point.milliseconds / std::max(1e-9, curve.front().milliseconds), presentable(point.peak_layer));
  return out;
}

void write_memory_curve(const std::vector<CurvePoint>& curve, exporter::FileTree& tree) {
  const std::string base = "statistics/memory/memory_curve.";
  std::string csv = "bytes,calls,layers_in_turns,multiplications,peak_layer\n";
  plot::Chart chart;
  chart.title = "Memory against calls of kernels";
  chart.x_title = "calls of kernels in one run";
  chart.y_title = "RAM [KiB]";
  chart.log_x = true;
  plot::Series series;
  for (const CurvePoint& point : curve) {
    csv += csv_line({std::to_string(point.ram), std::to_string(point.runs), std::to_string(point.streamed),
                     std::to_string(point.macs), point.peak_layer});
    series.x.push_back(static_cast<double>(point.runs));
    series.y.push_back(static_cast<double>(point.ram) / 1024);
  }
  chart.series.push_back(std::move(series));
  tree.write(base + "csv", csv);
  const plot::Canvas canvas = plot::draw(chart);
  canvas.write_svg(tree.reserve(base + "svg"));
  canvas.write_png(tree.reserve(base + "png"));
}

}  // namespace n2d2::targets::cpp
