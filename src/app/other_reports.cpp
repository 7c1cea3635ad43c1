#include "other_reports.hpp"

#include "explore/front.hpp"
#include "files.hpp"
#include "float_figures.hpp"
#include "provenance.hpp"
#include "report_of_run.hpp"

namespace n2d2::app {

namespace {

/// At most so many points of a curve, the last one among them.
constexpr size_t kMostPoints = 500;

template <class Member>
report::Series series_of(std::string name, std::span<const training::CurvePoint> curve, Member member) {
  report::Series out{std::move(name), {}, {}};
  const size_t stride = (curve.size() + kMostPoints - 1) / std::max<size_t>(1, kMostPoints);
  for (size_t i = 0; i < curve.size(); ++i) {
    if (stride > 1 && (curve.size() - 1 - i) % stride != 0) continue;
    const std::optional<double> y = member(curve[i]);
    if (!y) continue;
    out.x.push_back(static_cast<double>(curve[i].done));
    out.y.push_back(rounded(*y, 1e4));
  }
  return out;
}

}  // namespace

report::Report learning_report(const loader::Network& net, const Options& o,
                               std::span<const training::CurvePoint> curve, const std::optional<double>& best,
                               const WarningLog& warnings) {
  using training::CurvePoint;
  report::Report out;
  add_layers(net.graph, out);
  out.kind = "learning", out.network = net.name, out.title = "learnt";
  const std::string metric = ValueText<data::Metric>::print(o.valid_metric);
  if (best)
    out.tiles.insert(out.tiles.begin(), {"best validation", fmt::format("{:.2f} %", 100 * *best), metric, "",
                                         rounded(*best, 1e6)});
  report::Curve success{"Success while learning", "stimuli", "%", {}};
  success.series.push_back(
      series_of("learning", curve, [](const CurvePoint& p) { return std::optional(100 * p.success); }));
  report::Series validation = series_of("validation (" + metric + ")", curve, [](const CurvePoint& p) {
    return p.validation ? std::optional(100 * *p.validation) : std::nullopt;
  });
  if (!validation.x.empty()) success.series.push_back(std::move(validation));
  report::Curve loss{"Loss while learning", "stimuli", "mean loss of a stimulus", {}};
  loss.series.push_back(series_of("", curve, [](const CurvePoint& p) { return std::optional(p.loss); }));
  if (!curve.empty()) out.curves = {std::move(success), std::move(loss)};
  for (const auto& [what, value] : origin_rows(o)) out.about.push_back({what, value});
  out.warnings = warnings.texts(o);
  return out;
}

report::Report points_report(const Comparison& comparison,
                             const std::vector<std::pair<std::string, std::string>>& about) {
  report::Report out;
  out.kind = "pareto", out.network = comparison.network;
  out.title = comparison.export_type + ", exports compared on " + comparison.calibration;
  const auto beaten_by = dominators(comparison.explored);
  for (size_t i = 0; i < comparison.explored.size(); ++i) {
    const Explored& e = comparison.explored[i];
    if (e.is_refused()) {
      out.warnings.push_back(fmt::format("{} is refused: {}", e.point.number, e.refused));
      continue;
    }
    out.points.push_back({e.point.number, e.point.name(), rounded(e.accuracy.score(), 1e6), e.cost.ram,
                          e.cost.flash(), beaten_by[i] ? static_cast<int64_t>(*beaten_by[i]) : 0,
                          comparison.commands[i]});
  }
  for (const auto& [what, value] : about) out.about.push_back({what, value});
  return out;
}

void write_report(report::Report report, const std::string& provenance, const std::filesystem::path& folder) {
  for (const auto& [file, content] : report_files(std::move(report), provenance))
    write_text(folder / file, content);
}

}  // namespace n2d2::app
