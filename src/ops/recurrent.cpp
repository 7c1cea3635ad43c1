#include "n2d2/ops/recurrent.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/graph/turn.hpp"

#include "checks.hpp"

namespace n2d2::ops {

namespace {

double logistic_gate(double x) {
  return 1 / (1 + std::exp(-x));
}

/// One direction of a layer at work on one sample.
class FloatCell {
 public:
  FloatCell(const Recurrent& op, const graph::ForwardArgs& args, int64_t d)
      : op_(op),
        size_(op.hidden),
        channels_(args.in[0]->shape().c()),
        weights_(args.in[1]->data<float>() + d * op.gates() * size_ * channels_),
        recurrent_(args.in[2]->data<float>() + d * op.gates() * size_ * size_),
        biases_(args.in[3]->data<float>() + d * 2 * op.gates() * size_),
        state_(static_cast<size_t>(size_), 0),
        cell_(static_cast<size_t>(size_), 0) {}

  const std::vector<double>& state() const { return state_; }

  /// `x`: a value of each channel, `pixels` apart.
  void step(const float* x, int64_t pixels) {
    std::vector<double> next(state_.size());
    for (int64_t j = 0; j < size_; ++j) next[j] = unit(x, pixels, j);
    state_ = std::move(next);
  }

 private:
  double of_input(const float* x, int64_t pixels, int64_t row) const {
    double sum = static_cast<double>(biases_[row]);
    for (int64_t c = 0; c < channels_; ++c)
      sum += static_cast<double>(weights_[row * channels_ + c]) * static_cast<double>(x[c * pixels]);
    return sum;
  }
  double of_state(int64_t row) const {
    double sum = static_cast<double>(biases_[op_.gates() * size_ + row]);
    for (int64_t k = 0; k < size_; ++k) sum += static_cast<double>(recurrent_[row * size_ + k]) * state_[k];
    return sum;
  }
  double both(const float* x, int64_t pixels, int64_t row) const {
    return of_input(x, pixels, row) + of_state(row);
  }

  double unit(const float* x, int64_t pixels, int64_t j) {
    switch (op_.cell) {
      case Cell::Lstm: {
        const double input = logistic_gate(both(x, pixels, j)),
                     output = logistic_gate(both(x, pixels, size_ + j)),
                     forget = logistic_gate(both(x, pixels, 2 * size_ + j)),
                     fresh = std::tanh(both(x, pixels, 3 * size_ + j));
        cell_[j] = forget * cell_[j] + input * fresh;
        return output * std::tanh(cell_[j]);
      }
      case Cell::Gru: {
        const double update = logistic_gate(both(x, pixels, j));
        const double fresh = std::tanh(of_input(x, pixels, 2 * size_ + j) + reset_state(x, pixels, j));
        return (1 - update) * fresh + update * state_[j];
      }
      default:
        return std::tanh(both(x, pixels, j));
    }
  }

  /// What the state adds to the new value of unit j of a GRU.
  double reset_state(const float* x, int64_t pixels, int64_t j) const {
    const int64_t row = 2 * size_ + j;
    if (op_.linear_before_reset) return logistic_gate(both(x, pixels, size_ + j)) * of_state(row);
    double sum = static_cast<double>(biases_[op_.gates() * size_ + row]);
    for (int64_t k = 0; k < size_; ++k)
      sum += static_cast<double>(recurrent_[row * size_ + k]) * logistic_gate(both(x, pixels, size_ + k)) *
             state_[k];
    return sum;
  }

  const Recurrent& op_;
  int64_t size_, channels_;
  const float *weights_, *recurrent_, *biases_;
  std::vector<double> state_, cell_;
};

}  // namespace

std::string_view Recurrent::input_role(size_t slot) const {
  constexpr std::array<std::string_view, 4> kRoles{"", "weights", "recurrent_weights", "biases"};
  return slot < kRoles.size() ? kRoles[slot] : "";
}

std::vector<Shape> Recurrent::infer(std::span<const Shape> in) const {
  expect_inputs(in, 4, 4);
  expect_map(in, 0);
  expect_at_least("HiddenSize", hidden, 1);
  const Shape& x = in[0];
  if (x.h() != 1 && x.w() != 1)
    throw ModelError(
        fmt::format("input 0 is a map of {}x{} pixels, expected one row or one column", x.h(), x.w()));
  expect_parameter(in, 1, "weights", {rows(), x.c()});
  expect_parameter(in, 2, "recurrent weights", {rows(), hidden});
  if (in[3].rank() == 2)
    expect_parameter(in, 3, "the table", {1 + rows(), kColumns});
  else
    expect_parameter(in, 3, "biases", {2 * rows()});
  if (last_step) return {{x.n(), directions() * hidden, 1, 1}};
  return {{x.n(), directions() * hidden, x.h(), x.w()}};
}

void Recurrent::forward(const graph::ForwardArgs& args) const {
  const Shape &x = args.in[0]->shape(), &y = args.out[0]->shape();
  const int64_t steps = x.h() * x.w(), places = y.h() * y.w();
  for (int64_t n = 0; n < x.n(); ++n)
    for (int64_t d = 0; d < directions(); ++d) {
      FloatCell cell(*this, args, d);
      for (int64_t i = 0; i < steps; ++i) {
        const int64_t t = is_reverse(d) ? steps - 1 - i : i;
        cell.step(args.in[0]->data<float>() + n * x.c() * steps + t, steps);
        float* out = args.out[0]->data<float>() + (n * y.c() + d * hidden) * places + (last_step ? 0 : t);
        for (int64_t j = 0; j < hidden; ++j) out[j * places] = static_cast<float>(cell.state()[j]);
      }
    }
}

std::vector<Clamp> Recurrent::range(std::span<const Clamp>, std::span<const Shape>) const {
  return {{-1, 1}};
}

/// The steps of a map of one row are those of a map of one column.
void Recurrent::turned(graph::TurnedNode& node) const {
  if (node.orders.at(0)) node.expect_map();
}

void register_recurrent(graph::OperatorRegistry& registry);
void register_recurrent(graph::OperatorRegistry& registry) {
  graph::register_operator<Recurrent>(registry);
}

}  // namespace n2d2::ops
