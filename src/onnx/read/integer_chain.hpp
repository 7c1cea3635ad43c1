// What does one chain of integers in float tensors compute, and which nodes do so?
#pragma once

#include <string>
#include <vector>

#include "file.hpp"

namespace n2d2::onnx {

/// One number, or one for each output.
using Row = std::vector<double>;

inline double at(const Row& row, size_t i) {
  return row[row.size() == 1 ? 0 : i];
}

/// A layer with weights: where its outputs are among the axes of its weights, and of what it makes.
struct Weighted {
  size_t node = 0;
  ArrayPtr weights;
  size_t axis = 0;
  size_t rank = 0;  ///< of its result
  int64_t outputs() const { return weights->dims[axis]; }
};

/// floor((k x + l) / d) of what a layer, a sum of two tensors or an average makes, within bounds. The sum x
/// of an average is that of its window, so d has the number of its taps.
struct Chain {
  enum class Kind { Layer, Sum, Average };
  Kind kind = Kind::Layer;
  Weighted layer;
  std::vector<std::string> parts;  ///< of a sum, each with its factor
  Row weights;
  Row factor{1}, offset{0};
  double divisor = 1;
  double lowest = 0, highest = 0;
  std::vector<size_t> nodes;   ///< behind the layer, the Clip last
  std::vector<size_t> before;  ///< in front of a sum
};

/// Gives the layer weights that are its integers times |k| / d, with this step, of k's sign.
void set_weights(File& file, const Weighted& layer, const Row& factor, double divisor);

/// Makes the node of the chain's layer what is rounded at the end, with these biases; returns the nodes
/// behind it, up to the output of the Clip.
std::vector<FileNode> write_chain(File& file, const Chain& chain, const Row& biases, const FileNode& clip);

/// What biases in whole units of the sums are wrong by, at most, in steps of the result.
double error_of(const Chain& chain);

}  // namespace n2d2::onnx
