#include "explore.hpp"

#include <algorithm>

#include "n2d2/base/log.hpp"
#include "n2d2/base/progress.hpp"
#include "n2d2/loader/freeze.hpp"
#include "n2d2/quantize/check_integers.hpp"
#include "n2d2/quantize/given_scales.hpp"

#include "calibration.hpp"
#include "commands.hpp"
#include "files.hpp"
#include "front_report.hpp"
#include "measure.hpp"
#include "other_reports.hpp"
#include "pictures.hpp"
#include "point_files.hpp"
#include "points.hpp"
#include "provenance.hpp"
#include "score.hpp"

namespace n2d2::app {

namespace {

/// The reason alone, in one line.
std::string reason_of(const Error& error) {
  const Diagnostic& first = error.findings().front();
  const size_t others = error.findings().size() - 1;
  return first.message + (others == 0 ? "" : fmt::format(" (and {} more)", others));
}

/// Computes the exports of one group.
class GroupOfPoints {
 public:
  GroupOfPoints(const Options& o, IntegerGraphs& graphs, Scorer& scorer)
      : o_(o), graphs_(graphs), scorer_(scorer) {}

  /// `wanted` are points of one group, the whole range of which is `all`.
  std::vector<Explored> run(std::span<const Point> all, std::span<const Point> wanted) {
    std::vector<Explored> out;
    const IntegerSetting& setting = wanted.front().integers;
    try {
      Explored any{wanted.front(), {}, {}, {}, {}};
      made_ = graphs_.make(setting, options_for(any));
    } catch (const InternalError&) {
      throw;
    } catch (const Error& error) {
      for (const Point& point : wanted) out.push_back({point, reason_of(error), {}, {}, {}});
      return out;
    }
    plan_ends(all);
    for (const Point& point : wanted) out.push_back(explored(point));
    return out;
  }

 private:
  /// Writes the parameters that the export needs.
  Options options_for(const Explored& explored) const {
    const std::string parameters = parameters_of(explored, o_);
    if (!parameters.empty()) write_text(parameters_file(explored.point, o_), parameters);
    return options_of(explored, o_, !parameters.empty());
  }

  /// Plans that others lie between, where some do.
  void plan_ends(std::span<const Point> all) {
    for (const Point& point : all)
      if (point.budget == BudgetLevel::Unlimited || point.budget == BudgetLevel::Least)
        ends_.push_back(planned_at(point, memory_budget(point.budget, 0, 0)));
  }

  const Explored* end_at(BudgetLevel level) const {
    for (const Explored& end : ends_)
      if (end.point.budget == level) return &end;
    return nullptr;
  }

  Explored explored(const Point& point) {
    Explored out;
    if (const Explored* end = end_at(point.budget)) {
      out = *end;
    } else if (point.budget == BudgetLevel::Given) {
      out = planned_at(point, "");
    } else {
      const Explored *whole = end_at(BudgetLevel::Unlimited), *least = end_at(BudgetLevel::Least);
      for (const Explored* end : {whole, least})
        if (end->is_refused()) return {point, end->refused, {}, {}, {}};
      out = planned_at(point, memory_budget(point.budget, whole->cost.ram, least->cost.ram));
    }
    if (!out.is_refused()) out.accuracy = *accuracy_;
    return out;
  }

  /// Plans an export, and scores the first one of the group: all make the same bytes.
  Explored planned_at(const Point& point, std::string budget) {
    Explored out{point, {}, std::move(budget), {}, {}};
    const log::Capture said;  // by the export
    try {
      const Options options = options_for(out);
      const auto build = planned(*made_, options);
      out.cost = cost_of(*build);
      if (!accuracy_) accuracy_ = scorer_.run(made_->floats, *build);
    } catch (const InternalError&) {
      throw;
    } catch (const Error& error) {
      out.refused = reason_of(error);
    }
    return out;
  }

