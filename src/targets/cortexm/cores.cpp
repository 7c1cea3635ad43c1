#include "cores.hpp"

#include <algorithm>

#include "n2d2/base/error.hpp"

namespace n2d2 {

using targets::cortexm::Core;

bool ValueText<targets::cortexm::CoreName>::parse(std::string_view text, CoreName& value) {
  const auto all = targets::cortexm::cores();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Core& core) { return core.name == text; });
  if (found == all.end()) return false;
  value.name = found->name;
  return true;
}

std::string ValueText<targets::cortexm::CoreName>::kind() {
  std::string out = "one of";
  for (const Core& core : targets::cortexm::cores()) out += " " + std::string(core.name);
  return out;
}

}  // namespace n2d2

namespace n2d2::targets::cortexm {

namespace {

constexpr std::array kCores{
    Core{"m4", Family::Dsp, true},         Core{"m0", Family::Scalar, false},
    Core{"m0plus", Family::Scalar, false}, Core{"m3", Family::Scalar, false},
    Core{"m7", Family::Dsp, true, true},   Core{"m23", Family::Scalar, false},
    Core{"m33", Family::Dsp, true, true},  Core{"m33+nodsp", Family::Scalar, true, true},
    Core{"m55", Family::Mve, true, true},  Core{"m55+nomve", Family::Dsp, true, true},
    Core{"m85", Family::Mve, true, true},
};

}  // namespace

std::span<const Core> cores() {
  return kCores;
}

const Core& core_of(const CoreName& name) {
  return *std::find_if(kCores.begin(), kCores.end(),
                       [&](const Core& core) { return core.name == name.name; });
}

}  // namespace n2d2::targets::cortexm
