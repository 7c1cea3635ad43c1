// What graph does this ONNX file hold? Read a file, then splice what it holds into a graph.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "n2d2/graph/graph.hpp"

namespace n2d2::onnx {

/// What the integers q of a tensor stand for: scale (q - zero), q between lowest and highest. One scale and
/// zero for all, or one of each for every channel.
struct Grid {
  std::vector<float> scale{1};
  std::vector<int64_t> zero{0};
  int64_t lowest = 0, highest = 255;

  bool is_one() const { return scale.size() == 1; }
  size_t index(int64_t channel) const { return is_one() ? 0 : static_cast<size_t>(channel); }
  friend bool operator==(const Grid&, const Grid&) = default;
};

/// A tensor that the file expects from outside: an input of its graph without initializer.
struct GraphInput {
  std::string name;
  /// Batch first, else as written; -1 where the file leaves an extent open.
  std::vector<int64_t> dims;
  /// Set when the elements are integers of at most 16 bits, which are fed as they are.
  std::optional<Grid> grid = {};
  /// N,H,W,C or N,L,C: everything that reads it puts channels first.
  bool channels_last = false;
  /// The axis of the batch in the file, which is the first one of `dims`: 1 of a sequence T,N,C.
  size_t batch = 0;
  /// The elements are integers of any size, or truth values.
  bool holds_integers = false;

  /// One number without a batch, such as a rate.
  bool is_number() const { return dims.empty() || (dims.size() == 1 && (dims[0] == 1 || dims[0] == -1)); }
};

struct File;

/// An ONNX file that was read and found well-formed: every tensor has one producer, no cycle.
class Model {
 public:
  explicit Model(std::shared_ptr<const File> file) : file_(std::move(file)) {}
  /// In the order of the file.
  const std::vector<GraphInput>& inputs() const;
  /// Names of the tensors that leave the graph.
  const std::vector<std::string>& outputs() const;
  /// Outputs that are scores, in place of the classes which an ArgMax, ArgMin or TopK at the end of the file
  /// chooses by them.
  const std::vector<std::string>& scores() const;
  /// Names of the tensors that nodes make, in order.
  std::vector<std::string> tensors() const;
  const File& file() const { return *file_; }

 private:
  std::shared_ptr<const File> file_;
};

/// Reads a file. ModelError with everything found wrong: not there, truncated or corrupt, operator sets that
/// are not read (newer than newest_opset()), tensors of 2^31 elements and more, names with two
/// producers or none, cycles. Tensors in other files are read from below the file's folder.
Model read_model(const std::string& path);
/// Reads a model from bytes, without tensors in other files; messages name it `path`.
Model parse_model(std::string_view bytes, const std::string& path);

/// Tensors at which a part of a file begins and ends; empty: where the file does.
struct Ends {
  std::vector<std::string> inputs, outputs;
  /// Inputs of one number that are constants.
  std::map<std::string, double, std::less<>> constants = {};
};
/// What lies between the named tensors, in their order; a node's name stands for its first output.
/// ModelError: names that the file has not, inputs of which it does not say the extents, inputs of the file
/// that the part still reads, constants that are no inputs of one number.
Model part_of(const Model& model, const Ends& ends);

/// Pairs of an output and the input that it is in the next run, of a text `<output>=<input>` between commas.
/// ModelError for other names, and for an input or an output that is in two pairs.
std::vector<std::pair<std::string, std::string>> state_pairs(const Model& model, const std::string& text);

/// Inputs and their numbers, of a text `<input>=<number>` between commas. ModelError for other texts.
std::map<std::string, double, std::less<>> constants_of(const Model& model, const std::string& text);

struct ImportOptions {
  /// First outputs of nodes to leave out: users of such a node read its only data input. A node with several
  /// data inputs is removed with all nodes whose results it alone reads.
  std::vector<std::string> ignore;
  /// The size of a given input may differ from what the file says.
  bool ignore_input_size = false;
  /// The momentum of a BatchNormalization, which weighs the old statistic, is taken for ours, which weighs
  /// the new one.
  bool copies_momentum = false;
  /// Height and width are exchanged in every map: a given N,C,H,W is N,C,W,H of the file, and so is each
  /// value of the graph; what has no height and width is as in the file. Fields and constants change, no
  /// layer is added.
  bool transpose = false;
  /// Inputs may be given with channels first where the file has them last, and outputs whose last layer is a
  /// Transpose that puts channels last are what it reads: in an export both are the same bytes. Without it
  /// every output is as in the file.
  bool keeps_channels_last = false;
  /// Outputs that are as in the file all the same.
  std::set<std::string, std::less<>> as_in_file = {};
  /// What every node gets as its origin; the file when it has no file.
  SourceLocation origin;
};

/// A node of the file that became a layer.
struct Layer {
  /// The first output, by which sections and targets name it, and the node's own name ("" when it has none).
  std::string output, node_name;
  /// "Relu": the operator in the file.
  std::string operator_type;
  /// The node that holds the layer's parameters, or does what the operator says; invalid when the values of
  /// an input are passed on as they are.
  graph::NodeId node;
};

struct Imported {
  /// In the order in which they were made.
  std::vector<Layer> layers;
  /// Every tensor that depends on an input, by name.
  std::map<std::string, graph::ValueId, std::less<>> values;
  /// Its extents as the file means them, with the batch moved to the front (shapes in the graph are always
  /// N,C,H,W).
  std::map<std::string, std::vector<int64_t>, std::less<>> dims;
  /// Where the file has the batch of a tensor at another axis than 0: that axis, by name.
  std::map<std::string, size_t, std::less<>> batch;
  /// Grids of the tensors whose elements are integers in the file, by name. The values in the graph are the
  /// real numbers that the integers stand for.
  std::map<std::string, Grid, std::less<>> grids;
  /// Tensors that depend on no input, by name: initializers and what follows from them.
  std::map<std::string, Tensor, std::less<>> constants;
};

/// Adds what the file computes to the graph. `inputs`: one value for each of model.inputs(), float32 N,C,H,W;
/// a tensor N,C,L of the file is a map of height 1, one of rank 2 a map of one pixel. Axis 0 is the batch, 1
/// in the graph whatever the file says. Nodes are named like their first output.
/// ModelError with every finding: "model.onnx: node 'Conv__240' (Conv): <reason>", with the nearest rewrite.
/// What is not understood is never skipped. The graph is half-built then.
Imported import_model(graph::Graph& graph, const Model& model, const std::vector<graph::ValueId>& inputs,
                      const ImportOptions& options = {});

/// The newest operator set that read_model accepts.
int newest_opset();
/// Operators that import, sorted; some only where they fold to constants.
std::vector<std::string> operator_types();

}  // namespace n2d2::onnx
