// What does a fully connected layer tell its kernel?
#pragma once

#include "n2d2/targets/cpp/config.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct FcConfig : Planes, RescaleFields<Bound> {
  int parallel = 0, packed = 0, small_factors = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_planes(v), this->visit_rescale(v);
    v("parallel", parallel), v("packed", packed), v("small_factors", small_factors);
  }
};

}  // namespace n2d2::targets::cpp
