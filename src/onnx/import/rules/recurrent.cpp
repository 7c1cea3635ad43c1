#include "n2d2/ops/recurrent.hpp"

#include <algorithm>

#include "import/written_out.hpp"
#include "transpose.hpp"

namespace n2d2::onnx {

namespace {

using ops::Cell;
using ops::Direction;

/// Inputs of the operators LSTM, GRU and RNN.
enum Slot : size_t {
  kSequence,
  kWeights,
  kRecurrentWeights,
  kBiases,
  kLengths,
  kState,
  kCellState,
  kPeepholes
};
/// Outputs.
enum Output : size_t { kSteps, kLastState, kLastCell };

Direction direction_of(Node& node) {
  const std::string text = node.text("direction", "forward");
  if (text == "forward") return Direction::Forward;
  if (text == "reverse") return Direction::Reverse;
  if (text == "bidirectional") return Direction::Both;
  refuse(fmt::format("direction '{}'", text));
}

/// Refuses all but the functions that each cell has when nobody says others.
void expect_usual(Node& node, const ops::Recurrent& op) {
  static const std::vector<std::string> kOfLstm{"Sigmoid", "Tanh", "Tanh"}, kOfGru{"Sigmoid", "Tanh"},
      kOfRnn{"Tanh"};
  const std::vector<std::string>& usual = op.cell == Cell::Lstm  ? kOfLstm
                                          : op.cell == Cell::Gru ? kOfGru
                                                                 : kOfRnn;
  const std::vector<std::string> given = node.texts("activations");
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i] != usual[i % usual.size()])
      refuse(fmt::format("activation '{}', only {} is imported", given[i], usual[i % usual.size()]),
             "train with the functions that the layer has by default");
  if (node.has("clip")) refuse("clip is not imported", "train without clip");
  if (op.cell == Cell::Lstm) node.expect("input_forget", 0);
  node.reals("activation_alpha"), node.reals("activation_beta");  // these functions have none
}

/// Whether the state before the first step depends on the network's input. Refuses a constant that is not 0.
bool is_given(Node& node, size_t slot, std::string_view what) {
  if (!node.has_input(slot)) return false;
  const Operand& state = node.lying(slot);
  if (!state.is_constant()) return true;
  if (!std::all_of(state.array->reals.begin(), state.array->reals.end(), [](float v) { return v == 0; }))
    refuse(fmt::format("the {} (input {}) is not 0", what, slot), "train with an initial state of 0");
  return false;
}

void expect_whole(Node& node, int64_t steps) {
  const Array* lengths = node.optional_constant(kLengths, "the lengths");
  if (lengths == nullptr) return;
  if (!std::all_of(lengths->integers.begin(), lengths->integers.end(), [&](int64_t n) { return n == steps; }))
    refuse(fmt::format("the lengths are not {}, that of the whole sequence", steps));
}

Tensor biases_of(Node& node, const ops::Recurrent& op) {
  const Array* given = node.optional_constant(kBiases, "the biases");
  Tensor zeros(Shape{2 * op.rows()});
  return given == nullptr
             ? zeros
             : real_tensor(given->with_dims({given->size()}), Shape{2 * op.rows()}, "the biases");
}

class Sequence {
 public:
  Sequence(Node& node, Cell cell) : node_(node) {
    const bool batch_first = node.integer("layout", 0) != 0;
    const Operand& x = node.lying(kSequence);
    if (x.is_constant() || x.dims.size() != 3)
      refuse(fmt::format("the sequence is {}, expected data of T,N,C", text_of(x.dims)));
    is_moved_ = !batch_first;
    const bool is_one = x.dims[0] == 1 && x.dims[1] == 1;
    if (is_moved_ && !node.sees_batch_first && !is_one)
      refuse(fmt::format("the sequence {} has its steps where samples are (axis 0)", text_of(x.dims)),
             "give it the input of the network, or a Transpose (1 0 2) of samples N,T,C");
    op_.cell = cell;
    op_.direction = direction_of(node);
    op_.linear_before_reset = cell == Cell::Gru && node.integer("linear_before_reset", 0) != 0;
    const Array& recurrent = node.constant(kRecurrentWeights, "the recurrent weights");
    op_.hidden = window_size("hidden_size", recurrent.dims.empty() ? 0 : recurrent.dims.back(), 1);
    if (node.integer("hidden_size", op_.hidden) != op_.hidden)
      refuse(fmt::format("hidden_size does not fit recurrent weights of {}", text_of(recurrent.dims)));
    expect_usual(node, op_);
    expect_whole(node, x.dims[1]);
    has_state_ = is_given(node, kState, "initial state");
    if (cell == Cell::Lstm) {
      has_cell_ = is_given(node, kCellState, "initial cell state");
      if (node.has_input(kPeepholes)) refuse("peepholes are not imported", "train without peepholes");
    }
    batch_ = x.dims[0], steps_ = x.dims[1];
    const int64_t channels = x.dims[2];
    const bool lies = x.channels_last;
    const graph::ValueId given = x.value;
    sequence_ = lies ? given : swap_channels(node, given, 2, 3, "steps");
    weights_ =
        real_tensor(node.constant(kWeights, "the weights"), Shape{op_.rows(), channels}, "the weights");
    recurrent_ = real_tensor(recurrent, Shape{op_.rows(), op_.hidden}, "the recurrent weights");
    biases_ = biases_of(node, op_);
    if (has_state_ || has_cell_ || node.is_read(kLastCell)) {
      write_steps();
      return;
    }
    inputs_ = {sequence_, node.add_constant("weights", weights_),
               node.add_constant("recurrent_weights", recurrent_), node.add_constant("biases", biases_)};
  }

