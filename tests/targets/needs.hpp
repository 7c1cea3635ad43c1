// A folder of src/targets may be missing: tests of it are skipped then.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "n2d2/targets/target.hpp"

namespace n2d2::testing {

/// The first of these targets that this program has not; "" when it has all.
inline std::string missing_target(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (targets::registry().find(name) == nullptr) return name;
  return "";
}

}  // namespace n2d2::testing

/// First in a test that exports to targets: their names.
#define N2D2_NEEDS_TARGETS(...)                                                                   \
  if (const std::string missing = n2d2::testing::missing_target({__VA_ARGS__}); !missing.empty()) \
  GTEST_SKIP() << "this program has no target " << missing
