// What does one chain of integers in float tensors compute, and which nodes do so?
#pragma once

#include <string>
#include <vector>

#include "chain_bias.hpp"
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
  // ---- settle() sets these, where it is no sum
  Row finer{1};  ///< how many times larger integers the weights get
  std::vector<ChainBias> biases;
  std::vector<double> real_biases;
};

/// Gives the layer weights that are its integers times |k| / d, of k's sign. The step of each output is
/// |k| / d / finer.
void set_weights(File& file, const Weighted& layer, const Row& factor, double divisor,
                 const Row& finer = {1});

/// Chooses integers for weights and biases of a layer or an average, whose sums have these biases already and
/// read integers of at most this magnitude. Weights of more than 4 bits become as large as 8 bits hold, so
/// that biases have finer units; those of 4 bits and fewer get them in the upper bits of bytes.
void settle(Chain& chain, const Row& old_biases, double most_input);

/// Makes the node of the chain's layer what is rounded at the end; returns the nodes behind it, up to the
/// output of the Clip.
std::vector<FileNode> write_chain(File& file, const Chain& chain, const FileNode& clip);

}  // namespace n2d2::onnx
