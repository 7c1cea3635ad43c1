#include "n2d2/base/clones.hpp"

#include "quantizer_base.hpp"

namespace n2d2::training {

namespace {

N2D2_CLONES
void round_to_steps(const float* w, float step, float least, float most, int32_t* q, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const float v = std::min(std::max(least, w[i] / step), most);
    q[i] = static_cast<int32_t>(nearest_whole(v));
  }
}

/// Learned step size quantization: w / s rounded to integers of [-(R + 1) / 2, (R - 1) / 2], s is learnt.
/// Source: Esser et al. 2019 (arXiv 1902.08153), equations 1 to 5 and section 2.2.
struct Lsq final : QuantizerBase<Lsq> {
  static constexpr const char* kType = "LSQ";
  int range = 255;
  double step_size = 100;
  bool set_opt_init_step_size = true, per_channel = false;
  StepStart init = StepStart::Auto;

  template <class V>
  static void fields(V&& v) {
    v("Range", &Lsq::range, at_least(3), at_most(65535),
      help("steps of the grid, odd: 255 are 8 bits, 3 are 2"));
    v("StepSize", &Lsq::step_size, help("first step with SetOptInitStepSize=0"));
    v("SetOptInitStepSize", &Lsq::set_opt_init_step_size, help("the first step follows from the weights"));
    v("PerChannel", &Lsq::per_channel, help("a step for each output"));
    v("Init", &Lsq::init, help("Calibrated: the first step has the least squared error"));
  }

  void check(std::span<const KeySource* const> keys, Diagnostics& diagnostics) const override {
    if (range % 2 == 0)
      report_at_key(keys, "Range", fmt::format("expected an odd integer >= 3 with LSQ, got '{}'", range),
                    "b bits are 2^b - 1 steps: 255, 15, 7 or 3", diagnostics);
    if (!(static_cast<float>(step_size) > 0))
      report_at_key(keys, "StepSize", fmt::format("expected a number > 0, got '{}'", print_real(step_size)),
                    {}, diagnostics);
  }

  std::optional<IntegerWeights> integers(std::span<const float> masters) const override;
  void backward(std::span<const float> masters, std::span<const float> d_weights, std::span<float> d_masters,
                std::span<float> d_steps) const override;

  std::pair<size_t, size_t> sizes() const override { return {per_channel ? outputs() : 1, 0}; }

 protected:
  void first_state(std::span<const float> masters) override;
  void forward_real(std::span<const float>, std::span<float>) const override {}

 private:
  int least() const { return -(range + 1) / 2; }
  int most() const { return (range - 1) / 2; }
  size_t run(size_t elements) const { return elements / state_.steps.size(); }
  double mean_size(std::span<const float> masters, size_t first, size_t last, bool first_part) const;
  double best_step(std::span<const float> masters, size_t first, size_t last) const;
};

/// Mean of |w| over weights [first, last), of those alone that read the first input where `first_part`.
double Lsq::mean_size(std::span<const float> masters, size_t first, size_t last, bool first_part) const {
  const auto extent = static_cast<size_t>(weights_.shape[1]);
  const size_t taps = masters.size() / (outputs() * extent);
  const size_t part = first_part && !weights_.parts.empty() ? static_cast<size_t>(weights_.parts[0]) : extent;
  const auto [sum, count] = block_sums<2>(last - first, [&](size_t i) {
    const bool counts = is_used(first + i) && (first + i) / taps % extent < part;
    return std::array{counts ? std::abs(double{masters[first + i]}) : 0.0, counts ? 1.0 : 0.0};
  });
  return count > 0 ? sum / count : 0;
}

/// The step with the least squared error of 1,000 up to that which clips nothing, on at most 65,536 weights;
/// the largest of equals. Calibration after learning searches thresholds so, on a histogram.
double Lsq::best_step(std::span<const float> masters, size_t first, size_t last) const {
  constexpr int kSteps = 1000;
  constexpr size_t kMost = 65536;
  float size = 0;
  for (size_t i = first; i < last; ++i) size = std::max(size, std::abs(masters[i]));
  const size_t stride = std::max<size_t>(1, (last - first) / kMost);
  double best = 0, least_error = 0;
  for (int k = kSteps; k > 0 && size > 0; --k) {
    const double s = double{size} / most() * k / kSteps;
    const double error = block_sums<1>((last - first) / stride, [&](size_t i) {
      const double w = masters[first + i * stride];
      const double off = std::min<double>(std::max<double>(nearest_whole(w / s), least()), most()) * s - w;
      return std::array{off * off};
    })[0];
    if (best == 0 || error < least_error) {
      best = s;
      least_error = error;
    }
  }
  return best;
}

void Lsq::first_state(std::span<const float> masters) {
  state_.steps.assign(sizes().first, static_cast<float>(step_size));
  if (!set_opt_init_step_size && init == StepStart::Auto) return;
  const size_t width = run(masters.size());
  const double root = std::sqrt(static_cast<double>(most()));
  const double of_all = 2 * mean_size(masters, 0, masters.size(), false) / root;
  for (size_t k = 0; k < state_.steps.size(); ++k) {
    const size_t first = k * width, last = first + width;
    const double step = init == StepStart::Calibrated
                            ? best_step(masters, first, last)
                            : 2 * mean_size(masters, first, last, !per_channel) / root;
    state_.steps[k] = static_cast<float>(step > 0 ? step : of_all > 0 ? of_all : 1);
  }
}

std::optional<IntegerWeights> Lsq::integers(std::span<const float> masters) const {
  N2D2_CHECK(state_.is_started, "'{}' has no step yet", weights_.name);
  IntegerWeights out;
  out.values.resize(masters.size());
  out.steps = state_.steps;
  out.lowest = least();
  out.highest = most();
  const size_t width = run(masters.size());
  for_blocks(masters.size(), [&](size_t begin, size_t end) {
    for (size_t at = begin; at < end;) {
      const size_t k = at / width, until = std::min(end, (k + 1) * width);
      round_to_steps(masters.data() + at, out.steps[k], static_cast<float>(least()),
                     static_cast<float>(most()), out.values.data() + at, until - at);
      at = until;
    }
  });
  for (size_t i = 0; i < weights_.used.size(); ++i)
    if (weights_.used[i] == 0) out.values[i] = 0;
  return out;
}

void Lsq::backward(std::span<const float> masters, std::span<const float> d_weights,
                   std::span<float> d_masters, std::span<float> d_steps) const {
  N2D2_CHECK(d_steps.size() == state_.steps.size(), "{} gradients for {} steps", d_steps.size(),
             state_.steps.size());
  const size_t width = run(masters.size());
  const float low = static_cast<float>(least()), high = static_cast<float>(most());
  for (size_t k = 0; k < state_.steps.size(); ++k) {
    const float step = state_.steps[k];
    const auto [sum, count] = block_sums<2>(width, [&](size_t j) {
      const size_t i = k * width + j;
      const float v = masters[i] / step;
      const bool is_within = v > low && v < high;
      d_masters[i] = is_within && is_used(i) ? d_weights[i] : 0.0F;
      if (!is_used(i)) return std::array{0.0, 0.0};
      const double slope = is_within ? nearest_whole(v) - double{v} : v <= low ? least() : most();
      return std::array{slope * double{d_weights[i]}, 1.0};
    });
    d_steps[k] = static_cast<float>(count > 0 ? sum / std::sqrt(count * most()) : 0);
  }
}

}  // namespace

void register_lsq(QuantizerRegistry& registry);
void register_lsq(QuantizerRegistry& registry) {
  register_quantizer<Lsq>(registry);
}

}  // namespace n2d2::training
