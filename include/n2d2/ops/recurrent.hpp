// What is a recurrent layer? A sequence in, the state after each of its steps out.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

enum class Cell { Lstm, Gru, Rnn };
enum class Direction { Forward, Reverse, Both };

}  // namespace n2d2::ops

template <>
struct n2d2::EnumText<n2d2::ops::Cell> {
  static constexpr std::array names{"LSTM", "GRU", "RNN"};
};
template <>
struct n2d2::EnumText<n2d2::ops::Direction> {
  static constexpr std::array names{"Forward", "Reverse", "Both"};
};

namespace n2d2::ops {

/// Inputs: a sequence of T steps, one after the other along the width or the height of a map of one row or
/// one column, N,C,1,T or N,C,T,1; weights D*G*S, C; recurrent weights D*G*S, S; biases D*2*G*S. S is the
/// number of hidden units, D that of directions, G that of gates: 4 (input, output, forget, cell) of an LSTM,
/// 3 (update, reset, new) of a GRU, 1 of an RNN. Rows are ordered by direction, gate, unit; the biases of a
/// direction are those of the inputs, then those of the state. Output: D*S channels at each step, the
/// directions one after the other; with LastStep one pixel, the state after the last step of each direction.
/// The state before the first step is 0.
///
/// With h the state, W, R, b, b' weights and biases of a gate, s the logistic function:
///   LSTM   c = s(f) c + s(i) tanh(g), h = s(o) tanh(c); each gate is W x + R h + b + b'
///   GRU    h = (1 - s(z)) tanh(n) + s(z) h, n = W x + b + s(r) (R h + b'); without LinearBeforeReset
///          n = W x + R (s(r) h) + b + b'
///   RNN    h = tanh(W x + R h + b + b')
///
/// In integers (docs/make/integers.md, "Sequences") weights have 8 bits, whatever the values have; input 3 is
/// a table, a row for all and one for each row of the weights. Source: definitions of the ONNX operators
/// LSTM, GRU, RNN; Hochreiter and Schmidhuber 1997, Cho et al. 2014.
struct Recurrent final : graph::OperatorBase<Recurrent> {
  static constexpr const char* kType = "Recurrent";
  Cell cell = Cell::Lstm;
  int hidden = 0;
  Direction direction = Direction::Forward;
  bool linear_before_reset = false, last_step = false;

  /// Columns of the table: multipliers of the sums over inputs and over the state, what is added to both, and
  /// the bias inside the reset of a GRU. Its first row holds the shift of all multipliers.
  static constexpr int64_t kColumns = 4;

  template <class V>
  static void fields(V&& v) {
    v("Cell", &Recurrent::cell, help("what a step computes"));
    v("HiddenSize", &Recurrent::hidden, required, at_least(1), help("values of the state"));
    v("Direction", &Recurrent::direction, help("from the first step, from the last one, or both"));
    v("LinearBeforeReset", &Recurrent::linear_before_reset,
      help("a GRU resets the product with the state, not the state"));
    v("LastStep", &Recurrent::last_step, help("the state after the last step alone"));
  }
  int64_t gates() const { return cell == Cell::Lstm ? 4 : cell == Cell::Gru ? 3 : 1; }
  int64_t directions() const { return direction == Direction::Both ? 2 : 1; }
  int64_t rows() const { return directions() * gates() * hidden; }
  /// Multiplications of weights in all steps of a sequence.
  int64_t products(const Shape& in) const { return rows() * (in.c() + hidden) * in.h() * in.w(); }
  /// Whether direction `d` goes from the last step to the first.
  bool is_reverse(int64_t d) const { return direction == Direction::Reverse || d == 1; }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  std::string_view input_role(size_t slot) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

}  // namespace n2d2::ops
