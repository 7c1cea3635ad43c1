// How does a trained network become an export? Passes, scales, the target's form, score, files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "n2d2/cluster/cluster.hpp"
#include "n2d2/export/stimulus.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/pipeline/pipeline.hpp"
#include "n2d2/quantize/options.hpp"
#include "n2d2/quantize/stored_calibration.hpp"
#include "n2d2/targets/target.hpp"

#include "command_line/options.hpp"
#include "console/summary.hpp"
#include "look/dump.hpp"
#include "warning_log.hpp"

namespace n2d2::app {

quantize::Options quantize_options(const Options& options);

/// The options as they hold for a graph from a file: its integers say bits and rescaling, and need no
/// calibration, which is logged. ConfigError where they ask for what a graph of integers cannot do.
Options options_for(const graph::Graph& graph, const Options& options);

/// ConfigError when an integer export, or -calibOnly, has no scales: neither calibration nor a model that was
/// quantized before.
void check_calibration(const loader::Network& net, const Options& options);

/// Takes the input off the values of a model that need a scale, where the model brought those of others and
/// reads bytes of pictures: these bytes have one, which is returned.
std::optional<quantize::ByteGrid> settled_by_bytes(const loader::Network& net, bool was_quantized,
                                                   std::vector<std::string>& missing);

/// Chooses how the network is quantized, or takes what was chosen before; returns what an export writes below
/// statistics/ about it. `unequalized` is the graph before calibrated(). The options become those that were
/// chosen.
exporter::ExtraFiles choose_setting(loader::Network& net, const graph::Graph* unequalized, const Options& o,
                                    quantize::Options& options, quantize::StoredCalibration& calibration);

/// What the options ask of the pipeline.
pipeline::Request pipeline_request(const loader::Network& net, const Options& options);

/// `-calibOnly`: as the next one without the project. `calib_<net>_int<n>/` keeps what an export keeps of
/// calibration and quantization below `statistics/`, and `provenance.json`; with -test the integers are
/// scored as those of the export are. The ranks of a cluster share the samples of calibration: the first one
/// calls this or the next one, the others share_calibration(). `summary`: receives what was written.
void calibrate_network(loader::Network& net, const Options& options, const targets::Export& target,
                       const WarningLog& warnings, GraphDump& dump, Summary& summary,
                       const cluster::Cluster& cluster = cluster::alone());

/// From the float network to the written export (architecture, section 6); scored in process when asked for.
void export_network(loader::Network& net, const Options& options, const targets::Export& target,
                    const WarningLog& warnings, GraphDump& dump, Summary& summary,
                    const cluster::Cluster& cluster = cluster::alone());

/// The part of the other ranks. Writes nothing.
void share_calibration(loader::Network& net, const Options& options, const targets::Export& target,
                       const cluster::Cluster& cluster);

}  // namespace n2d2::app
