// The integers of a recurrent layer. docs/make/integers.md, "Sequences", has the rules.
#include <algorithm>
#include <array>
#include <cmath>

#include "n2d2/graph/integers.hpp"
#include "n2d2/ops/recurrent.hpp"

#include "table.hpp"

namespace n2d2::ops {

namespace {

constexpr int kWeightFullScale = 127, kStateBits = 16, kShareBits = 24;
constexpr int kMultiplierBits = 22, kLeastShift = 1, kMostShiftOfGates = 40;
/// Arguments of gates, in 2^-16, and states saturate at these.
constexpr int64_t kMostArgument = int64_t{1} << 29, kMostState = int64_t{1} << 30;
/// Sums over inputs and over the state have 32 bits up to so many values.
constexpr int64_t kMostValues = 32767;

constexpr int64_t kOneGate = int64_t{1} << 16, kHalfGate = kOneGate / 2;
/// 2^15 tanh(a / 2) is interpolated between steps of 1/32 up to 12; it is 2^15 from there on.
constexpr int kStepBits = kStateBits - 5;
constexpr int64_t kLastStep = 12 * 32;

int64_t saturated(int64_t x, int64_t most) {
  return std::clamp(x, -most, most);
}

/// x 2^-bits, half up.
int64_t shifted(int64_t x, int64_t bits) {
  return (x + (int64_t{1} << (bits - 1))) >> bits;
}

/// 2^15 tanh(a / 2) of a in 2^-16.
int64_t half_tanh(int64_t a) {
  const auto entry = [](int64_t i) {
    return static_cast<int64_t>(std::nearbyint(32768 * std::tanh(static_cast<double>(i) / 64)));
  };
  const int64_t magnitude = std::abs(a), i = magnitude >> kStepBits;
  if (i >= kLastStep) return a < 0 ? -32768 : 32768;
  const int64_t rest = magnitude - (i << kStepBits);
  const int64_t value = entry(i) + shifted((entry(i + 1) - entry(i)) * rest, kStepBits);
  return a < 0 ? -value : value;
}
/// 2^16 times the logistic function.
int64_t gate_of(int64_t a) {
  return kHalfGate + half_tanh(a);
}
/// 2^15 tanh(a).
int64_t tanh_of(int64_t a) {
  return half_tanh(2 * a);
}

double largest_of(const float* row, int64_t n) {
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(static_cast<double>(row[i])));
  return largest;
}

/// Weights of one matrix, a scale for each row.
struct Rows8 {
  Tensor weights;
  std::vector<double> steps;   ///< 0 of a row of zeros
  std::vector<double> sums;    ///< of the integers of a row
  std::vector<double> errors;  ///< what the rounding takes from a row at the means of its inputs

