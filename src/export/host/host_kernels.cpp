#include "host_kernels.hpp"

#include <cstdlib>
#include <string_view>

#include "n2d2/base/error.hpp"

namespace n2d2::exporter::host {

namespace baseline {
const Kernels& table();
}
#ifdef N2D2_HOST_X86
namespace avx2 {
const Kernels& table();
}
namespace avx512 {
const Kernels& table();
}
#endif

void no_kernel(Types types) {
  throw InternalError(fmt::format("no host kernel from {} to {}", to_string(types.in), to_string(types.out)),
                      __FILE__, __LINE__);
}

std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> out{&baseline::table()};
#ifdef N2D2_HOST_X86
  if (__builtin_cpu_supports("avx2")) out.push_back(&avx2::table());
  if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    out.push_back(&avx512::table());
#endif
  return out;
}

const Kernels& kernels() {
  static const Kernels& chosen = []() -> const Kernels& {
    const auto all = all_kernels();
    if (const char* wanted = std::getenv("N2D2_HOST_ISA"))
      for (const Kernels* kernels : all)
        if (std::string_view(wanted) == kernels->isa) return *kernels;
    return *all.back();
  }();
  return chosen;
}

}  // namespace n2d2::exporter::host
