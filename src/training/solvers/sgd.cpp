#include "learning_rate_policy.hpp"
#include "solver_base.hpp"

namespace n2d2::training {

namespace {

/// Stochastic gradient descent with momentum and weight decay:
///   v <- Momentum v - rate / (B n) G - Decay rate w;   w <- clamp(w + v)
/// with G the gradient of the loss (to be descended) summed over n = IterationSize batches of B.
/// G is the gradient; N2D2 writes the rule for g = -G.
struct Sgd final : SolverBase<Sgd>, RateSchedule {
  static constexpr const char* kType = "SGD";
  double learning_rate = 0.01, momentum = 0, weight_decay = 0, polyak_momentum = 1;
  int64_t iteration_size = 1;
  ClampRange clamping;

  template <class V>
  static void fields(V&& v) {
    v("LearningRate", &Sgd::learning_rate, at_least(0), help("0 freezes the tensor"));
    v("Momentum", &Sgd::momentum, at_least(0), at_most(1), help("share of the last change that is kept"));
    v("Decay", &Sgd::weight_decay, at_least(0), help("L2 weight decay"));
    v("IterationSize", &Sgd::iteration_size, at_least(1), help("batches an update"));
    v("Clamping", &Sgd::clamping, help("bounds of the weights, min:max"));
    v("LearningRatePolicy", &Sgd::policy, help("how the learning rate falls"));
    v("LearningRateStepSize", &Sgd::step_size, at_least(0), help("stimuli a step of the policy"));
    v("LearningRateDecay", &Sgd::decay, help("factor or slope of the policy"));
    v("Power", &Sgd::power, help("exponent of PolyDecay and InvDecay"));
    v("MaxIterations", &Sgd::max_iterations, at_least(0), help("length of PolyDecay and CosineDecay"));
    v("WarmUpDuration", &Sgd::warm_up_duration, at_least(0), help("steps before CosineDecay falls"));
    v("WarmUpLRFrac", &Sgd::warm_up_fraction, help("CosineDecay: share of the rate at the start"));
    v("MinDecay", &Sgd::min_decay, help("CosineDecay: share of the rate at the end"));
    v("PolyakMomentum", &Sgd::polyak_momentum, help("only 1 is supported"));
  }

  bool is_frozen() const override { return learning_rate == 0; }
  double base_rate() const override { return learning_rate; }
  void fix_rate(double rate) override {
    learning_rate = rate;
    policy = LearningRatePolicy::None;
  }
  double rate(const SolverState& state, int64_t batch_size) const override {
    return learning_rate * rate_factor(*this, state.updates, iteration_size, batch_size);
  }
  void check(std::span<const KeySource* const> keys, Diagnostics& diagnostics) const override;
  std::string settle(int64_t batches, int64_t batch_size) override;
  void step(std::span<float> weights, std::span<const float> gradient, int64_t batch_size,
            SolverState& state) const override;

 private:
  void update(std::span<float> weights, std::span<const float> gradient, int64_t batch_size,
              SolverState& state) const;
};

void Sgd::check(std::span<const KeySource* const> keys, Diagnostics& diagnostics) const {
  const std::string policy_name = ValueText<LearningRatePolicy>::print(policy);
  if (polyak_momentum != 1)
    report_at_key(
        keys, "PolyakMomentum",
        fmt::format("expected 1, got '{}': other momentum is not supported", print_real(polyak_momentum)), {},
        diagnostics);
  if (counts_steps(policy) && step_size == 0)
    report_at_key(keys, "LearningRateStepSize",
                  fmt::format("expected an integer >= 1 with LearningRatePolicy={}, got '0'", policy_name),
                  "the unit is stimuli; [sp]_EpochSize is one epoch", diagnostics);
  if (policy == LearningRatePolicy::CosineDecay && max_iterations > 0 && max_iterations <= warm_up_duration)
    report_at_key(keys, "MaxIterations",
                  fmt::format("expected more steps than WarmUpDuration = {}, got '{}'", warm_up_duration,
                              max_iterations),
                  {}, diagnostics);
}

std::string Sgd::settle(int64_t batches, int64_t batch_size) {
  if (!needs_max_iterations(policy) || max_iterations > 0) return {};
  const int64_t updates = std::max<int64_t>(1, batches / iteration_size);
  const bool in_steps = counts_steps(policy);
  max_iterations =
      in_steps ? std::max<int64_t>(1, updates * iteration_size * batch_size / step_size) : updates;
  return fmt::format("MaxIterations=0 with {}: taken as {} {}, the length of this run",
                     ValueText<LearningRatePolicy>::print(policy), with_thousands(max_iterations),
                     in_steps ? "steps" : "updates");
}

void Sgd::update(std::span<float> weights, std::span<const float> gradient, int64_t batch_size,
                 SolverState& state) const {
  const double now = rate(state, batch_size);
  const auto scale = static_cast<float>(now / static_cast<double>(batch_size * iteration_size));
  const auto shrink = static_cast<float>(weight_decay * now);
  const auto keep = static_cast<float>(momentum);
  state.first.resize(weights.size());
  float* const w = weights.data();
  float* const v = state.first.data();
  const float* const g = gradient.data();
  for_blocks(weights.size(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      v[i] = keep * v[i] - scale * g[i] - shrink * w[i];
      w[i] += v[i];
    }
    clamp_weights(weights.subspan(begin, end - begin), clamping);
  });
  ++state.updates;
}

void Sgd::step(std::span<float> weights, std::span<const float> gradient, int64_t batch_size,
               SolverState& state) const {
  N2D2_CHECK(weights.size() == gradient.size(), "{} weights, {} gradients", weights.size(), gradient.size());
  if (is_frozen()) return;
  if (iteration_size == 1) {
    update(weights, gradient, batch_size, state);
    return;
  }
  state.accumulated.resize(weights.size());
  for (size_t i = 0; i < gradient.size(); ++i) state.accumulated[i] += gradient[i];
  if (++state.batches < iteration_size) return;
  update(weights, state.accumulated, batch_size, state);
  std::fill(state.accumulated.begin(), state.accumulated.end(), 0.0F);
  state.batches = 0;
}

}  // namespace

void register_sgd(SolverRegistry& registry);
void register_sgd(SolverRegistry& registry) {
  register_solver<Sgd>(registry);
}

}  // namespace n2d2::training
