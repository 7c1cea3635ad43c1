#include <algorithm>
#include <cmath>

#include "n2d2/quantize/clipping.hpp"

namespace n2d2::quantize {

void register_none(ClippingRegistry& registry);

/// T is the largest magnitude; nothing saturates.
void register_none(ClippingRegistry& registry) {
  registry.add("None", {false, [](const Histogram& histogram, const ClippingTarget&) {
                          if (histogram.total() == 0) return 0.0;
                          return std::max(std::abs(histogram.min()), std::abs(histogram.max()));
                        }});
}

}  // namespace n2d2::quantize
