// How does an operator on several tensors become an ElemWise?
#pragma once

#include "import/fold_two.hpp"
#include "import/node.hpp"

namespace n2d2::onnx {

/// Adds an ElemWise over all inputs of the node, of which at least one depends on the data; constants are
/// folded into one. `weights` has one factor an input, or is empty. Div has data in front of a constant.
void finish_elemwise(Node& node, Sign sign, const std::vector<double>& weights = {});

/// factor x + offset with one of each a channel, under the node's own name: a Scaling, a BatchNorm, or the
/// value itself.
graph::ValueId add_affine(Node& node, graph::ValueId value, const std::vector<double>& factor,
                          const std::vector<double>& offset);

}  // namespace n2d2::onnx
