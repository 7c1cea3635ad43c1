#include "quantized_constants.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace n2d2::training {

QuantizedConstants::QuantizedConstants(graph::Graph& graph, std::vector<LearntConstant>& learnt,
                                       int64_t batch_size)
    : graph_(graph), batch_size_(batch_size) {
  for (size_t i = 0; i < learnt.size(); ++i) {
    const graph::Value& value = graph.value(learnt[i].value);
    const bool is_step = std::any_of(value.uses.begin(), value.uses.end(), [&](const graph::Use& use) {
      return graph::is_learnt_step(graph.op(use.node).input_role(use.slot));
    });
    if (!learnt[i].quantizer && !is_step) continue;
    One& one = all_[i];
    one.learnt = &learnt[i];
    one.quantizer = learnt[i].quantizer.get();
    if (one.quantizer == nullptr) continue;
    one.other = Tensor(value.type.shape);
    one.d_master = Tensor(value.type.shape);
  }
}

void QuantizedConstants::enter() {
  for (auto& [i, one] : all_) {
    if (one.quantizer == nullptr) continue;
    const graph::Value& value = graph_.value(one.learnt->value);
    const std::span<const float> masters = value.constant->span();
    if (!std::all_of(masters.begin(), masters.end(), [](float w) { return std::isfinite(w); }))
      throw Diverged(fmt::format("learning diverged: a weight of '{}' is not finite", value.name), {},
                     "a lower Solvers.LearningRate");
    one.quantizer->forward(masters, one.other.span());
  }
  swap();
}

void QuantizedConstants::swap() {
  for (auto& [i, one] : all_)
    if (one.quantizer != nullptr) std::swap(graph_.mutable_constant(one.learnt->value), one.other);
}

void QuantizedConstants::learn(size_t i, const Tensor& gradient, SolverState& state) {
  One& one = all_.at(i);
  const LearntConstant* learnt = one.learnt;
  const std::span<float> masters = graph_.mutable_constant(learnt->value).span();
  if (one.quantizer == nullptr) {
    if (!one.bounds.is_started) one.bounds = {true, {}, {masters.begin(), masters.end()}, {}, 0};
    learnt->solver->step(masters, gradient.span(), batch_size_, state);
    bound(one);
    return;
  }
  WeightQuantizer& quantizer = *one.quantizer;
  one.d_steps.resize(quantizer.steps().size());
  quantizer.backward(masters, gradient.span(), one.d_master.span(), one.d_steps);
  if (!learnt->solver->is_frozen()) learnt->solver->step(masters, one.d_master.span(), batch_size_, state);
  if (quantizer.steps().empty() || !learnt->step_solver || learnt->step_solver->is_frozen()) return;
  learnt->step_solver->step(quantizer.steps(), one.d_steps, batch_size_, one.step_solver);
  quantizer.bound_steps();
}

/// A learnt step keeps its sign, and 2^-20 of its first size.
void QuantizedConstants::bound(One& one) {
  constexpr float kLeast = 0x1p-20F;
  const std::span<float> steps = graph_.mutable_constant(one.learnt->value).span();
  for (size_t k = 0; k < steps.size(); ++k) {
    const float least = kLeast * one.bounds.starts[k];
    steps[k] = least < 0 ? std::min(steps[k], least) : std::max(steps[k], least);
  }
}

void QuantizedConstants::advance(int64_t stimuli) {
  for (auto& [i, one] : all_)
    if (one.quantizer != nullptr)
      one.quantizer->advance(graph_.value(one.learnt->value).constant->span(), stimuli);
}

void QuantizedConstants::set_log_interval(int64_t stimuli) {
  for (auto& [i, one] : all_)
    if (one.quantizer != nullptr) one.quantizer->set_log_interval(stimuli);
}

std::vector<TrainerState::Quantizer> QuantizedConstants::states() const {
  std::vector<TrainerState::Quantizer> out;
  for (const auto& [i, one] : all_)
    out.push_back({graph_.value(one.learnt->value).name, state_of(one),
                   has_best_ ? one.best : QuantizerState(), one.step_solver});
  return out;
}

void QuantizedConstants::restore(std::vector<TrainerState::Quantizer> states) {
  N2D2_CHECK(states.size() == all_.size(), "a state of {} quantizers for {}", states.size(), all_.size());
  auto state = states.begin();
  for (auto& [i, one] : all_) {
    N2D2_CHECK(state->name == graph_.value(one.learnt->value).name, "'{}' in the state is '{}' in the graph",
               state->name, graph_.value(one.learnt->value).name);
    if (one.quantizer != nullptr)
      one.quantizer->restore(std::move(state->now));
    else
      one.bounds = std::move(state->now);
    one.best = std::move(state->best);
    has_best_ = has_best_ || one.best.is_started;
    one.step_solver = std::move(state->step_solver);
    ++state;
  }
}

void QuantizedConstants::keep_best() {
  has_best_ = true;
  for (auto& [i, one] : all_) one.best = state_of(one);
}

void QuantizedConstants::take_best() {
  for (auto& [i, one] : all_) {
    if (!has_best_) continue;
    if (one.quantizer != nullptr)
      one.quantizer->restore(one.best);
    else
      one.bounds = one.best;
  }
}

}  // namespace n2d2::training
