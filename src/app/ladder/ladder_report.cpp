#include "ladder_report.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "n2d2/base/text.hpp"

#include "float_figures.hpp"

namespace n2d2::app {

namespace {

using Json = nlohmann::ordered_json;

double percent(int64_t part, int64_t all) {
  return all > 0 ? 100 * static_cast<double>(part) / static_cast<double>(all) : 0;
}

/// Bytes of the first rung, or what others take more; a target that is no program has none.
std::string bytes_text(int64_t now, int64_t before, bool is_first) {
  if (before == 0) return "-";
  if (is_first) return with_thousands(now);
  return now >= before ? "+" + with_thousands(now - before) : "-" + with_thousands(before - now);
}

std::string row(const std::string& right, const std::string& drop, const std::string& snr,
                const std::string& ram, const std::string& flash, const std::string& wide,
                const std::string& what) {
  return fmt::format("    {:>8} {:>8} {:>9} {:>12} {:>12} {:>14}  {}\n", right, drop, snr, ram, flash, wide,
                     what);
}

std::string row(const LadderReport& report, const Rung& rung) {
  const Figures& f = rung.figures;
  const Figures& first = report.rungs.front().figures;
  const bool is_first = &rung == &report.rungs.front();
  const double drop = percent(report.floats.floats - f.right, f.decisions);
  const double wide = percent(f.of_wide, f.products);
  return row(fmt::format("{:.2f} %", percent(f.right, f.decisions)), fmt::format("{:.2f}", -drop),
             decibel_text(f.snr), bytes_text(f.ram, first.ram, is_first),
             bytes_text(f.flash, first.flash, is_first), fmt::format("{:.1f} %", wide),
             rung.what + (f.holds() ? "" : ": not enough"));
}

/// Keys that ask for the same without measuring.
std::string keys_text(const LadderReport& report) {
  std::vector<std::string> keys;
  for (const auto& [layer, widths] : report.widths) {
    std::string key = "[" + presentable(layer) + "]";
    if (widths.activations > 0) key += fmt::format(" ActivationNbBits={}", widths.activations);
    if (widths.weights > 0) key += fmt::format(" WeightNbBits={}", widths.weights);
    keys.push_back(key);
  }
  return keys.empty() ? "" : fmt::format("    These keys ask for the same: {}\n", join(keys, "; "));
}

}  // namespace

int64_t most_right(const LadderReport& report) {
  int64_t most = 0;
  for (const Rung& rung : report.rungs) most = std::max(most, rung.figures.right);
  return most;
}

std::string console_text(const LadderReport& report) {
  const Rung& last = report.rungs.back();
  std::string out =
      fmt::format("Accuracy: {} is asked for, on {}; floats: {:.2f} %{}\n", report.goal, report.samples,
                  percent(report.floats.floats, report.floats.all),
                  report.has_labels ? "" : " (there are no labels: classes as of floats are right)");
  out += row("right", "points", "SQNR", "RAM", "parameters", "MACs, 16 bits", "");
  for (const Rung& rung : report.rungs) out += row(report, rung);
  if (last.figures.holds()) out += keys_text(report);
  if (report.is_fewest) out += "    No choice of fewer values of 16 bits is enough: all were measured\n";
  return out +
         fmt::format(
             "    One sample is {:.2f} points, the standard error of the difference {:.2f}: less than that, "
             "and samples of other kinds, are not seen here\n",
             100.0 / static_cast<double>(std::max<int64_t>(1, report.floats.all)), report.error);
}

std::string ladder_json(const LadderReport& report) {
  Json rungs = Json::array(), widths = Json::array();
  for (const Rung& rung : report.rungs) {
    const Figures& f = rung.figures;
    rungs.push_back({{"what", rung.what},
                     {"holds", f.holds()},
                     {"right", f.right},
                     {"sqnr_db", tenths(f.snr)},
                     {"ram_bytes", f.ram},
                     {"parameter_bytes", f.flash},
                     {"macs", f.products},
                     {"macs_of_16_bits", f.of_wide}});
  }
  for (const auto& [layer, bits] : report.widths)
    widths.push_back(
        {{"layer", layer}, {"weight_bits", bits.weights}, {"activation_bits", bits.activations}});
  const Json out = {{"goal", report.goal},
                    {"samples", report.samples},
                    {"has_labels", report.has_labels},
                    {"decisions", report.floats.all},
                    {"floats_right", report.floats.floats},
                    {"standard_error_points", rounded(report.error, 1000)},
                    {"is_fewest", report.is_fewest},
                    {"rungs", std::move(rungs)},
                    {"widths", std::move(widths)}};
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace n2d2::app
