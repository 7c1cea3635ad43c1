// A folder of src/targets may be missing: tests of it are skipped then, and only then.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace n2d2::testing {

/// The first of these targets that has no folder; "" when all have one. A folder whose target is not
/// registered is no reason to skip.
inline std::string missing_target(std::initializer_list<const char*> names) {
  for (const std::string name : names) {
    std::string folder = name;
    std::transform(folder.begin(), folder.end(), folder.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (!std::filesystem::exists(std::filesystem::path(N2D2_SOURCE_DIR) / "src" / "targets" / folder))
      return name;
  }
  return "";
}

}  // namespace n2d2::testing

/// First in a test that exports to targets: their names.
#define N2D2_NEEDS_TARGETS(...)                                                                   \
  if (const std::string missing = n2d2::testing::missing_target({__VA_ARGS__}); !missing.empty()) \
  GTEST_SKIP() << "this program has no target " << missing
