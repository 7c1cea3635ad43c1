// Which layers do the errors of a quantized network come from?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "n2d2/compute/executor.hpp"
#include "n2d2/graph/graph.hpp"
#include "n2d2/tensor/deviation.hpp"

namespace n2d2::quantize {

/// A share of the noise at the outputs, and its standard error over the samples. Shares need not add up to 1:
/// noises of several parts may cancel out.
struct NoiseShare {
  double share = 0, error = 0;
};

/// Weights (biases included) or values of a layer, which integers replace.
struct PartFigures {
  /// What is gone when all but this part is quantized, and what is there when nothing else is.
  NoiseShare without, alone;
};

/// A network input, or a layer that has weights or rescales what it makes.
struct LayerFigures {
  std::string name, type;  ///< of the value that it makes; "Input", or the operator
  /// The value in integers against floats: with what it reads in floats, and in integers.
  Deviation own, accumulated;
  /// Share of its floats that lie beyond the integers.
  double clipped = 0;
  std::optional<PartFigures> weights, values;
  /// Whether 16 bits can be asked for its values: it has weights or is a sum, and they have 8 bits or fewer.
  bool may_widen = false;

  /// Own SQNR less accumulated SQNR, in dB: what the layers before add.
  double amplification() const { return own.sqnr() - accumulated.sqnr(); }
};

/// A layer whose values might have 16 bits, beside those of the layers before it in the list.
struct WidenedLayer {
  std::string name;
  int64_t values = 0;  ///< so many bytes more
  double snr = 0;      ///< of the outputs then, in dB
};

/// All figures are those of a simulation in floats.
struct Diagnosis {
  int64_t samples = 0, runs = 0;
  /// SQNR of the outputs in dB with everything quantized, weights alone, values alone.
  double all = 0, weights = 0, values = 0;
  std::vector<LayerFigures> layers;  ///< in schedule order
  /// Layers whose values are the first to be worth 16 bits, at most eight, by PartFigures::without: those
  /// that have weights or are sums, and whose share is above its error.
  std::vector<WidenedLayer> widened;
};

/// A part of a layer by its noise.
struct RankedPart {
  const LayerFigures* layer;
  const PartFigures* part;
  bool is_weights() const { return layer->weights && part == &*layer->weights; }
};
/// All parts, largest PartFigures::without first; the diagnosis must outlive them.
std::vector<RankedPart> ranked(const Diagnosis& diagnosis);

/// Forward passes of all samples that diagnose() takes for this network, but for those of Diagnosis::widened.
int64_t runs_of_diagnosis(const graph::Graph& floats, const graph::Graph& integers);

/// Compares `floats` with what quantize_graph() made of them, equalized or not, on samples N,C,H,W: switches
/// each part off and on by itself. The noise of several outputs is the sum of what each has relative to its
/// signal. Memory: the values of a few samples, at most 256 MiB where one sample allows it.
Diagnosis diagnose(const graph::Graph& floats, const graph::Graph& integers, const Tensor& samples,
                   const compute::ExecutorOptions& executor);

}  // namespace n2d2::quantize
