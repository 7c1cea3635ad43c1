// What do kernels share that compute steps of loops, and no layer?
#pragma once

#include "layer.hpp"
#include "planes_config.hpp"

namespace n2d2::targets::cpp {

/// Chosen by the rewrites of n2d2/program/loop_nest.hpp alone.
template <class Self, template <class> class ConfigOf>
class StepKernel : public LayerKernel<Self, ConfigOf> {
 public:
  std::vector<std::string_view> operators() const override { return {}; }
  std::string refuses(const graph::Graph&, const graph::Node&) const override {
    return "it is a step of a loop, no layer is it";
  }
  Contract contract(const graph::Graph&, const graph::Node& node) const override {
    throw InternalError(fmt::format("'{}' is no step of a loop", node.name), __FILE__, __LINE__);
  }
};

/// A step that reads nothing but where its maps lie.
template <class Self>
class PlanesStep : public StepKernel<Self, PlanesConfig> {
 public:
  template <class Bound>
  PlanesConfig<Bound> config_of(const Site& site) const {
    PlanesConfig<Bound> c;
    set_planes(c, site);
    return c;
  }
};

}  // namespace n2d2::targets::cpp
