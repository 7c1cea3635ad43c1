// How is an export asked for on the command line?
#pragma once

#include <filesystem>
#include <string>

#include "figures.hpp"

namespace n2d2::app {

/// The content of -export-parameters for the export: that of the user's file with other values; empty where
/// no file is needed. A file is written flat, without the comments. ConfigError.
std::string parameters_of(const Explored& explored, const Options& options);

/// Where that is written: pareto/parameters/<name>.ini in the folder of the run.
std::filesystem::path parameters_file(const Point& point, const Options& options);

/// The options as they hold for the export. `has_parameters`: parameters_of() was written to its file.
Options options_of(const Explored& explored, const Options& options, bool has_parameters);

/// "n2d2 net.ini -calib -1 -export CPP -nbbits 4 -quant-effort 1 -test", each argument as a shell reads it.
std::string command_of(const Explored& explored, const Options& options, bool has_parameters);

}  // namespace n2d2::app
