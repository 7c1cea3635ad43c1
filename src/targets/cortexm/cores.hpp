// Which cores are there, and what decides which kernels they run?
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "n2d2/base/fields.hpp"

namespace n2d2::targets::cortexm {

/// The order in which kernels read weights. The compiler decides which instructions read it: a core without
/// those of its family runs plain loops over the same order, to the same bytes.
enum class Family {
  Scalar,  ///< multiplications of one product or two: Cortex-M0, M0+, M3, M23
  Dsp,     ///< two products of 16 bits at once (SMLAD): Cortex-M4, M7, M33
  Mve      ///< vectors of 16 bytes (Helium): Cortex-M55, M85
};

struct Core {
  std::string_view name;  ///< "m4"
  Family family = Family::Scalar;
  bool has_fpu = false;     ///< of floats of 32 bits
  bool issues_two = false;  ///< a cycle may execute two instructions
};

/// What `-export` calls this target.
inline constexpr std::string_view kExportName = "CPP_CortexM";

/// All of them. The first one is the default.
std::span<const Core> cores();

/// What `Core=` says: one of cores().
struct CoreName {
  std::string_view name = cores().front().name;
  friend bool operator==(const CoreName&, const CoreName&) = default;
};
const Core& core_of(const CoreName& name);

}  // namespace n2d2::targets::cortexm

template <>
struct n2d2::ValueText<n2d2::targets::cortexm::CoreName> {
  using CoreName = targets::cortexm::CoreName;
  static bool parse(std::string_view text, CoreName& value);
  static std::string print(const CoreName& value) { return std::string(value.name); }
  static std::string kind();
  static std::vector<double> numbers(const CoreName&) { return {}; }
};
