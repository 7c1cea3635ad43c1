#include <cmath>

#include "solver_base.hpp"

namespace n2d2::training {

namespace {

/// m <- Beta1 m + (1 - Beta1) G;  v <- Beta2 v + (1 - Beta2) G^2;
/// w <- clamp(w - LearningRate m' / (sqrt(v') + Epsilon)),  m' = m / (1 - Beta1^t),  v' = v / (1 - Beta2^t)
/// with G the gradient of the loss summed (not averaged) over the batch.
/// Source: Kingma & Ba 2015, algorithm 1.
struct Adam final : SolverBase<Adam> {
  static constexpr const char* kType = "Adam";
  double learning_rate = 0.001, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  ClampRange clamping;

  template <class V>
  static void fields(V&& v) {
    v("LearningRate", &Adam::learning_rate, at_least(0), help("0 freezes the tensor"));
    v("Beta1", &Adam::beta1, at_least(0), at_most(0.9999999), help("memory of the mean gradient"));
    v("Beta2", &Adam::beta2, at_least(0), at_most(0.9999999), help("memory of the mean squared gradient"));
    v("Epsilon", &Adam::epsilon, at_least(0), help("added to the root of the mean squared gradient"));
    v("Clamping", &Adam::clamping, help("bounds of the weights, min:max"));
  }

  bool is_frozen() const override { return learning_rate == 0; }
  double base_rate() const override { return learning_rate; }
  void fix_rate(double rate) override { learning_rate = rate; }
  double rate(const SolverState&, int64_t) const override { return learning_rate; }
  void check(std::span<const KeySource* const>, Diagnostics&) const override {}
  std::string settle(int64_t, int64_t) override { return {}; }
  void step(std::span<float> weights, std::span<const float> gradient, int64_t batch_size,
            SolverState& state) const override;
};

void Adam::step(std::span<float> weights, std::span<const float> gradient, int64_t,
                SolverState& state) const {
  N2D2_CHECK(weights.size() == gradient.size(), "{} weights, {} gradients", weights.size(), gradient.size());
  if (is_frozen()) return;
  state.first.resize(weights.size());
  state.second.resize(weights.size());
  const auto t = static_cast<double>(++state.updates);
  // Both corrections are taken out of the loop: m'/(sqrt(v') + e) = c m / (sqrt(v) + e root) with
  // root = sqrt(1 - Beta2^t) and c = root / (1 - Beta1^t).
  const double root = std::sqrt(1 - std::pow(beta2, t));
  const auto scale = static_cast<float>(learning_rate * root / (1 - std::pow(beta1, t)));
  const auto eps = static_cast<float>(epsilon * root);
  const auto b1 = static_cast<float>(beta1), b2 = static_cast<float>(beta2);
  const auto c1 = static_cast<float>(1 - beta1), c2 = static_cast<float>(1 - beta2);
  float* const w = weights.data();
  float* const m = state.first.data();
  float* const v = state.second.data();
  const float* const g = gradient.data();
  for_blocks(weights.size(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      m[i] = b1 * m[i] + c1 * g[i];
      v[i] = b2 * v[i] + c2 * g[i] * g[i];
      // 0 / 0 with Epsilon = 0 and a gradient that was always 0: no change.
      const float denominator = std::sqrt(v[i]) + eps;
      if (denominator > 0) w[i] -= scale * m[i] / denominator;
    }
    clamp_weights(weights.subspan(begin, end - begin), clamping);
  });
}

}  // namespace

void register_adam(SolverRegistry& registry);
void register_adam(SolverRegistry& registry) {
  register_solver<Adam>(registry);
}

}  // namespace n2d2::training
