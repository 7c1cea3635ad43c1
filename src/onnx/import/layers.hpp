// Which layers do several rules add? Conv and Fc of weights that one rule reads and another makes.
#pragma once

#include <optional>

#include "node.hpp"

namespace n2d2::onnx {

/// A Conv of data N,C,L or N,C,H,W with weights O,I/groups,kernel and the window attributes of the node, under a
/// helper's name, "" for the node's own. Refused when the extents do not fit.
graph::ValueId add_conv(Node& node, const Operand& data, const Array& weights, std::optional<Tensor> biases,
                        std::string_view suffix);

/// A K x N matrix (N x K when transposed) that data N,K are multiplied with, as weights N x K. Refused when data and
/// matrix are no matrices.
Array fc_weights(const Operand& data, const Array& matrix, bool transposed);
/// An Fc of data N,K with weights O x K.
graph::ValueId add_fc(Node& node, const Operand& data, const Array& weights, std::optional<Tensor> biases,
                      std::string_view suffix);

}  // namespace n2d2::onnx
