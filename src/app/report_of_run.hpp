// What does a run say of itself in report.html and report.json?
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "n2d2/export/stimulus.hpp"
#include "n2d2/quantize/calibrate.hpp"
#include "n2d2/quantize/report.hpp"
#include "n2d2/report/report.hpp"

#include "command_line/options.hpp"
#include "compare_floats.hpp"
#include "doctor/doctor_report.hpp"
#include "export_steps.hpp"
#include "judge_export.hpp"
#include "warning_log.hpp"

namespace n2d2::app {

/// The input of the network and its layers, with what is known of them from the graph alone.
void add_layers(const graph::Graph& graph, report::Report& report);
/// What quantization decided of layers that are there.
void add_quantization(const quantize::QuantReport& decided, report::Report& report);
/// Histograms of what calibration measured, with what the integers of the graph reach, in 64 bins.
std::vector<report::Histogram> histograms_of(const graph::Graph& graph, const quantize::Ranges& measured);
/// These, and what they clip, of layers that are there.
void add_histograms(std::vector<report::Histogram> histograms, report::Report& report);
/// What the doctor found.
void add_diagnosis(const DoctorReport& found, report::Report& report);
/// What the judge found.
void add_judged(const JudgedExport& judged, report::Report& report);
/// Scores of the export, and of its floats; null: there are none.
void add_scores(const loader::Network& net, const ScoredExport& scored, const FloatsBeside* floats,
                report::Report& report);
/// What becomes of the bytes of a picture, and names of classes.
void add_feed(const exporter::Samples& samples, report::Report& report);

/// What stands at the beginning: names, the scores before other tiles, the rows of the README (`about`).
void begin_report(const loader::Network& net, const Options& options,
                  const std::vector<std::pair<std::string, std::string>>& about, const WarningLog& warnings,
                  report::Report& report);

/// report.html and report.json. `provenance`: text of provenance.json, which is copied.
exporter::ExtraFiles report_files(report::Report report, const std::string& provenance);

}  // namespace n2d2::app
