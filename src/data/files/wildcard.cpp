#include "wildcard.hpp"

namespace n2d2::data {

bool fits(std::string_view mask, std::string_view name, std::string_view single) {
  size_t m = 0, n = 0;
  size_t star = std::string_view::npos, star_end = 0;  // last '*' and where its match ends so far
  while (n < name.size()) {
    if (m < mask.size() && mask[m] == '*') {
      star = m++;
      star_end = n;
    } else if (m < mask.size() && (mask[m] == name[n] || single.find(mask[m]) != std::string_view::npos)) {
      ++m;
      ++n;
    } else if (star != std::string_view::npos) {
      m = star + 1;
      n = ++star_end;
    } else {
      return false;
    }
  }
  while (m < mask.size() && mask[m] == '*') ++m;
  return m == mask.size();
}

}  // namespace n2d2::data
