#include "check_memory.hpp"

#include "n2d2/base/error.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/memory/plan_csv.hpp"
#include "n2d2/memory/strategy.hpp"
#include "n2d2/memory/validate.hpp"

#include "files.hpp"

namespace n2d2::app {

namespace {

constexpr int64_t kLargestPlan = int64_t{1} << 28;

std::string plan_text(const std::string& path) {
  try {
    return read_text_file(path, kLargestPlan);
  } catch (const FileError& error) {
    throw ConfigError("memory plan: " + error.reason, {path, 0});
  }
}

}  // namespace

void check_memory(const std::string& path) {
  const auto [problem, plan] = memory::plan_file_from_csv(plan_text(path), path);
  Diagnostics findings;
  for (const memory::Violation& violation : memory::validate(problem, plan))
    findings.error({path, 0}, violation.text);
  findings.finish<ExportError>();
  const auto bounds = memory::lower_bounds(problem, plan);
  for (size_t m = 0; m < bounds.size(); ++m) {
    const auto ratio =
        bounds[m] > 0 ? static_cast<double>(plan.peaks[m]) / static_cast<double>(bounds[m]) : 1.0;
    print(fmt::format("{}: memory '{}': valid, peak {} bytes, lower bound {} bytes, ratio {:.3f}\n", path,
                      problem.memories[m].name, plan.peaks[m], bounds[m], ratio));
  }
}

}  // namespace n2d2::app
