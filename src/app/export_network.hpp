// How does a trained network become a project? Passes, scales, kernels, score, files.
#pragma once

#include <string>

#include "n2d2/export/project.hpp"
#include "n2d2/loader/network.hpp"

#include "dump.hpp"
#include "options.hpp"

namespace n2d2::app {

/// The parameters in an INI file for a type of export; the defaults for an empty path. ConfigError.
exporter::ExportParameters read_export_parameters(const std::string& path, const std::string& type,
                                                  bool strict);

/// Everything about the export that can be judged before any work is done.
exporter::Options export_options(const Options& options);

/// ConfigError when an integer export has no scales: neither calibration nor a model that was quantized before.
void check_calibration(const loader::Network& net, const Options& options);

/// From the float network to the written project (architecture, section 6); scored in process when asked for.
void export_network(loader::Network& net, const Options& options, const exporter::Options& settings,
                    GraphDump& dump);

}  // namespace n2d2::app
