// Which layers have fewer bits than the others, once passes have made one layer of several?
#pragma once

#include <map>
#include <optional>
#include <string>

#include "n2d2/graph/graph.hpp"
#include "n2d2/pipeline/hosts.hpp"
#include "n2d2/pipeline/pipeline.hpp"
#include "n2d2/targets/target.hpp"
#include "n2d2/tensor/widths.hpp"

namespace n2d2::pipeline {

/// What is asked for by the names of a network as it was built: by the target's parameters, else by the
/// network file. ConfigError where a target has no mixed widths and an integer export has fewer bits.
class AskedWidths {
 public:
  AskedWidths(const graph::Graph& graph, const Request& request, const targets::Export& target);

  /// By the names of the layers that are left. A layer that became part of the one before it, as a BatchNorm
  /// does, says how many bits their common values have. Keys of the network file without effect are said.
  Widths of(const graph::Graph& graph, const LayerWidths& others) const;
  /// ConfigError with each layer of the graph that has no kernel of the widths of `options`.
  void check(const graph::Graph& graph, const quantize::Options& options) const;

 private:
  struct Asked {
    LayerWidths widths;
    bool is_from_file = false;
    std::optional<SourceLocation> place = {};  ///< of keys that name the layer
  };
  Hosts hosts_;
  std::map<std::string, Asked> asked_;
};

}  // namespace n2d2::pipeline
