#include "n2d2/targets/cortexm/platform.hpp"

#include <algorithm>

#include "n2d2/base/error.hpp"

#include "cores.hpp"
#include "footprint.hpp"
#include "library.hpp"

namespace n2d2::targets::cortexm {

namespace {

/// The high word of a product of 32 bits is the product shifted by so many.
constexpr int kShiftOfHighWords = 32;

/// Frames of assembly and of the C library included.
constexpr int64_t kStackBytes = 896;

}  // namespace

cpp::Platform platform_of(std::string_view name, const Part* board) {
  const Core& core = core_of({name});
  cpp::Platform out;
  out.name = kExportName;
  out.kernels = &kernels_of(core.family);
  out.kernel_folders = {"export/CPP_CortexM/kernels"};
  out.static_folder = "src/targets/cortexm/static";
  out.most_shift = kShiftOfHighWords;
  if (!core.has_fpu) out.rescaling = RescaleMode::FixedPoint32;
  out.driver_folder = "driver";
  out.stack_bytes = kStackBytes;
  out.make_lines = fmt::format("CORE ?= {}\n", core.name);
  out.footprint = [&core, board](const program::Program& program) {
    return footprint_of(program, core, kStackBytes, board);
  };
  return out;
}

std::vector<std::string_view> core_names() {
  std::vector<std::string_view> out;
  for (const Core& core : cores()) out.push_back(core.name);
  return out;
}

}  // namespace n2d2::targets::cortexm
