// Which numbers does a weight have before it learnt anything?
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "n2d2/base/fields.hpp"
#include "n2d2/base/random.hpp"
#include "n2d2/base/registry.hpp"
#include "n2d2/graph/graph.hpp"
#include "n2d2/tensor/tensor.hpp"

namespace n2d2::training {

/// How many inputs an output sums, and how many outputs an input reaches.
struct FanInfo {
  double fan_in = 1, fan_out = 1;
};

/// Computes the fan of weights with shape O,I,H,W (Conv, I: channels of a group), O,I (Fc) or O (biases,
/// scales; I is 1): fan_in = elements / O, fan_out = elements / I.
FanInfo fan_of(const Shape& weights);

/// A distribution with its parameters. Immutable but for read().
class Filler {
 public:
  virtual ~Filler() = default;
  /// "HeFiller"
  virtual std::string_view type() const = 0;
  virtual std::unique_ptr<Filler> clone() const = 0;
  /// Takes the parameters that the source has ("VarianceNorm", without the prefix "WeightsFiller.").
  virtual void read(const KeySource& keys, Diagnostics& diagnostics) = 0;
  /// The parameters that differ from their defaults.
  virtual std::vector<std::pair<std::string, std::string>> fields_text() const = 0;
  /// Overwrites every element, in memory order. float32.
  virtual void fill(Tensor& weights, const FanInfo& fan, Rng& rng) const = 0;
};

struct FillerEntry {
  std::function<std::unique_ptr<Filler>()> make;
  std::vector<FieldHelp> fields;
};
using FillerRegistry = Registry<FillerEntry>;
/// ConstantFiller, HeFiller, NormalFiller, UniformFiller, XavierFiller.
const FillerRegistry& fillers();

/// The filler of this name with the parameters of `keys`. Errors (unknown name, bad value) go to the
/// diagnostics; then the result is null.
std::unique_ptr<Filler> make_filler(std::string_view type, const KeySource& keys, Diagnostics& diagnostics);

/// What a layer without filler uses: normal, mean 0, standard deviation 0.05.
std::unique_ptr<Filler> default_filler();

/// Fills a constant of the graph with numbers that depend on (seed, name of the constant) alone.
/// `inputs`: extents along axis 1 of the parts that come from different inputs of the layer (channels of a
/// Conv, flattened elements of an Fc); each part has its own fan. Empty: one
/// part. Weights of a Conv that its connection table does not use become 0.
void fill_constant(graph::Graph& graph, graph::ValueId constant, std::span<const int64_t> inputs,
                   const Filler& filler, uint64_t seed);

}  // namespace n2d2::training
