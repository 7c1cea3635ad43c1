#include "front_report.hpp"

#include <algorithm>

#include "n2d2/base/csv.hpp"
#include "n2d2/base/text.hpp"

#include "float_figures.hpp"
#include "front.hpp"
#include "point_json.hpp"

namespace n2d2::app {

namespace {

using Json = nlohmann::ordered_json;

bool has_classes(const Comparison& comparison) {
  return std::any_of(comparison.explored.begin(), comparison.explored.end(), [](const Explored& each) {
    const auto& targets = each.accuracy.targets;
    return std::any_of(targets.begin(), targets.end(), [](const TargetScore& t) { return t.has_classes; });
  });
}

bool counts_instructions(const Comparison& comparison) {
  return std::any_of(comparison.explored.begin(), comparison.explored.end(),
                     [](const Explored& each) { return each.cost.instructions > 0; });
}

std::string score_text(const Accuracy& accuracy, bool is_of_classes) {
  return is_of_classes ? fmt::format("{:.2f} %", 100 * accuracy.score())
                       : fmt::format("{:.4g}", -accuracy.score());
}

std::string line_of(const Explored& e, bool is_of_classes, bool counts) {
  const IntegerSetting& integers = e.point.integers;
  const std::string budget = e.memory_budget.empty()  ? text_of(e.point.budget)
                             : e.memory_budget == "0" ? "none"
                                                      : e.memory_budget;
  return fmt::format(
      "{:>5} {:>7} {:>6} {:>6} {:>9} {:>9} {:>8.2f} % {:>8} {:>11} {:>12} {:>14} {:>9}\n", e.point.number,
      integers.bits_of_weights(), integers.bits_of_values(), integers.effort, budget,
      score_text(e.accuracy, is_of_classes), 100 * e.accuracy.agreement(),
      decibel_text(e.accuracy.sqnr(), ""), with_thousands(e.cost.ram), with_thousands(e.cost.flash()),
      with_thousands(counts ? e.cost.instructions : e.cost.multiplications), with_thousands(e.cost.calls));
}

const TargetScore* first_target(const Comparison& comparison) {
  for (const Explored& each : comparison.explored)
    if (!each.accuracy.targets.empty()) return &each.accuracy.targets.front();
  return nullptr;
}

constexpr int kGrey = 7;

/// The series of exports with these widths; a new one where there is none.
plot::Series& front_of_widths(std::vector<plot::Series>& all, const IntegerSetting& widths) {
  const std::string name =
      fmt::format("weights {}, values {} bits", widths.bits_of_weights(), widths.bits_of_values());
  for (plot::Series& series : all)
    if (series.name == name) return series;
  plot::Series& out = all.emplace_back();
  out.name = name, out.kind = plot::Series::Kind::Points;
  out.color = static_cast<int>(all.size()) - 1;
  return out;
}

/// Reasons, each once, with the exports that have it.
std::string refused_text(const Comparison& comparison) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const Explored& each : comparison.explored) {
    if (!each.is_refused()) continue;
    auto found = std::find_if(reasons.begin(), reasons.end(),
                              [&](const auto& reason) { return reason.first == each.refused; });
    if (found == reasons.end()) found = reasons.insert(found, {each.refused, {}});
    found->second.push_back(std::to_string(each.point.number));
  }
  std::string out;
  for (const auto& [reason, numbers] : reasons)
    out += fmt::format("Refused: {}: {}\n", join(numbers, ", "), reason);
  return out;
}

}  // namespace

std::string front_text(const Comparison& comparison) {
  const std::vector<size_t> front = front_of(comparison.explored);
  const bool is_of_classes = has_classes(comparison), counts = counts_instructions(comparison);
  std::string out =
      fmt::format("{} of {} exports are beaten by no other one\n", front.size(), comparison.explored.size());
  if (const TargetScore* target = first_target(comparison); target != nullptr && is_of_classes)
    out += fmt::format("Floats: {:.2f} %\n", 100 * target->floats);
  out += fmt::format("{:>5} {:>7} {:>6} {:>6} {:>9} {:>9} {:>10} {:>8} {:>11} {:>12} {:>14} {:>9}\n", "point",
                     "weights", "values", "effort", "budget", is_of_classes ? "score" : "error", "as floats",
                     "SQNR dB", "RAM bytes", "flash bytes", counts ? "instructions" : "multiplications",
                     "calls");
  for (const size_t i : front) out += line_of(comparison.explored[i], is_of_classes, counts);
  for (const size_t i : front)
    out += fmt::format("{}: {}\n", comparison.explored[i].point.number, comparison.commands[i]);
  return out + refused_text(comparison);
}

