#include "n2d2/base/random.hpp"

#include "quantizer_base.hpp"

namespace n2d2::training {

enum class PruningMode { Identity, Static, Gradual };
enum class PruningFiller { None, Random, IterNonStruct };

}  // namespace n2d2::training

template <>
struct n2d2::EnumText<n2d2::training::PruningMode> {
  static constexpr std::array names{"Identity", "Static", "Gradual"};
};
template <>
struct n2d2::EnumText<n2d2::training::PruningFiller> {
  static constexpr std::array names{"None", "Random", "IterNonStruct"};
};

namespace n2d2::training {

namespace {

/// Weights times a mask of 0 and 1: a share of them is 0, drawn or the smallest. The share is exact: of n
/// weights, ceil(share n).
/// Gradual: Source: Zhu, Gupta 2017 (arXiv 1710.01878), with a share that grows by equal amounts.
struct Prune final : QuantizerBase<Prune> {
  static constexpr const char* kType = "Prune";
  PruningMode mode = PruningMode::Identity;
  PruningFiller filler = PruningFiller::Random;
  double threshold = 0.2, delta = 0.001, start_threshold = 0.1, gamma_threshold = 0.05;
  int64_t step_size_threshold = 0;

  template <class V>
  static void fields(V&& v) {
    v("PruningMode", &Prune::mode, help("whether weights become 0, and when"));
    v("PruningFiller", &Prune::filler, help("which ones: drawn, or the smallest"));
    v("Threshold", &Prune::threshold, at_least(0), help("share of zeros, below 1"));
    v("Delta", &Prune::delta, help("no effect: the share of IterNonStruct is exact"));
    v("StartThreshold", &Prune::start_threshold, at_least(0), help("Gradual: first share"));
    v("StepSizeThreshold", &Prune::step_size_threshold, at_least(0),
      help("Gradual: stimuli between two raises of the share; 0: the interval of logs"));
    v("GammaThreshold", &Prune::gamma_threshold, help("Gradual: what a raise adds"));
  }

  void check(std::span<const KeySource* const> keys, Diagnostics& diagnostics) const override {
    const auto below_one = [&](std::string_view key, double value) {
      if (!(value < 1))
        report_at_key(keys, key, fmt::format("expected a number < 1, got '{}'", print_real(value)), {},
                      diagnostics);
    };
    const auto above_zero = [&](std::string_view key, double value) {
      if (!(value > 0))
        report_at_key(keys, key, fmt::format("expected a number > 0, got '{}'", print_real(value)), {},
                      diagnostics);
    };
    below_one("Threshold", threshold);
    below_one("StartThreshold", start_threshold);
    above_zero("Delta", delta);
    above_zero("GammaThreshold", gamma_threshold);
  }

  std::optional<IntegerWeights> integers(std::span<const float>) const override { return std::nullopt; }
  void backward(std::span<const float>, std::span<const float> d_weights, std::span<float> d_masters,
                std::span<float>) const override {
    for (size_t i = 0; i < d_weights.size(); ++i) d_masters[i] = d_weights[i] * state_.mask[i];
  }
  void advance(std::span<const float> masters, int64_t stimuli) override {
    if (mode != PruningMode::Gradual || filler == PruningFiller::None) return;
    const int64_t interval = step_size_threshold > 0 ? step_size_threshold : weights_.log_interval;
    if (interval <= 0 || stimuli / interval <= state_.raises) return;
    const double before = share();
    state_.raises = stimuli / interval;
    if (share() != before) make_mask(masters);
  }

  std::pair<size_t, size_t> sizes() const override {
    return {0, static_cast<size_t>(weights_.shape.elements())};
  }

 protected:
  void first_state(std::span<const float> masters) override {
    state_.mask.assign(masters.size(), 1.0F);
    if (mode != PruningMode::Identity && filler != PruningFiller::None) make_mask(masters);
  }
  void forward_real(std::span<const float> masters, std::span<float> weights) const override {
    for (size_t i = 0; i < masters.size(); ++i) weights[i] = masters[i] * state_.mask[i];
  }

 private:
  double share() const {
    if (mode != PruningMode::Gradual) return threshold;
    return std::min(threshold, start_threshold + gamma_threshold * static_cast<double>(state_.raises));
  }
  void make_mask(std::span<const float> masters);
};

void Prune::make_mask(std::span<const float> masters) {
  constexpr double kRounding = 1e-9;  // of products like 0.1 * 30
  std::vector<size_t> places;
  for (size_t i = 0; i < masters.size(); ++i)
    if (is_used(i)) places.push_back(i);
  const auto zeros =
      std::min(places.size(),
               static_cast<size_t>(std::ceil(share() * static_cast<double>(places.size()) - kRounding)));
  if (filler == PruningFiller::Random) {
    // One order for all shares: a raise adds zeros to those there are.
    Rng rng(weights_.seed, "pruned:" + weights_.name);
    const std::vector<int64_t> order = shuffled(static_cast<int64_t>(places.size()), rng);
    std::vector<size_t> drawn;
    for (const int64_t at : order) drawn.push_back(places[static_cast<size_t>(at)]);
    places = std::move(drawn);
  } else {
    const auto smaller = [&](size_t a, size_t b) {
      const float size_a = std::abs(masters[a]), size_b = std::abs(masters[b]);
      return size_a != size_b ? size_a < size_b : a < b;
    };
    std::nth_element(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(zeros), places.end(),
                     smaller);
  }
  state_.mask.assign(masters.size(), 1.0F);
  for (size_t k = 0; k < zeros; ++k) state_.mask[places[k]] = 0;
}

}  // namespace

void register_prune(QuantizerRegistry& registry);
void register_prune(QuantizerRegistry& registry) {
  register_quantizer<Prune>(registry);
}

}  // namespace n2d2::training
