// What does a kernel read that reads nothing but where its maps lie?
#pragma once

#include "n2d2/targets/cpp/config.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct PlanesConfig : Planes {
  template <class V>
  void visit(V&& v) const {
    visit_planes(v);
  }
};

}  // namespace n2d2::targets::cpp
