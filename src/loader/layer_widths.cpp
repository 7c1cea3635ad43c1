#include "layer_builder.hpp"

namespace n2d2::loader {

void read_widths(Builder& builder, const KeySource& section, graph::NodeId with_weights, graph::NodeId last) {
  WidthKeys keys;
  read_fields(keys, section, builder.diagnostics);
  const LayerWidths widths = widths_of(keys);
  const auto of = [&](graph::NodeId id) -> LayerWidths& {
    return builder.net.widths[builder.net.graph.node(id).name];
  };
  if (widths.weights > 0 && with_weights) of(with_weights).weights = widths.weights;
  if (widths.activations > 0 && last) of(last).activations = widths.activations;
}

}  // namespace n2d2::loader
