#include "n2d2/ops/fc.hpp"

#include <algorithm>

#include "n2d2/graph/integers.hpp"
#include "n2d2/graph/turn.hpp"
#include "n2d2/ops/normalize.hpp"

#include "checks.hpp"
#include "integer_loops.hpp"

namespace n2d2::ops {

/// The weights that a sample meets: of length 1, and without the connections that are dropped.
class Fc::Weights {
 public:
  Weights(const Fc& op, const Tensor& weights, bool training, const graph::RandomKey& key)
      : op_(op),
        drops_(training && op.drop_connect < 1),
        key_(key),
        weights_(weights.span().begin(), weights.span().end()) {
    const auto size = static_cast<int64_t>(weights_.size()) / op.nb_outputs;
    if (op.normalize)
      for (int64_t o = 0; o < op.nb_outputs; ++o) {
        float* row = weights_.data() + o * size;
        normalize_vector(row, size, 1, row);
      }
  }

  /// 0 for each connection of sample n that is dropped, the gain of those that are kept; empty: none is
  /// dropped. The same for a key and a sample, so that backward drops what forward dropped.
  const std::vector<float>& gains(int64_t n) {
    if (!drops_ || sample_ == n) return gains_;
    sample_ = n;
    gains_.resize(weights_.size());
    Rng rng = key_.sample(n, "dropconnect");
    const auto gain = static_cast<float>(1 / op_.drop_connect);
    for (float& g : gains_) g = rng.chance(op_.drop_connect) ? gain : 0.0F;
    return gains_;
  }

  const float* of_sample(int64_t n) {
    if (!drops_) return weights_.data();
    const std::vector<float>& factors = gains(n);
    kept_.resize(weights_.size());
    for (size_t i = 0; i < kept_.size(); ++i) kept_[i] = weights_[i] * factors[i];
    return kept_.data();
  }