  /// T,D,N,S of the file, or N,T,D,S.
  void add_steps() {
    if (!node_.is_read(kSteps)) return;
    const graph::ValueId made = written_ ? written_->steps : node_.add(op_.clone(), inputs_, "");
    const graph::NodeId layer = node_.layer;
    const graph::ValueId steps = swap_channels(node_, made, 2, 3, "channels");
    const Extents dims{batch_, steps_, op_.directions(), op_.hidden};
    node_.set_value(node_.as_map(steps, map_shape(dims), "directions"), dims, kSteps);
    if (is_moved_) node_.move_batch(2, kSteps);
    node_.layer = layer;
  }

  void add_last() {
    if (!node_.is_read(kLastState)) return;
    op_.last_step = true;
    add_state(
        written_ ? written_->state : node_.add(op_.clone(), inputs_, node_.is_read(kSteps) ? "last" : ""),
        kLastState);
  }

  void add_last_cell() {
    if (node_.is_read(kLastCell)) add_state(*written_->cell, kLastCell);
  }

 private:
  /// D,N,S of the file, or N,D,S.
  void add_state(graph::ValueId made, size_t output) {
    const graph::NodeId layer = node_.layer;
    const Extents dims{batch_, op_.directions(), op_.hidden};
    node_.set_value(node_.as_map(made, map_shape(dims), "directions_of_last"), dims, output);
    if (is_moved_) node_.move_batch(1, output);
    node_.layer = layer;
  }

  /// The state before the first step as pixels of its directions.
  std::optional<graph::ValueId> state_of(size_t slot, bool is_there) {
    if (!is_there) return std::nullopt;
    const Operand& state = node_.lying(slot);
    const Extents wanted{batch_, op_.directions(), op_.hidden};
    if (state.dims != wanted)
      refuse(fmt::format("the initial state (input {}) is {}, expected {}", slot, text_of(state.dims),
                         text_of(wanted)));
    return node_.with_channels_last(slot);
  }

  void write_steps() {
    if (steps_ > kMostStepsWrittenOut)
      refuse(fmt::format(
                 "the state comes from outside or leaves the layer, and there are {} steps, at most {} are "
                 "imported then",
                 steps_, kMostStepsWrittenOut),
             has_state_ || has_cell_
                 ? "export the model without an initial state, each sample is a whole sequence then, or with "
                   "fewer "
                   "steps a call"
                 : "export the model without the last cell state, or with fewer steps a call");
    if (batch_ != 1) refuse("the state comes from outside or leaves the layer", "a batch of 1");
    RecurrentParts parts{op_, weights_, recurrent_, biases_, sequence_, steps_};
    parts.state = state_of(kState, has_state_);
    parts.cell = state_of(kCellState, has_cell_);
    written_ = write_out(node_, parts);
  }

  Node& node_;
  ops::Recurrent op_;
  Tensor weights_, recurrent_, biases_;
  bool is_moved_ = false, has_state_ = false, has_cell_ = false;
  int64_t batch_ = 1, steps_ = 1;
  graph::ValueId sequence_;
  std::vector<graph::ValueId> inputs_;
  std::optional<WrittenOut> written_;
};

void convert_sequence(Node& node, Cell cell) {
  Sequence sequence(node, cell);
  sequence.add_steps();
  sequence.add_last();
  if (cell == Cell::Lstm) sequence.add_last_cell();
}

}  // namespace

void register_recurrent(RuleRegistry& registry);
void register_recurrent(RuleRegistry& registry) {
  registry.add("GRU", {[](Node& node) { convert_sequence(node, Cell::Gru); }, nullptr});
  registry.add("LSTM", {[](Node& node) { convert_sequence(node, Cell::Lstm); }, nullptr});
  registry.add("RNN", {[](Node& node) { convert_sequence(node, Cell::Rnn); }, nullptr});
}

}  // namespace n2d2::onnx