std::string points_csv(const Comparison& comparison) {
  std::string out = csv_line({"point", "weight_bits", "value_bits", "quant_effort", "memory_budget", "front",
                              "dominated_by", "score", "agreement", "sqnr_db", "ram", "flash", "instructions",
                              "multiplications", "calls", "refused", "command"});
  const auto beaten_by = dominators(comparison.explored);
  for (size_t i = 0; i < comparison.explored.size(); ++i) {
    const Explored& e = comparison.explored[i];
    const IntegerSetting& integers = e.point.integers;
    std::vector<std::string> fields{
        std::to_string(e.point.number), std::to_string(integers.bits_of_weights()),
        std::to_string(integers.bits_of_values()), std::to_string(integers.effort),
        e.memory_budget.empty() ? text_of(e.point.budget) : e.memory_budget};
    if (e.is_refused()) {
      fields.insert(fields.end(), {"0", "", "", "", "", "", "", "", "", "", e.refused, ""});
    } else {
      const Cost& cost = e.cost;
      fields.insert(
          fields.end(),
          {beaten_by[i] ? "0" : "1", beaten_by[i] ? std::to_string(*beaten_by[i]) : "",
           fmt::format("{:.6g}", e.accuracy.score()), fmt::format("{:.6g}", e.accuracy.agreement()),
           decibel_text(e.accuracy.sqnr(), ""), std::to_string(cost.ram), std::to_string(cost.flash()),
           cost.instructions > 0 ? std::to_string(cost.instructions) : "",
           std::to_string(cost.multiplications), std::to_string(cost.calls), "", comparison.commands[i]});
    }
    out += csv_line(fields);
  }
  return out;
}

std::string points_json(const Comparison& comparison) {
  Json points = Json::array(), front = Json::array();
  const auto beaten_by = dominators(comparison.explored);
  for (size_t i = 0; i < comparison.explored.size(); ++i) {
    Json point{{"point", comparison.explored[i].point.number}};
    point.update(json_of(comparison.explored[i]));
    if (!comparison.explored[i].is_refused()) {
      point["dominated_by"] = beaten_by[i] ? Json(*beaten_by[i]) : Json();
      point["command"] = comparison.commands[i];
    }
    points.push_back(std::move(point));
  }
  for (const size_t i : front_of(comparison.explored)) front.push_back(comparison.explored[i].point.number);
  const Json out{{"network", comparison.network},
                 {"export", comparison.export_type},
                 {"calibration", comparison.calibration},
                 {"front", std::move(front)},
                 {"points", std::move(points)}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

plot::Chart front_chart(const Comparison& comparison) {
  const bool is_of_classes = has_classes(comparison);
  plot::Chart chart;
  chart.title = comparison.network + ": exports that no other one beats, by their numbers";
  chart.x_title = is_of_classes ? "recognised [%]" : "mean squared error";
  chart.y_title = "RAM [KiB]";
  const auto beaten_by = dominators(comparison.explored);
  plot::Series others;
  others.name = "dominated", others.kind = plot::Series::Kind::Points;
  others.color = kGrey, others.hollow = true;
  std::vector<plot::Series> fronts;
  for (size_t i = 0; i < comparison.explored.size(); ++i) {
    const Explored& e = comparison.explored[i];
    if (e.is_refused()) continue;
    plot::Series& series = beaten_by[i] ? others : front_of_widths(fronts, e.point.integers);
    series.x.push_back(is_of_classes ? 100 * e.accuracy.score() : -e.accuracy.score());
    series.y.push_back(static_cast<double>(e.cost.ram) / 1024);
    if (!beaten_by[i]) series.labels.push_back(std::to_string(e.point.number));
  }
  chart.series = std::move(fronts);
  chart.series.insert(chart.series.begin(), std::move(others));
  return chart;
}

}  // namespace n2d2::app