  const Options& o_;
  IntegerGraphs& graphs_;
  Scorer& scorer_;
  std::optional<IntegerGraphs::Made> made_;
  std::optional<Accuracy> accuracy_;
  std::vector<Explored> ends_;
};

void expect_free_integers(const loader::Network& net, const Options& o) {
  if (quantize::quantized_bits(net.graph) > 0)
    throw ConfigError("option -pareto: the graph holds integers already", {o.model, 0},
                      "'-export CPP -memory-curve' shows what less memory costs");
  if (quantize::has_given_scales(net.graph) || loader::has_learnt_quantizers(net))
    throw ConfigError("option -pareto: the network brings its scales: its widths are settled", {o.model, 0},
                      "'-export CPP -memory-curve' shows what less memory costs");
}

class Exploration {
 public:
  Exploration(loader::Network& net, const Options& o)
      : net_(net),
        o_(o),
        points_(points_of(axes_of(o))),
        files_(o.in_output("pareto") / "points", digest_of(net, o)),
        part_(o.pareto_part.empty() ? Part{} : *part_of(o.pareto_part)) {}

  void run() {
    IntegerGraphs graphs(net_);
    Scorer scorer(net_, o_);
    progress::Task task("Comparing exports", own_points(), "exports");
    for (size_t first = 0, end = 0; first < points_.size(); first = end) {
      while (end < points_.size() && points_[end].group == points_[first].group) ++end;
      if (points_[first].group % part_.parts == part_.index)
        run_group(std::span(points_).subspan(first, end - first), graphs, scorer);
      task.at(static_cast<int64_t>(found_.size()));
    }
    log::info("Pareto: {} exports computed, {} taken from {}", found_.size() - taken_, taken_,
              (o_.in_output("pareto") / "points").string());
    if (o_.pareto_part.empty()) report();
  }

 private:
  void run_group(std::span<const Point> all, IntegerGraphs& graphs, Scorer& scorer) {
    std::vector<Point> wanted;
    for (const Point& point : all)
      if (auto found = files_.read(point)) {
        found_.push_back(*std::move(found));
        ++taken_;
      } else {
        wanted.push_back(point);
      }
    if (wanted.empty()) return;
    const IntegerSetting& setting = all.front().integers;
    log::info("Pareto: weights of {} bits, values of {} bits, -quant-effort {} ({} of {})",
              setting.bits_of_weights(), setting.bits_of_values(), setting.effort, all.front().group + 1,
              points_.back().group + 1);
    for (Explored& explored : GroupOfPoints(o_, graphs, scorer).run(all, wanted)) {
      files_.write(explored);
      found_.push_back(std::move(explored));
    }
  }

  /// How many of the points this process measures.
  int64_t own_points() const {
    return std::count_if(points_.begin(), points_.end(),
                         [&](const Point& point) { return point.group % part_.parts == part_.index; });
  }

  void report() {
    std::sort(found_.begin(), found_.end(),
              [](const Explored& a, const Explored& b) { return a.point.number < b.point.number; });
    if (std::all_of(found_.begin(), found_.end(), [](const Explored& e) { return e.is_refused(); }))
      throw ExportError("option -pareto: every export is refused: " + found_.front().refused, {o_.model, 0},
                        "'-analyze' shows all that is refused, each with its line and what helps");
    const CalibrationSamples samples(net_, o_.calib, CalibrationSamples::Say::Nothing);
    Comparison comparison{net_.name, o_.export_type, samples.text(), std::move(found_), {}};
    for (const Explored& explored : comparison.explored)
      comparison.commands.push_back(
          explored.is_refused() ? "" : command_of(explored, o_, !parameters_of(explored, o_).empty()));
    const std::filesystem::path folder = o_.in_output("pareto");
    write_text(folder / "points.csv", points_csv(comparison));
    write_text(folder / "pareto.json", points_json(comparison));
    write_picture(plot::draw(front_chart(comparison)), folder / "pareto");
    write_report(points_report(comparison, origin_rows(o_)), "{}", folder);
    print(front_text(comparison));
  }

  loader::Network& net_;
  const Options& o_;
  std::vector<Point> points_;
  PointFiles files_;
  Part part_;
  std::vector<Explored> found_;
  size_t taken_ = 0;
};

}  // namespace

void explore(loader::Network& net, const Options& o) {
  expect_free_integers(net, o);
  if (test_positions(net, o).empty())
    throw ConfigError("option -pareto: there are no Test samples to score on", {o.model, 0},
                      "[database] of an INI file gives samples, -test-dir those of a lone ONNX file");
  Exploration(net, o).run();
}

}  // namespace n2d2::app
