// What do the kernels of fully connected layers share beside their config?
#pragma once

#include "fc_config.hpp"
#include "layer.hpp"

namespace n2d2::targets::cpp {

/// Returns the config of a call whose first constants are the weights, biases and factors of its node.
template <class Bound>
FcConfig<Bound> fc_config(const Site& site) {
  FcConfig<Bound> c;
  set_planes(c, site);
  set_rescale<Bound>(c, site, &site.constant(2));
  c.parallel = site.call.parallel ? 1 : 0;
  c.packed = site.constant(0).packed != nullptr ? 1 : 0;
  c.small_factors = has_small_factors(site.constant(2)) ? 1 : 0;
  return c;
}

}  // namespace n2d2::targets::cpp
