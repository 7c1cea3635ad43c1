#include "written_out.hpp"

#include <algorithm>

#include "n2d2/ops/concat.hpp"
#include "n2d2/ops/elemwise.hpp"
#include "n2d2/ops/fc.hpp"
#include "n2d2/ops/nonlinearity.hpp"
#include "n2d2/ops/padding.hpp"
#include "n2d2/ops/pixel_reshape.hpp"

namespace n2d2::onnx {

namespace {

using graph::ValueId;
using ops::Cell;

/// Pixel `i` of a map of one row or one column.
ValueId pixel(Node& node, ValueId map, int64_t i, std::string_view suffix) {
  const Shape& shape = node.graph().value(map).type.shape;
  const bool is_row = shape.h() == 1;
  const int before = static_cast<int>(-i), after = static_cast<int>(i + 1 - (is_row ? shape.w() : shape.h()));
  if (before == 0 && after == 0) return map;
  ops::Padding crop;
  (is_row ? crop.left : crop.top) = before;
  (is_row ? crop.right : crop.bottom) = after;
  return node.add(crop.clone(), {map}, suffix);
}

/// One direction of the layer.
class Steps {
 public:
  Steps(Node& node, const RecurrentParts& parts, int64_t direction)
      : node_(node), parts_(parts), op_(parts.op) {
    const int64_t gates = op_.gates();
    for (int64_t gate = 0; gate < gates; ++gate) {
      Gate& made = gates_.emplace_back();
      const int64_t row = (direction * gates + gate) * op_.hidden;
      // The state's bias of the new value of a GRU is inside its reset.
      const bool is_apart = op_.cell == Cell::Gru && gate == kNew && op_.linear_before_reset;
      made.weights = add_rows(parts.weights, row, "weights");
      made.recurrent = add_rows(parts.recurrent, row, "recurrent_weights");
      Tensor biases(Shape{op_.hidden}), of_state(Shape{op_.hidden});
      const float* from = parts.biases.data<float>() + direction * 2 * gates * op_.hidden;
      for (int64_t unit = 0; unit < op_.hidden; ++unit) {
        const float of_input = from[gate * op_.hidden + unit],
                    other = from[(gates + gate) * op_.hidden + unit];
        biases.data<float>()[unit] = is_apart ? of_input : of_input + other;
        of_state.data<float>()[unit] = other;
      }
      made.biases = node.add_constant("biases", std::move(biases));
      if (is_apart) made.state_biases = node.add_constant("state_biases", std::move(of_state));
    }
    if (parts.state) state_ = pixel(node, *parts.state, direction, "state_in");
    if (parts.cell) cell_ = pixel(node, *parts.cell, direction, "cell_in");
  }

  void step(int64_t t) {
    const ValueId x = pixel(node_, parts_.sequence, t, "step");
    if (op_.cell == Cell::Lstm)
      lstm(x);
    else if (op_.cell == Cell::Gru)
      gru(x);
    else
      state_ = function(ops::Function::Tanh, gate(0, x, state_), "state");
  }

  ValueId state() const { return *state_; }
  std::optional<ValueId> cell() const { return cell_; }

 private:
  /// Gates of an LSTM, and of a GRU.
  enum : size_t { kIn, kOut, kForget, kCell };
  enum : size_t { kUpdate, kReset, kNew };
  struct Gate {
    ValueId weights, recurrent, biases;
    std::optional<ValueId> state_biases = {};
  };

