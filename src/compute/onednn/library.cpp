#include "n2d2/compute/library.hpp"

#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.hpp>

namespace n2d2::compute {

namespace {

const char* name_of(dnnl::cpu_isa isa) {
  switch (isa) {
    case dnnl::cpu_isa::sse41:
      return "sse41";
    case dnnl::cpu_isa::avx:
      return "avx";
    case dnnl::cpu_isa::avx2:
      return "avx2";
    case dnnl::cpu_isa::avx2_vnni:
      return "avx2_vnni";
    case dnnl::cpu_isa::avx512_core:
      return "avx512_core";
    case dnnl::cpu_isa::avx512_core_vnni:
      return "avx512_core_vnni";
    case dnnl::cpu_isa::avx512_core_bf16:
      return "avx512_core_bf16";
    case dnnl::cpu_isa::avx512_core_amx:
      return "avx512_core_amx";
    default:
      return "another instruction set";
  }
}

}  // namespace

std::string library_text() {
  const dnnl_version_t& version = *dnnl::version();
  return fmt::format("oneDNN {}.{}.{}, {}", version.major, version.minor, version.patch,
                     name_of(dnnl::get_effective_cpu_isa()));
}

}  // namespace n2d2::compute
