// How are layers bound and printed that choose the largest or the smallest of their inputs?
#pragma once

#include "elemwise_layer.hpp"
#include "extreme_config.hpp"

namespace n2d2::targets::cpp {

template <class Self>
class ExtremeLayer : public ElemWiseKernel<Self, ExtremeConfig, ChoiceConfig> {
 public:
  static constexpr bool kMixed = true;
  std::string_view header() const override { return "extreme.hpp"; }
  std::string refuses_operands(const graph::Graph&, const graph::Node&, const ops::ElemWise&) const {
    return {};
  }
  template <class Bound>
  ExtremeConfig<Bound> layer_of(const Site& site) const {
    ExtremeConfig<Bound> out;
    out.start = start_of(site.node());
    return out;
  }
  template <class Factor>
  ChoiceConfig<Factor> operand_of(const Site& site, size_t input) const {
    ChoiceConfig<Factor> out;
    out.multiplier = sum_multiplier<Factor>(site.node(), input);
    out.zero = zero_of_operand(site, input);
    return out;
  }
};

}  // namespace n2d2::targets::cpp