 private:
  const Fc& op_;
  bool drops_;
  const graph::RandomKey& key_;
  int64_t sample_ = -1;
  std::vector<float> weights_, gains_, kept_;
};

std::string_view Fc::input_role(size_t slot) const {
  return slot == 1 ? "weights" : slot == 2 ? "biases" : "";
}

std::vector<Shape> Fc::infer(std::span<const Shape> in) const {
  expect_inputs(in, 2, 3);
  expect_map(in, 0);
  expect_at_least("NbOutputs", nb_outputs, 1);
  const int64_t size = in[0].c() * in[0].h() * in[0].w();
  if (in[1].rank() == 2 && in[1][1] != size)
    throw ModelError(fmt::format("input 0 has {} values a sample ({}x{}x{}), weights expect {}", size,
                                 in[0].c(), in[0].h(), in[0].w(), in[1][1]));
  expect_parameter(in, 1, "weights", {nb_outputs, size});
  if (in.size() == 3) expect_parameter(in, 2, "biases", {nb_outputs});
  return {{in[0].n(), nb_outputs, 1, 1}};
}

void Fc::forward(const graph::ForwardArgs& args) const {
  const int64_t batch = args.in[0]->shape().n(), size = args.in[0]->elements() / batch;
  Weights weights(*this, *args.in[1], args.training, args.random);
  for (int64_t n = 0; n < batch; ++n) {
    const float* x = args.in[0]->data<float>() + n * size;
    const float* w = weights.of_sample(n);
    for (int64_t o = 0; o < nb_outputs; ++o) {
      double sum = args.in.size() == 3 ? static_cast<double>(args.in[2]->data<float>()[o]) : 0.0;
      for (int64_t i = 0; i < size; ++i) sum += static_cast<double>(w[o * size + i]) * x[i];
      args.out[0]->data<float>()[n * nb_outputs + o] = static_cast<float>(sum);
    }
  }
}

bool Fc::backward(const graph::BackwardArgs& args) const {
  const int64_t batch = args.in[0]->shape().n(), size = args.in[0]->elements() / batch;
  const float* d_out = args.d_out[0]->data<float>();
  Weights weights(*this, *args.in[1], true, args.random);
  std::vector<double> sum(static_cast<size_t>(size));
  if (args.d_in[0])
    for (int64_t n = 0; n < batch; ++n) {
      const float* w = weights.of_sample(n);
      std::fill(sum.begin(), sum.end(), 0.0);
      for (int64_t o = 0; o < nb_outputs; ++o)
        for (int64_t i = 0; i < size; ++i)
          sum[i] += static_cast<double>(w[o * size + i]) * d_out[n * nb_outputs + o];
      std::copy(sum.begin(), sum.end(), args.d_in[0]->data<float>() + n * size);
    }
  if (args.d_in[1]) weights_gradient(args, weights);
  if (args.d_in.size() == 3 && args.d_in[2])
    for (int64_t o = 0; o < nb_outputs; ++o) {
      double total = 0;
      for (int64_t n = 0; n < batch; ++n) total += d_out[n * nb_outputs + o];
      args.d_in[2]->data<float>()[o] = static_cast<float>(total);
    }
  return true;
}

void Fc::weights_gradient(const graph::BackwardArgs& args, Weights& weights) const {
  const int64_t batch = args.in[0]->shape().n(), size = args.in[0]->elements() / batch;
  const float* x = args.in[0]->data<float>();
  const float* d_out = args.d_out[0]->data<float>();
  float* d_w = args.d_in[1]->data<float>();
  std::vector<double> sum(static_cast<size_t>(nb_outputs * size), 0.0);
  for (int64_t n = 0; n < batch; ++n) {
    const std::vector<float>& gains = weights.gains(n);
    for (int64_t o = 0; o < nb_outputs; ++o) {
      const double d = d_out[n * nb_outputs + o];
      double* row = sum.data() + o * size;
      for (int64_t i = 0; i < size; ++i)
        row[i] += d * x[n * size + i] * (gains.empty() ? 1.0 : gains[static_cast<size_t>(o * size + i)]);
    }
  }
  std::copy(sum.begin(), sum.end(), d_w);
  if (!normalize) return;
  std::vector<float> row(static_cast<size_t>(size));
  for (int64_t o = 0; o < nb_outputs; ++o) {
    std::copy_n(d_w + o * size, size, row.begin());
    normalize_backward(args.in[1]->data<float>() + o * size, row.data(), size, 1, d_w + o * size);
  }
}

graph::IntegerForm Fc::integer_form(std::span<const Shape> in) const {
  if (normalize) return not_removed();
  graph::IntegerForm form = graph::rescaled_values({1});
  form.weighted = true;
  form.taps = in[0].h() * in[0].w();
  form.inside_sums = [outputs = nb_outputs](const Tensor& weights) {
    const std::vector<int64_t> values = widened(weights);
    std::vector<int64_t> sums(static_cast<size_t>(outputs), 0);
    const size_t row = values.size() / sums.size();
    for (size_t i = 0; i < values.size(); ++i) sums[i / row] += values[i];
    return std::vector<std::vector<int64_t>>{std::move(sums)};
  };
  return form;
}

void Fc::integers(const graph::IntegerArgs& args) const {
  const graph::Integers &x = *args.in[0], &weights = *args.in[1];
  const auto size = static_cast<int64_t>(x.values.size());
  for (int64_t o = 0; o < nb_outputs; ++o) {
    int64_t sum = args.in.size() == 3 ? (*args.in[2])[o] : 0;
    for (int64_t i = 0; i < size; ++i) sum += weights[o * size + i] * x[i];
    (*args.out[0])[o] = args.rounding.sum(sum, o);
  }
}

void Fc::turned(graph::TurnedNode& node) const {
  if (!node.orders.at(0) && (node.in[0].h() == 1 || node.in[0].w() == 1)) return;
  node.changed[1] = graph::with_columns(node.constant(1), 1, node.index_of_input());
}

void register_fc(graph::OperatorRegistry& registry);
void register_fc(graph::OperatorRegistry& registry) {
  graph::register_operator<Fc>(registry);
}

}  // namespace n2d2::ops
