// Which integers do weights become, so that the outputs of their layers err least?
#pragma once

#include <string>
#include <vector>

#include "n2d2/compute/executor.hpp"
#include "n2d2/graph/graph.hpp"
#include "n2d2/quantize/calibrate.hpp"
#include "n2d2/quantize/options.hpp"

namespace n2d2::quantize {

/// A layer whose weights were rounded to what its inputs show.
struct RoundedLayer {
  std::string name;
  int bits = 8;
  std::vector<float> scales;     ///< one an output, or one
  std::vector<int8_t> integers;  ///< [outputs][elements of a row]
  std::vector<float> biases;     ///< they make up for the mean error
  /// Squared errors of the outputs by rounding weights, on windows that were held out: to the nearest
  /// integers, and as chosen.
  double nearest = 0, chosen = 0;
  int64_t improved = 0;  ///< outputs whose integers are not the nearest ones
  friend bool operator==(const RoundedLayer&, const RoundedLayer&) = default;
};

struct Rounding {
  std::vector<RoundedLayer> layers;
  std::string why_not;  ///< nothing was done

  /// Mean over the layers of what the errors became less, in dB.
  double gain() const;
  friend bool operator==(const Rounding&, const Rounding&) = default;
};

/// "layer,outputs,improved,gain_db", a line a layer.
std::string to_csv(const Rounding& rounding);

/// Finds integers for the weights of each Conv and Fc that brings no scale, which err least at the outputs,
/// given what its quantized inputs are like over the samples, and biases that make up for the mean error.
/// Outputs for which held-out windows show no gain keep the nearest integers. `ranges` are those that
/// quantize_graph() takes. Layers whose sums might leave the accumulator are left out. Nothing is done where
/// the rescaling is by shifts, which choose scales themselves, for more than 8 bits, and with fewer than 8
/// samples. The integers depend on how the processor computes floats: StoredCalibration keeps them.
Rounding find_rounding(const graph::Graph& graph, const Ranges& ranges, const Options& options,
                       const BatchSource& samples, const compute::ExecutorOptions& executor);

/// Puts the weights on their grid, with the scale in TensorType::quant, so that quantize_graph() keeps the
/// integers. InternalError for a layer that the graph does not have.
void apply_rounding(graph::Graph& graph, const Rounding& rounding);

}  // namespace n2d2::quantize
