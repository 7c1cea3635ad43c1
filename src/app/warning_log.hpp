// Which warnings did a run give?
#pragma once

#include <string>
#include <vector>

#include "n2d2/base/log.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// Keeps the warnings of a run while it lives; they go where they went before, too.
class WarningLog {
 public:
  WarningLog();
  ~WarningLog();
  WarningLog(const WarningLog&) = delete;
  WarningLog& operator=(const WarningLog&) = delete;
  /// Each once, in their order, but for those about variables of the environment. Paths of the command line
  /// are reduced to their last component: where files were changes no report.
  std::vector<std::string> texts(const Options& options) const;

 private:
  std::vector<std::string> texts_;
  log::Sink before_;
};

}  // namespace n2d2::app
