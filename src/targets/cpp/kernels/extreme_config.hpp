// What do the configs of layers have that choose the largest or the smallest of their inputs?
#pragma once

#include "operands.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct ExtremeConfig : Planes, RescaleFields<Bound> {
  int64_t start = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_planes(v), this->visit_rescale(v);
    if (start != 0) v("start", start);
  }
};

/// Config of one operand.
template <class Factor>
struct ChoiceConfig : SummandConfig<Factor> {
  int zero = 0;
  template <class V>
  void visit(V&& v) const {
    SummandConfig<Factor>::visit(v);
    if (zero != 0) v("zero", zero);
  }
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/extreme.hpp"

#endif
