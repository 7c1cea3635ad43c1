// What has a run written, and what may follow?
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "n2d2/loader/network.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// The last lines of a run. What it has written is a result; the commands that may follow are not, and left
/// out where a run is to be quiet.
class Summary {
 public:
  /// A line, such as "Exported to 'export_CPP_int8' with 100 stimuli".
  void wrote(const std::string& line) { written_ += line + "\n"; }
  void wrote_report(const std::filesystem::path& file) { wrote("Report: '" + file.string() + "'"); }
  /// A command that works in the folder in which the program runs, once those before it have run.
  void next(std::string command) { commands_.push_back(std::move(command)); }
  /// At most three commands.
  void print(bool is_quiet) const;

 private:
  std::string written_;
  std::vector<std::string> commands_;
};

/// The project of an export: how to build and run it. `stimuli`: how many it has.
void suggest_project(const std::string& folder, size_t stimuli, const Options& options, Summary& summary);
/// Another run with the same options, in place of `left_out` those of `added`.
std::string same_run_with(const Options& options, const std::vector<std::string>& left_out,
                          const std::vector<std::string>& added);
/// What may follow once the network was built, and learnt or scored where the options say so; `state`: of
/// learning that a signal has ended, "": none.
void suggest_runs(const loader::Network& net, const Options& options, Summary& summary,
                  const std::string& state = {});

}  // namespace n2d2::app