  ValueId add_rows(const Tensor& matrix, int64_t first, std::string_view role) {
    const int64_t columns = matrix.elements() / op_.rows();
    Tensor rows(Shape{op_.hidden, columns});
    std::copy_n(matrix.data<float>() + first * columns, rows.elements(), rows.data<float>());
    return node_.add_constant(role, std::move(rows));
  }
  ValueId product(ValueId x, ValueId weights, std::optional<ValueId> biases, std::string_view suffix) {
    auto fc = std::make_unique<ops::Fc>();
    fc->nb_outputs = op_.hidden;
    std::vector<ValueId> inputs{x, weights};
    if (biases) inputs.push_back(*biases);
    return node_.add(std::move(fc), std::move(inputs), suffix);
  }
  ValueId join(ops::ElemWiseOperation operation, ValueId a, ValueId b, std::string_view suffix,
               std::vector<double> weights = {}) {
    auto op = std::make_unique<ops::ElemWise>();
    op->operation = operation;
    op->weights = std::move(weights);
    return node_.add(std::move(op), {a, b}, suffix);
  }
  ValueId sum(ValueId a, ValueId b, std::string_view suffix) {
    return join(ops::ElemWiseOperation::Sum, a, b, suffix);
  }
  ValueId times(ValueId a, ValueId b, std::string_view suffix) {
    return join(ops::ElemWiseOperation::Prod, a, b, suffix);
  }
  ValueId function(ops::Function function, ValueId x, std::string_view suffix) {
    auto op = std::make_unique<ops::Nonlinearity>();
    op->function = function;
    return node_.add(std::move(op), {x}, suffix);
  }
  /// W x + R h + b.
  ValueId gate(size_t which, ValueId x, std::optional<ValueId> h) {
    const Gate& g = gates_[which];
    const ValueId of_input = product(x, g.weights, g.biases, "of_input");
    return h ? sum(of_input, product(*h, g.recurrent, std::nullopt, "of_state"), "gate") : of_input;
  }
  ValueId opened(size_t which, ValueId x) {
    return function(ops::Function::Logistic, gate(which, x, state_), "opened");
  }

  void lstm(ValueId x) {
    const ValueId in = opened(kIn, x), out = opened(kOut, x);
    const ValueId proposed = function(ops::Function::Tanh, gate(kCell, x, state_), "proposed");
    ValueId cell = times(in, proposed, "taken");
    if (cell_) cell = sum(cell, times(opened(kForget, x), *cell_, "kept"), "cell");
    cell_ = cell;
    state_ = times(out, function(ops::Function::Tanh, cell, "bounded"), "state");
  }

  /// h = n + z (h - n).
  void gru(ValueId x) {
    N2D2_CHECK(state_.has_value(), "a GRU that is written out has no state");
    const ValueId update = opened(kUpdate, x), reset = opened(kReset, x);
    const Gate& g = gates_[kNew];
    const ValueId of_input = product(x, g.weights, g.biases, "of_input");
    const ValueId of_state =
        op_.linear_before_reset
            ? times(reset, product(*state_, g.recurrent, g.state_biases, "of_state"), "reset")
            : product(times(reset, *state_, "reset"), g.recurrent, std::nullopt, "of_state");
    const ValueId proposed = function(ops::Function::Tanh, sum(of_input, of_state, "gate"), "proposed");
    const ValueId change = join(ops::ElemWiseOperation::Sum, *state_, proposed, "change", {1, -1});
    state_ = sum(proposed, times(update, change, "kept"), "state");
  }

  Node& node_;
  const RecurrentParts& parts_;
  const ops::Recurrent& op_;
  std::vector<Gate> gates_;
  std::optional<ValueId> state_, cell_;
};

/// Channels one after the other; the value itself where it is alone.
ValueId joined(Node& node, const std::vector<ValueId>& values, std::string_view suffix) {
  return values.size() == 1 ? values[0] : node.add(std::make_unique<ops::Concat>(), values, suffix);
}

}  // namespace

WrittenOut write_out(Node& node, const RecurrentParts& parts) {
  const int64_t directions = parts.op.directions();
  std::vector<std::vector<ValueId>> made(static_cast<size_t>(parts.steps));  // of each step, by direction
  std::vector<ValueId> states, cells;
  for (int64_t direction = 0; direction < directions; ++direction) {
    Steps steps(node, parts, direction);
    const bool is_reverse = parts.op.is_reverse(direction);
    for (int64_t i = 0; i < parts.steps; ++i) {
      const int64_t t = is_reverse ? parts.steps - 1 - i : i;
      steps.step(t);
      made[static_cast<size_t>(t)].push_back(steps.state());
    }
    states.push_back(steps.state());
    if (steps.cell()) cells.push_back(*steps.cell());
  }
  std::vector<ValueId> rows;
  for (const std::vector<ValueId>& step : made) rows.insert(rows.end(), step.begin(), step.end());
  WrittenOut out;
  out.steps = joined(node, rows, "steps");
  const int64_t units = directions * parts.op.hidden;
  if (parts.steps > 1)
    out.steps = node.add(ops::pixel_reshape_to({1, units, 1, parts.steps}), {out.steps}, "row");
  out.state = parts.steps == 1 ? out.steps : joined(node, states, "last");
  if (!cells.empty()) out.cell = joined(node, cells, "last_cell");
  node.layer = node.graph().value(states.back()).producer;
  return out;
}

}  // namespace n2d2::onnx
