// What do kernels share that compute several layers, each with a config and constants of its own?
//
// Both halves of such a kernel's file include it, the first one behind the kernel's header.
#pragma once

#ifdef N2D2_HOST_VARIANT

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

namespace {

/// A layer whose constants, weights of bytes, biases and factors, begin at `first`.
template <class Factor, class C>
auto layer_of(const C& c, const Arrays& a, int first) {
  return N2D2_EXPORT_NAMESPACE::layer(c, static_cast<const int8_t*>(a.constants[first]),
                                      static_cast<const int32_t*>(a.constants[first + 1]),
                                      static_cast<const Factor*>(a.constants[first + 2]));
}

}  // namespace

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "layer.hpp"

namespace n2d2::targets::cpp {

/// Chosen by a rewrite of calls alone.
template <class Self, template <class> class ConfigOf>
class FusedKernel : public LayerKernel<Self, ConfigOf> {
 public:
  std::vector<std::string_view> operators() const override { return {}; }
  std::string refuses(const graph::Graph&, const graph::Node&) const override {
    return "several calls are fused to it, no layer is";
  }
  Contract contract(const graph::Graph&, const graph::Node& node) const override {
    throw InternalError(fmt::format("'{}' is no fused call", node.name), __FILE__, __LINE__);
  }

 protected:
  /// The call of one of its layers alone.
  static Call layer(const Call& call, size_t index) {
    Call out = call;
    const program::LayerOfCall& layer = call.layers.at(index);
    out.node = layer.node;
    const auto constants = call.constants_of(layer);
    out.constants.assign(constants.begin(), constants.end());
    out.layers.clear();
    return out;
  }
};

}  // namespace n2d2::targets::cpp

#endif
