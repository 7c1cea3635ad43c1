// What is a pass, which passes exist, and how is a list of them run?
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "n2d2/base/registry.hpp"
#include "n2d2/graph/graph.hpp"

namespace n2d2::passes {

/// What a pass may ask about the world outside the graph.
struct PassContext {
  /// Some target compares the network's output with its input (`DataAsTarget`): a Softmax that ends the
  /// network is then part of the result, and removing it is a ModelError.
  bool data_is_target = false;
  /// Nothing but the order of its values in memory is asked of an output, neither classes nor labels: its
  /// extents may change, as those of a map do that leaves with its channels last (elide_transpose).
  bool outputs_may_reshape = false;
  /// Called after each pass, once the graph is verified: name of the pass, number of rewrites, the graph.
  std::function<void(std::string_view pass, int rewrites, const graph::Graph& graph)> after_pass;
};

/// A rewrite of the graph. Passes have no state; running one twice changes nothing the second time.
class Pass {
 public:
  virtual ~Pass() = default;
  /// "fuse_batchnorm": verb and object, also the name of the file.
  virtual std::string_view name() const = 0;
  /// One line of help.
  virtual std::string_view summary() const = 0;
  /// Whether compute::Executor gives the same outputs before and after (up to float rounding).
  virtual bool keeps_values() const { return true; }
  /// Number of rewrites; 0 when there was nothing to do.
  virtual int run(graph::Graph& graph, const PassContext& context) const = 0;
};

using PassRegistry = Registry<std::shared_ptr<const Pass>>;

/// Filled from the sorted list of src/passes/CMakeLists.txt.
const PassRegistry& registry();
/// For modules, before any pass runs.
PassRegistry& open_registry();

/// Runs the passes in order with graph::verify() after each; returns the number of rewrites of all.
/// ConfigError for a name that is not registered, before any pass runs.
int run(graph::Graph& graph, std::span<const std::string_view> names, const PassContext& context = {});

}  // namespace n2d2::passes