  Rows8(const Tensor& reals, const std::vector<double>& means) : weights(reals.shape(), DataType::I8) {
    const int64_t rows = reals.shape()[0], columns = reals.shape()[1];
    for (int64_t r = 0; r < rows; ++r) {
      const float* row = reals.data<float>() + r * columns;
      const double largest = largest_of(row, columns);
      const double step = largest / kWeightFullScale;
      double sum = 0, error = 0;
      for (int64_t c = 0; c < columns; ++c) {
        const double q = step > 0 ? std::nearbyint(static_cast<double>(row[c]) / step) : 0;
        weights.data<int8_t>()[r * columns + c] = static_cast<int8_t>(q);
        sum += q;
        if (!means.empty()) error += (static_cast<double>(row[c]) - q * step) * means[static_cast<size_t>(c)];
      }
      steps.push_back(step);
      sums.push_back(sum);
      errors.push_back(error);
    }
  }
};

int32_t argument(double real) {
  const double most = static_cast<double>(kMostArgument);
  return static_cast<int32_t>(std::nearbyint(std::clamp(real * static_cast<double>(kOneGate), -most, most)));
}

/// Weights, recurrent weights and the table (Recurrent::kColumns) from those of the float layer.
std::vector<Tensor> parameters_of(const Recurrent& op, const graph::TableArgs& args) {
  const Rows8 weights(*args.constants.at(0), args.means), recurrent(*args.constants.at(1), {});
  const float* biases = args.constants.at(2)->data<float>();
  const int64_t rows = op.rows(), block = op.gates() * op.hidden;
  const double in = step_of(args.in), out = step_of(args.out);
  double largest = 0;
  for (int64_t r = 0; r < rows; ++r)
    largest = std::max({largest, in * weights.steps[r], out * recurrent.steps[r]});
  const int room = largest > 0 ? kMultiplierBits - kStateBits - 1 - std::ilogb(largest) : 0;
  const int shift = std::clamp(room, kLeastShift, kMostShiftOfGates);
  const auto multiplier = [&](double factor) {
    const double most = std::ldexp(1.0, kMultiplierBits);
    return static_cast<int32_t>(std::nearbyint(std::min(std::ldexp(factor, kStateBits + shift), most)));
  };
  Tensor table(Shape{1 + rows, Recurrent::kColumns}, DataType::I32);
  auto* entry = table.data<int32_t>();
  *entry = shift;
  for (int64_t r = 0; r < rows; ++r) {
    entry += Recurrent::kColumns;
    const int64_t d = r / block, inside = r % block;
    const auto of_input = static_cast<double>(biases[2 * d * block + inside]);
    const auto of_state = static_cast<double>(biases[(2 * d + 1) * block + inside]);
    const bool is_reset = op.cell == Cell::Gru && op.linear_before_reset && inside >= 2 * op.hidden;
    const double zero = args.in.zero_point * in * weights.steps[r] * weights.sums[r];
    entry[0] = multiplier(in * weights.steps[r]);
    entry[1] = multiplier(out * recurrent.steps[r]);
    entry[2] = argument(of_input + (is_reset ? 0 : of_state) - zero + weights.errors[r]);
    entry[3] = is_reset ? argument(of_state) : 0;
  }
  return {weights.weights, recurrent.weights, std::move(table)};
}

std::string fault_of(std::span<const Tensor* const> parameters) {
  for (size_t i = 0; i < 2; ++i)
    if (parameters[i]->dtype() != DataType::I8)
      return fmt::format("input {} is {}, expected {}", i + 1, to_string(parameters[i]->dtype()),
                         to_string(DataType::I8));
  const Tensor& table = *parameters[2];
  if (table.dtype() != DataType::I32 || table.shape().rank() != 2)
    return "expected a table of int32 as input 3";
  const auto* entry = table.data<int32_t>();
  if (*entry < kLeastShift || *entry > kMostShiftOfGates)
    return fmt::format("a shift of {}, expected {} to {}", *entry, kLeastShift, kMostShiftOfGates);
  constexpr std::array<int64_t, Recurrent::kColumns> kMost{
      int64_t{1} << kMultiplierBits, int64_t{1} << kMultiplierBits, kMostArgument, kMostArgument};
  for (int64_t i = Recurrent::kColumns; i < table.elements(); ++i)
    if (const int64_t most = kMost[static_cast<size_t>(i % Recurrent::kColumns)];
        std::abs(int64_t{entry[i]}) > most)
      return fmt::format("an entry of {} in column {} of the table, expected at most {}", entry[i],
                         i % Recurrent::kColumns, most);
  return {};
}

/// One direction of a layer at work on one sample.
class IntegerCell {
 public:
  IntegerCell(const Recurrent& op, const graph::IntegerArgs& args, int64_t d)
      : op_(op),
        args_(args),
        size_(op.hidden),
        first_(d * op.gates() * op.hidden),
        first_channel_(d * op.hidden),
        out_(static_cast<size_t>(size_), 0),
        state_(static_cast<size_t>(size_), 0) {}

  const std::vector<int64_t>& outputs() const { return out_; }

  void step(int64_t t) {
    t_ = t;
    std::vector<int64_t> reset(out_.size(), 0), next(out_.size(), 0);
    if (op_.cell == Cell::Gru && !op_.linear_before_reset)
      for (int64_t j = 0; j < size_; ++j) reset[j] = rounded(gate(1, j) * state_[j], 2 * kStateBits, j);
    for (int64_t j = 0; j < size_; ++j) next[j] = unit(reset, j);
    out_ = std::move(next);
  }

