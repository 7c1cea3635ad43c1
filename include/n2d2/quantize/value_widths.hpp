// How many bits has each value of a network of mixed widths, and who changes them?
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "n2d2/graph/graph.hpp"
#include "n2d2/tensor/widths.hpp"

namespace n2d2::quantize {

/// Bits that a value reaches, and of the integers that hold it.
struct ValueWidth {
  int reached = 8, held = 8;
};

/// Layers with weights and sums of branches make values of as many bits as they are asked for, `most` without
/// a word; bytes hold them where bytes hold the weights, too. All others hold their values in the integers of
/// their first input, of which they may reach fewer steps. Inputs of the network, and values with scales of
/// the model, have `most` bits. Constants have none.
std::map<graph::ValueId, ValueWidth> value_widths(const graph::Graph& graph, const Widths& widths, int most);

/// Bits of the weights of a layer: at most 8 where its inputs are bytes, else what it is asked for.
int weight_bits(const graph::Graph& graph, const graph::Node& node, const Widths& widths, int most,
                const ValueWidth& in);

/// The place of keys that name a layer; none where no key does.
using PlaceOfWidths = std::function<std::optional<SourceLocation>(const graph::Node&)>;

/// Adds each layer that no kernel computes in the widths that are asked for. A layer without weights that no
/// key names may be asked for more bits than its input has: it keeps to those.
void refuse_widths(const graph::Graph& graph, const Widths& widths, int most, const PlaceOfWidths& place,
                   Diagnostics& findings);

}  // namespace n2d2::quantize
