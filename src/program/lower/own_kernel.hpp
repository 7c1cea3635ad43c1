// What do the kernels of the program itself share, which no target has?
#pragma once

#include "n2d2/program/kernel.hpp"

namespace n2d2::program {

/// Chosen for no node: the lowering and rewrites make calls of it. It has no header and no config.
class OwnKernel : public Kernel {
 public:
  std::string_view header() const override { return ""; }
  std::vector<std::string_view> operators() const override { return {}; }
  std::string refuses(const graph::Graph&, const graph::Node&) const override {
    return "it is a kernel of the program, no layer is it";
  }
  Contract contract(const graph::Graph&, const graph::Node& node) const override {
    throw InternalError(fmt::format("'{}' is no '{}'", node.name, name()), __FILE__, __LINE__);
  }
  Config config(const Program&, const Call&) const override { return {}; }
};

}  // namespace n2d2::program
