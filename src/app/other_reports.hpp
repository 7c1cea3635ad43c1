// What do runs that export nothing say in report.html and report.json?
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "n2d2/loader/network.hpp"
#include "n2d2/report/report.hpp"
#include "n2d2/training/trainer.hpp"

#include "command_line/options.hpp"
#include "explore/front_report.hpp"
#include "warning_log.hpp"

namespace n2d2::app {

/// The curves of a run that has learnt, and its layers. `best`: of the validations, none: there were none.
report::Report learning_report(const loader::Network& net, const Options& options,
                               std::span<const training::CurvePoint> curve, const std::optional<double>& best,
                               const WarningLog& warnings);

/// The exports that -pareto has compared. `about`: rows that say where they come from.
report::Report points_report(const Comparison& comparison,
                             const std::vector<std::pair<std::string, std::string>>& about);

/// report.html and report.json in a folder. `provenance`: as report_files().
void write_report(report::Report report, const std::string& provenance, const std::filesystem::path& folder);

}  // namespace n2d2::app
