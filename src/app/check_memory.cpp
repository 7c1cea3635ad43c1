#include "check_memory.hpp"

#include <fstream>
#include <sstream>

#include "n2d2/base/error.hpp"
#include "n2d2/memory/plan_csv.hpp"
#include "n2d2/memory/strategy.hpp"
#include "n2d2/memory/validate.hpp"

#include "files.hpp"

namespace n2d2::app {

void check_memory(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw ConfigError("cannot read the memory plan", {path, 0});
  const auto [problem, plan] = memory::plan_file_from_csv(text.str(), path);
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
