// How does a gradient change a weight?
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "n2d2/base/fields.hpp"
#include "n2d2/base/registry.hpp"

namespace n2d2::training {

/// "min:max" of the Clamping parameter; a side left empty has no bound, "" has none. It was a switch in
/// earlier releases of N2D2:
/// "0" has no bounds, "1" is "-1:1".
struct ClampRange {
  float lo = -std::numeric_limits<float>::infinity();
  float hi = std::numeric_limits<float>::infinity();
  friend bool operator==(const ClampRange&, const ClampRange&) = default;
};

}  // namespace n2d2::training

template <>
struct n2d2::ValueText<n2d2::training::ClampRange> {
  static bool parse(std::string_view text, training::ClampRange& value);
  static std::string print(const training::ClampRange& value);
  static std::string kind() { return "'min:max' with min <= max (either may be left out)"; }
  static std::vector<double> numbers(const training::ClampRange&) { return {}; }
};

namespace n2d2::training {

/// What a solver remembers about one constant. A fresh state belongs to a constant that never learnt.
struct SolverState {
  int64_t updates = 0;             ///< updates done
  int64_t batches = 0;             ///< batches in `accumulated`
  std::vector<float> accumulated;  ///< gradient summed since the last update (IterationSize > 1)
  std::vector<float> first;        ///< SGD: velocity; Adam: mean gradient
  std::vector<float> second;       ///< Adam: mean squared gradient
  friend bool operator==(const SolverState&, const SolverState&) = default;
};

/// Parameters of an update rule; the state is kept by the caller, one for each constant.
class Solver {
 public:
  virtual ~Solver() = default;
  /// "SGD"
  virtual std::string_view type() const = 0;
  virtual std::unique_ptr<Solver> clone() const = 0;
  /// Takes the parameters that the source has ("LearningRate", without the prefix "Solvers."); what it does
  /// not have keeps its value, so that sources can be read one over the other.
  virtual void read(const KeySource& keys, Diagnostics& diagnostics) = 0;
  /// Errors between parameters, each at the key in question. `keys` as make_solver() was given them.
  virtual void check(std::span<const KeySource* const> keys, Diagnostics& diagnostics) const = 0;
  /// The parameters that differ from their defaults.
  virtual std::vector<std::pair<std::string, std::string>> fields_text() const = 0;

  /// Learning rate 0: the constant keeps its value.
  virtual bool is_frozen() const = 0;
  /// LearningRate, before any policy.
  virtual double base_rate() const = 0;
  /// Every update from here on has this rate, whatever the policy.
  virtual void fix_rate(double rate) = 0;
  /// Learning rate of the next update.
  virtual double rate(const SolverState& state, int64_t batch_size) const = 0;
  /// A parameter that says 0 for "as long as the run" gets its number: a run of `batches` batches of
  /// `batch_size` stimuli. Returns "MaxIterations=0 with PolyDecay: taken as 1,000 updates" or "" when there
  /// was nothing to settle.
  virtual std::string settle(int64_t batches, int64_t batch_size) = 0;
  /// Descends: weights change against `gradient`, which is summed over one batch of at most `batch_size`
  /// samples. The result does not depend on the number of threads.
  virtual void step(std::span<float> weights, std::span<const float> gradient, int64_t batch_size,
                    SolverState& state) const = 0;
};

struct SolverEntry {
  std::function<std::unique_ptr<Solver>()> make;
  std::vector<FieldHelp> fields;
};
using SolverRegistry = Registry<SolverEntry>;
/// Adam, SGD.
const SolverRegistry& solvers();

/// The solver of this name; later sources win over earlier ones. Errors (unknown name, bad
/// or unsupported value) go to the diagnostics; then the result is null.
std::unique_ptr<Solver> make_solver(std::string_view type, std::span<const KeySource* const> keys,
                                    Diagnostics& diagnostics);
std::unique_ptr<Solver> make_solver(std::string_view type, const KeySource& keys, Diagnostics& diagnostics);

}  // namespace n2d2::training