 private:
  int64_t row(int64_t gate, int64_t j) const { return first_ + gate * size_ + j; }
  int64_t entry(int64_t row, int64_t column) const {
    return (*args_.in[3])[(1 + row) * Recurrent::kColumns + column];
  }
  int64_t shift() const { return (*args_.in[3])[0]; }
  int64_t of_input(int64_t row) const {
    const graph::Integers& x = *args_.in[0];
    const int64_t channels = x.shape.c(), steps = x.shape.h() * x.shape.w();
    int64_t sum = 0;
    for (int64_t c = 0; c < channels; ++c) sum += (*args_.in[1])[row * channels + c] * x[c * steps + t_];
    return sum * entry(row, 0);
  }
  int64_t of_state(int64_t row, const std::vector<int64_t>& state) const {
    int64_t sum = 0;
    for (int64_t k = 0; k < size_; ++k) sum += (*args_.in[2])[row * size_ + k] * state[k];
    return sum * entry(row, 1);
  }
  int64_t argument_of(int64_t row, const std::vector<int64_t>& state) const {
    return saturated(shifted(of_input(row) + of_state(row, state), shift()) + entry(row, 2), kMostArgument);
  }
  int64_t gate(int64_t g, int64_t j) const { return gate_of(argument_of(row(g, j), out_)); }
  /// `x` has so many fractional bits, at least as many as what is rescaled.
  int64_t rounded(int64_t x, int bits, int64_t j) const {
    return args_.rounding.sum(shifted(x, bits - kShareBits), first_channel_ + j);
  }

  int64_t unit(const std::vector<int64_t>& reset, int64_t j) {
    switch (op_.cell) {
      case Cell::Lstm: {
        const int64_t fresh = tanh_of(argument_of(row(3, j), out_));
        state_[j] =
            saturated(shifted(gate(2, j) * state_[j] + 2 * gate(0, j) * fresh, kStateBits), kMostState);
        return rounded(gate(1, j) * tanh_of(state_[j]), kStateBits + 15, j);
      }
      case Cell::Gru: {
        const int64_t update = gate(0, j), fresh = tanh_of(fresh_argument(reset, j));
        state_[j] = shifted(2 * fresh * (kOneGate - update) + update * state_[j], kStateBits);
        return args_.rounding.sum(state_[j] * 256, first_channel_ + j);
      }
      default:
        return args_.rounding.sum(tanh_of(argument_of(row(0, j), out_)) * 512, first_channel_ + j);
    }
  }

  int64_t fresh_argument(const std::vector<int64_t>& reset, int64_t j) const {
    const int64_t fresh = row(2, j);
    if (!op_.linear_before_reset) return argument_of(fresh, reset);
    const int64_t inside =
        saturated(shifted(of_state(fresh, out_), shift()) + entry(fresh, 3), kMostArgument);
    const int64_t outside = saturated(shifted(of_input(fresh), shift()) + entry(fresh, 2), kMostArgument);
    return saturated(outside + shifted(gate(1, j) * inside, kStateBits), kMostArgument);
  }

  const Recurrent& op_;
  const graph::IntegerArgs& args_;
  int64_t size_, first_, first_channel_, t_ = 0;
  std::vector<int64_t> out_;    ///< the output of the step before, which is what the state products read
  std::vector<int64_t> state_;  ///< c of an LSTM, h of a GRU, in 2^-16
};

}  // namespace

graph::IntegerForm Recurrent::integer_form(std::span<const Shape> in) const {
  const int64_t most = std::max<int64_t>(in[0].c(), hidden);
  if (most > kMostValues)
    return graph::no_integers(fmt::format("over {} values it has no integer form", most),
                              fmt::format("up to {} values it has", kMostValues));
  graph::IntegerForm form = graph::rescaled_values({1});
  const double largest = static_cast<double>(int64_t{1} << kShareBits);
  form.unit = graph::Unit{1 / largest, largest};
  form.feeds_back = true;
  form.parameters = [this](const graph::TableArgs& args) { return parameters_of(*this, args); };
  form.parameter_fault = fault_of;
  return form;
}

void Recurrent::integers(const graph::IntegerArgs& args) const {
  const Shape &x = args.in[0]->shape, &y = args.out[0]->shape;
  const int64_t steps = x.h() * x.w(), places = y.h() * y.w();
  for (int64_t d = 0; d < directions(); ++d) {
    IntegerCell cell(*this, args, d);
    for (int64_t i = 0; i < steps; ++i) {
      const int64_t t = is_reverse(d) ? steps - 1 - i : i;
      cell.step(t);
      for (int64_t j = 0; j < hidden; ++j)
        (*args.out[0])[(d * hidden + j) * places + (last_step ? 0 : t)] = cell.outputs()[j];
    }
  }
}

}  // namespace n2d2::ops
