// Which layers do several rules add? Conv and Fc of weights that one rule reads and another makes.
#pragma once

#include <optional>

#include "node.hpp"

namespace n2d2::onnx {

/// A Conv of data N,C,L or N,C,H,W with weights O,I/groups,kernel and the window attributes of the node,
/// under a helper's name, "" for the node's own. Refused when the extents do not fit.
graph::ValueId add_conv(Node& node, const Operand& data, const Array& weights, std::optional<Tensor> biases,
                        std::string_view suffix);

/// How a constant matrix stands for the weights of an Fc: inputs x outputs, or outputs x inputs when
/// transposed, times alpha.
struct FcMatrix {
  bool transposed = false;
  double alpha = 1;

  int64_t outputs(const Array& matrix) const { return matrix.dims[transposed ? 0 : 1]; }
};

/// An Fc of data N,inputs. Refused when data and matrix are no matrices of real numbers.
graph::ValueId add_fc(Node& node, const Operand& data, const Array& matrix, const FcMatrix& form,
                      std::optional<Tensor> biases, std::string_view suffix);

/// What a layer made of a view, as a view of its bytes.
struct Product {
  graph::ValueId value;
  Split split;
};

/// A 1x1 Conv of the last axis of a view; all other axes are pixels. The matrix has as many inputs.
Product multiply_rows(Node& node, graph::ValueId value, Split split, const Array& matrix,
                      const FcMatrix& form, std::optional<Tensor> biases);

}  // namespace n2d2::onnx
