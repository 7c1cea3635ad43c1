// How many instructions does the work of each kernel take on each machine?
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cores.hpp"

namespace n2d2::targets::cortexm {

struct TermCost {
  std::string_view what;  ///< a term of work.hpp
  double each = 0;
};

/// Instructions of each term of a kernel, fitted to what QEMU counts
/// (tests/targets/cortexm/fit_instructions.py).
struct Cost {
  std::string_view machine;  ///< machine_of()
  std::string_view kernel;
  std::string_view factors;  ///< "float", "fixed"
  std::vector<TermCost> terms;

  double of(std::string_view term) const;
};
const std::vector<Cost>& costs();
/// Null: nothing was counted of the kernel there.
const Cost* cost_of(std::string_view machine, std::string_view kernel, std::string_view factors);
/// What comes next to it: the costs with factors of the other kind, else those of a machine without
/// floating-point unit. Null: there is nothing.
const Cost* cost_like(std::string_view machine, std::string_view kernel, std::string_view factors);

/// Bytes of code in all programs ("" as kernel), of a kernel however many layers have it, and of each of
/// these.
struct CodeSize {
  std::string_view machine, kernel;
  int first = 0, each = 0;
};
const std::vector<CodeSize>& code_sizes();
/// That of a kernel of a machine; a usual one where it was not measured.
CodeSize code_size_of(std::string_view machine, std::string_view kernel);

/// Cores that execute the same instructions for the same layers, but for a few: "dsp", "mve", "long", "long
/// fpu", "pairs".
std::string_view machine_of(const Core& core);

}  // namespace n2d2::targets::cortexm
