// Does a memory plan in a file hold?
#pragma once

#include <string>

namespace n2d2::app {

/// Judges statistics/memory/memory_plan.csv of an export, or any file of that form (memory/plan_csv.hpp):
/// prints peak and lower bound of each memory. ConfigError when the file cannot be read, ExportError with
/// every violation.
void check_memory(const std::string& path);

}  // namespace n2d2::app
