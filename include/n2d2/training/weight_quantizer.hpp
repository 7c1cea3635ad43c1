// Which numbers does a layer compute with in place of the weights that it learns?
//
//   masters --quantize--> integers, steps --product--> weights of the graph --> layer
//   masters <--gradient-- weights of the graph <-- layer
//
// Solvers change the masters and the steps; everything else sees the weights of the graph.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "n2d2/base/fields.hpp"
#include "n2d2/base/registry.hpp"
#include "n2d2/tensor/tensor.hpp"

namespace n2d2::training {

/// What a step starts with: what the keys say, or what has the least squared error.
enum class StepStart { Auto, Calibrated };

/// The weights of a layer that a quantizer works for.
struct QuantizedWeights {
  std::string name;  ///< of the constant: it keys what is drawn
  Shape shape;       ///< O,I,H,W (Conv) or O,I (Fc)
  /// Extents along axis 1 that come from different inputs of the layer; empty: one input.
  std::vector<int64_t> parts;
  /// Marks the weights that a connection of the layer has; empty: all have. A weight without one is 0
  /// and takes part in no statistic.
  std::vector<char> used;
  uint64_t seed = 0;
  /// Stimuli between two logs of learning.
  int64_t log_interval = 0;
};

/// Weights as integers: weight i is float32(values[i]) * step of its output, one float32 product.
struct IntegerWeights {
  std::vector<int32_t> values;  ///< in the order of the weights
  std::vector<float> steps;     ///< one, or one an output (axis 0)
  int32_t lowest = 0, highest = 0;
  /// Values are 2k - highest, k = 0 .. highest: every second integer. A weight without connection is 0.
  bool codebook = false;
};

/// The weights that the integers stand for: the only place where that product is made.
void dequantize(const IntegerWeights& from, std::span<float> weights);

/// What a quantizer learnt or decided: with the masters, all that its weights follow from.
struct QuantizerState {
  bool is_started = false;
  std::vector<float> steps;   ///< LSQ: one, or one an output
  std::vector<float> starts;  ///< first values of the steps, which bound them
  std::vector<float> mask;    ///< Prune: 0 or 1 of each weight
  int64_t raises = 0;         ///< Prune, Gradual: how often the share of zeros was raised
  friend bool operator==(const QuantizerState&, const QuantizerState&) = default;
};

/// A rule with its parameters and, once bound to the weights of a layer, its state. Results do not depend on
/// the number of threads.
class WeightQuantizer {
 public:
  virtual ~WeightQuantizer() = default;
  /// "SAT"
  virtual std::string_view type() const = 0;
  virtual std::unique_ptr<WeightQuantizer> clone() const = 0;
  /// Takes the parameters that the source has ("Range", without the prefix "QWeight."); what it does not
  /// have keeps its value, so that sources can be read one over the other.
  virtual void read(const KeySource& keys, Diagnostics& diagnostics) = 0;
  /// Errors between parameters, each at the key in question.
  virtual void check(std::span<const KeySource* const> keys, Diagnostics& diagnostics) const = 0;
  /// The parameters that differ from their defaults.
  virtual std::vector<std::pair<std::string, std::string>> fields_text() const = 0;

  /// The layer that it works for, before anything else. Its state is that of a fresh one.
  void bind(QuantizedWeights weights);
  const QuantizedWeights& weights() const { return weights_; }
  void set_log_interval(int64_t stimuli) { weights_.log_interval = stimuli; }

  /// Takes the first state from the masters, unless there is one.
  void start(std::span<const float> masters);
  /// The weights that the layer computes with; starts where nothing has.
  void forward(std::span<const float> masters, std::span<float> weights);
  /// The gradient of the masters, and of steps() where there are any, from that of the weights, which
  /// forward() made of the same masters. Both are overwritten.
  virtual void backward(std::span<const float> masters, std::span<const float> d_weights,
                        std::span<float> d_masters, std::span<float> d_steps) const = 0;
  /// The integers that forward() makes its weights of; nothing when its weights are no integers (Prune, and
  /// SAT with ApplyQuantization=0): forward() alone has them.
  virtual std::optional<IntegerWeights> integers(std::span<const float> masters) const = 0;

  /// Steps that a solver may change; empty: none are learnt.
  std::span<float> steps() { return state_.steps; }
  /// Steps never fall below 2^-20 of their first value: one that reaches 0 or less would end the learning.
  void bound_steps();
  /// After an update: what changes with the stimuli learnt so far (Gradual pruning).
  virtual void advance(std::span<const float> /*masters*/, int64_t /*stimuli*/) {}

  const QuantizerState& state() const { return state_; }
  /// Values of steps and of the mask that a state has once it is started.
  virtual std::pair<size_t, size_t> sizes() const { return {0, 0}; }
  /// Continues from a state of the same layer. InternalError when its sizes are others.
  void restore(QuantizerState state);

 protected:
  virtual void first_state(std::span<const float> masters) = 0;
  /// Weights of a quantizer that has no integers.
  virtual void forward_real(std::span<const float> masters, std::span<float> weights) const = 0;
  size_t outputs() const { return static_cast<size_t>(weights_.shape[0]); }
  bool is_used(size_t i) const { return weights_.used.empty() || weights_.used[i] != 0; }
  /// Weights with a connection.
  int64_t count_used() const;

  QuantizedWeights weights_;
  QuantizerState state_;
};

struct QuantizerEntry {
  std::function<std::unique_ptr<WeightQuantizer>()> make;
  std::vector<FieldHelp> fields;
};
using QuantizerRegistry = Registry<QuantizerEntry>;
/// LSQ, Prune, SAT.
const QuantizerRegistry& quantizers();

/// The quantizer of this name; later sources win over earlier ones. Errors (unknown name, bad value) go to
/// the diagnostics; then the result is null.
std::unique_ptr<WeightQuantizer> make_quantizer(std::string_view type, std::span<const KeySource* const> keys,
                                                Diagnostics& diagnostics);
std::unique_ptr<WeightQuantizer> make_quantizer(std::string_view type, const KeySource& keys,
                                                Diagnostics& diagnostics);

}  // namespace n2d2::training

template <>
struct n2d2::EnumText<n2d2::training::StepStart> {
  static constexpr std::array names{"Auto", "Calibrated"};
};
