// Answers: which builds of the kernels are in this program, and which of them can this machine run?
#pragma once

#include <map>
#include <string>

#include "kernels/variant_kernels.hpp"

namespace n2d2::kernels_test {

#define N2D2_KERNEL_VARIANT(unit, variant)
#define N2D2_KERNEL_BUILD(name, runs) \
  namespace name {                    \
  const VariantTable& table();        \
  }
#include "variant_list.inc"
#undef N2D2_KERNEL_VARIANT
#undef N2D2_KERNEL_BUILD

struct Build {
  const VariantTable& (*table)();
  bool runs;
};

inline std::map<std::string, Build> builds() {
  std::map<std::string, Build> all;
#define N2D2_KERNEL_VARIANT(unit, variant)
#define N2D2_KERNEL_BUILD(name, runs) all.insert({#name, {name::table, runs}});
#include "variant_list.inc"
#undef N2D2_KERNEL_VARIANT
#undef N2D2_KERNEL_BUILD
  return all;
}

}  // namespace n2d2::kernels_test
