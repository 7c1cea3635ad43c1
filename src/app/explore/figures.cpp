#include "figures.hpp"

#include <algorithm>
#include <limits>

namespace n2d2::app {

double Accuracy::score() const {
  const bool has_classes =
      std::any_of(targets.begin(), targets.end(), [](const TargetScore& t) { return t.has_classes; });
  double sum = 0, count = 0;
  for (const TargetScore& target : targets)
    if (target.has_classes == has_classes) sum += has_classes ? target.integer : -target.integer, ++count;
  return count > 0 ? sum / count : 0;
}

double Accuracy::agreement() const {
  int64_t agree = 0, decisions = 0;
  for (const TargetScore& target : targets) agree += target.agree, decisions += target.decisions;
  return decisions > 0 ? static_cast<double>(agree) / static_cast<double>(decisions) : 1;
}

double Accuracy::sqnr() const {
  double out = std::numeric_limits<double>::infinity();
  for (const TargetScore& target : targets) out = std::min(out, target.sqnr_db.value_or(out));
  return out;
}

}  // namespace n2d2::app
