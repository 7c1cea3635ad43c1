// How does a message name many things in one line?
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "n2d2/base/text.hpp"

namespace n2d2 {

/// "'a', 'b'": at most eight names in quotes, then how many others there are.
inline std::string first_few(const std::vector<std::string>& names) {
  constexpr size_t kFew = 8;
  const std::span<const std::string> all(names);
  const std::string text = "'" + join(all.first(std::min(kFew, all.size())), "', '") + "'";
  return all.size() > kFew ? fmt::format("{} and {} others", text, all.size() - kFew) : text;
}

}  // namespace n2d2
