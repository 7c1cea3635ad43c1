#include "costs.hpp"

#include <algorithm>

namespace n2d2::targets::cortexm {

double Cost::of(std::string_view term) const {
  const auto found =
      std::find_if(terms.begin(), terms.end(), [&](const TermCost& cost) { return cost.what == term; });
  return found == terms.end() ? 0 : found->each;
}

const Cost* cost_of(std::string_view machine, std::string_view kernel, std::string_view factors) {
  const std::vector<Cost>& all = costs();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Cost& cost) {
    return cost.machine == machine && cost.kernel == kernel && cost.factors == factors;
  });
  return found == all.end() ? nullptr : &*found;
}

const Cost* cost_like(std::string_view machine, std::string_view kernel, std::string_view factors) {
  const std::string_view other = factors == "fixed" ? "float" : "fixed";
  if (const Cost* cost = cost_of(machine, kernel, other)) return cost;
  const std::string_view without_fpu = factors.empty() ? factors : "fixed";
  return machine == "long fpu" ? cost_of("long", kernel, without_fpu) : nullptr;
}

CodeSize code_size_of(std::string_view machine, std::string_view kernel) {
  const std::vector<CodeSize>& all = code_sizes();
  const auto found = std::find_if(all.begin(), all.end(), [&](const CodeSize& size) {
    return size.machine == machine && size.kernel == kernel;
  });
  if (found != all.end()) return *found;
  return machine == "long fpu" ? code_size_of("long", kernel) : CodeSize{machine, kernel, 500, 500};
}

std::string_view machine_of(const Core& core) {
  switch (core.family) {
    case Family::Dsp:
      return "dsp";
    case Family::Mve:
      return "mve";
    case Family::Scalar:
      break;
  }
  if (core.has_fpu) return "long fpu";
  return core.name == "m3" ? "long" : "pairs";
}

}  // namespace n2d2::targets::cortexm
