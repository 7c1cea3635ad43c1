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
  /// Squared errors of the outputs by rounding weights, on windows that were held out: to the nearest
  /// integers, and as chosen.
  double nearest = 0, chosen = 0;
  int64_t outputs = 0, improved = 0;  ///< of which the chosen integers are not the nearest ones
};

struct RoundingReport {
  int64_t samples = 0;
  std::vector<RoundedLayer> layers;
  std::string why_not;  ///< nothing was done

  /// Mean over the layers of what the errors became less, in dB.
  double gain() const;
};

/// "layer,outputs,improved,gain_db", a line a layer.
std::string to_csv(const RoundingReport& report);

/// Rounds the weights of each Conv and Fc that brings no scale to integers that err least at the outputs,
/// given what its quantized inputs are like over the samples, and lets its biases make up for the mean error.
/// Outputs for which held-out windows show no gain keep the nearest integers. The weights are floats on their
/// grid then, with the scale in TensorType::quant, so that quantize_graph() keeps the integers. `ranges` are
/// those that quantize_graph() takes. Layers whose sums might leave the accumulator stay as they are, and so
/// does everything where the rescaling is by shifts, which choose scales themselves.
RoundingReport round_weights(graph::Graph& graph, const Ranges& ranges, const Options& options,
                             const BatchSource& samples, const compute::ExecutorOptions& executor);

}  // namespace n2d2::quantize
