#include "n2d2/training/weight_quantizer.hpp"

#include "quantizer_base.hpp"

namespace n2d2::training {

void register_all_quantizers(QuantizerRegistry& registry);

const QuantizerRegistry& quantizers() {
  static const QuantizerRegistry registry = [] {
    QuantizerRegistry filled;
    register_all_quantizers(filled);
    return filled;
  }();
  return registry;
}

std::unique_ptr<WeightQuantizer> make_quantizer(std::string_view type, std::span<const KeySource* const> keys,
                                                Diagnostics& diagnostics) {
  N2D2_CHECK(!keys.empty(), "a quantizer needs a place to be read from");
  const QuantizerEntry* entry = quantizers().find(type);
  if (entry == nullptr) {
    diagnostics.error(keys.front()->where(),
                      fmt::format("{} {}", keys.front()->subject(), quantizers().unknown("quantizer", type)));
    return nullptr;
  }
  const size_t errors_before = diagnostics.errors().size();
  std::unique_ptr<WeightQuantizer> quantizer = entry->make();
  for (const KeySource* source : keys) quantizer->read(*source, diagnostics);
  if (diagnostics.errors().size() == errors_before) quantizer->check(keys, diagnostics);
  if (diagnostics.errors().size() != errors_before) return nullptr;
  return quantizer;
}

std::unique_ptr<WeightQuantizer> make_quantizer(std::string_view type, const KeySource& keys,
                                                Diagnostics& diagnostics) {
  const KeySource* source = &keys;
  return make_quantizer(type, {&source, 1}, diagnostics);
}

void dequantize(const IntegerWeights& from, std::span<float> weights) {
  N2D2_CHECK(from.values.size() == weights.size() && !from.steps.empty(), "{} integers for {} weights",
             from.values.size(), weights.size());
  const size_t run = weights.size() / from.steps.size();
  N2D2_CHECK(run * from.steps.size() == weights.size(), "{} steps for {} weights", from.steps.size(),
             weights.size());
  for (size_t output = 0; output < from.steps.size(); ++output) {
    const float step = from.steps[output];
    for (size_t i = output * run; i < (output + 1) * run; ++i)
      weights[i] = static_cast<float>(from.values[i]) * step;
  }
}

void WeightQuantizer::bind(QuantizedWeights weights) {
  const auto elements = static_cast<size_t>(weights.shape.elements());
  N2D2_CHECK(weights.shape.rank() >= 2 && elements > 0, "no weights of {} are quantized",
             weights.shape.text());
  N2D2_CHECK(weights.used.empty() || weights.used.size() == elements, "{} marks for {} weights",
             weights.used.size(), elements);
  const int64_t extent = std::accumulate(weights.parts.begin(), weights.parts.end(), int64_t{0});
  N2D2_CHECK(weights.parts.empty() || extent == weights.shape[1], "parts of '{}' do not add up to {}",
             weights.name, weights.shape[1]);
  weights_ = std::move(weights);
  state_ = {};
}

int64_t WeightQuantizer::count_used() const {
  if (weights_.used.empty()) return weights_.shape.elements();
  return std::count_if(weights_.used.begin(), weights_.used.end(), [](char used) { return used != 0; });
}

void WeightQuantizer::start(std::span<const float> masters) {
  N2D2_CHECK(static_cast<int64_t>(masters.size()) == weights_.shape.elements(), "{} masters for {} weights",
             masters.size(), weights_.shape.elements());
  if (state_.is_started) return;
  first_state(masters);
  state_.starts = state_.steps;
  state_.is_started = true;
}

void WeightQuantizer::forward(std::span<const float> masters, std::span<float> weights) {
  start(masters);
  if (const auto found = integers(masters))
    dequantize(*found, weights);
  else
    forward_real(masters, weights);
}

void WeightQuantizer::bound_steps() {
  constexpr float kLeast = 0x1p-20F;
  for (size_t i = 0; i < state_.steps.size(); ++i)
    state_.steps[i] = std::max(state_.steps[i], kLeast * state_.starts[i]);
}

void WeightQuantizer::restore(QuantizerState state) {
  const auto [steps, mask] = sizes();
  N2D2_CHECK(!state.is_started ||
                 (state.steps.size() == steps && state.starts.size() == steps && state.mask.size() == mask),
             "a state of {} steps and {} marks for {} and {}", state.steps.size(), state.mask.size(), steps,
             mask);
  state_ = std::move(state);
}

}  // namespace n2d2::training
