// Which types of export are there, and what does each of them do with a network?
#pragma once

#include <functional>
#include <string>

#include "n2d2/base/registry.hpp"
#include "n2d2/export/project.hpp"
#include "n2d2/loader/network.hpp"

#include "dump.hpp"
#include "options.hpp"

namespace n2d2::app {

struct ExportJob {
  loader::Network& net;
  const Options& options;
  const exporter::Options& settings;
  GraphDump& dump;
};

struct ExportModule {
  /// One line of help.
  std::string summary;
  /// What can be judged before any work is done; ConfigError. May be null.
  std::function<void(const Options&, const exporter::Options&)> check;
  /// From the float network to the files, and the score when it is asked for.
  std::function<void(const ExportJob&)> run;
};
using ExportModules = Registry<ExportModule>;

/// Filled once from the sorted list of src/app/CMakeLists.txt.
const ExportModules& export_modules();

/// ConfigError for a type that is not there: names it and lists those that are.
const ExportModule& export_module(const std::string& type);

}  // namespace n2d2::app
