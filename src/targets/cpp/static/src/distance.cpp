// Part of an exported project; may be used without condition.
#include "../include/distance.hpp"

#include <cstddef>

#include "../include/driven.hpp"
#include "../include/fail.hpp"

namespace N2D2_Export {

double Distance::add(const Stimulus& stimulus, const FeatureMap& values) {
  const size_t size = stimulus.expected.size();
  if (size == 0 || values.values.size() != size) fail("the stimulus expects no data of the output's size");
  const double scale = facts().scales[0];
  const double zero = facts().zero_point;
  double squares = 0;
  for (size_t i = 0; i < size; ++i) {
    // Each step is rounded to float, so no compiler fuses it with the next: the framework's digits agree.
    const float found = static_cast<float>(scale * values.values[i]);
    const float wanted =
        static_cast<float>(static_cast<double>(facts().scale) * (stimulus.expected[i] - zero));
    const double off = static_cast<double>(found - wanted);
    squares += off * off;
  }
  squares_ += squares;
  values_ += static_cast<long long>(size);
  ++stimuli_;
  return squares / static_cast<double>(size);
}

}  // namespace N2D2_Export
