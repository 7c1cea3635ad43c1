// Is there a plan below a cap? All of them are tried.
#pragma once

#include "n2d2/memory/validate.hpp"

#include "problems.hpp"

namespace n2d2::memory {

/// Whether any straight plan stays below `cap`: every offset and every scan is tried, validate judges.
inline bool fits_below(const Problem& p, Bytes cap) {
  Plan plan = plan_apart(p);
  std::vector<Bytes> last;
  for (Space& space : plan.spaces) {
    space.offset = 0;
    last.push_back(cap - 1 - space.size);
    if (last.back() < 0) return false;
  }
  for (;;) {
    plan.peaks = {0};
    for (const Space& space : plan.spaces) plan.peaks[0] = std::max(plan.peaks[0], space.offset + space.size);
    for (unsigned scans = 0; scans < 1U << p.steps.size(); ++scans) {
      for (size_t t = 0; t < p.steps.size(); ++t)
        plan.scan_of_step[t] = (scans >> t & 1U) != 0 ? Scan::BottomUp : Scan::TopDown;
      if (validate(p, plan).empty()) return true;
    }
    size_t s = 0;
    while (s < last.size() && plan.spaces[s].offset == last[s]) plan.spaces[s++].offset = 0;
    if (s == last.size()) return false;
    ++plan.spaces[s].offset;
  }
}

}  // namespace n2d2::memory
