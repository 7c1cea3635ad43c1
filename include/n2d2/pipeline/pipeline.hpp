// How does a network with weights become an export? One function a stage, in this order:
//
//   Prepared prepared = prepare(graph, request, target);          float form: passes, recipes, given scales
//   if (!prepared.has_integers) {
//     Calibration found = calibrate(graph, samples, executor, prepared.options, Equalization::On);
//     choose(graph, found, ...);                                  or not: rounding, simpler settings
//     apply_rounding(graph, *calibration.rounding);               or not
//     quantize(graph, found.ranges, prepared.options);            integers
//   }
//   std::unique_ptr<const Build> build = plan(graph, request, target);      layout, kernels, memory
//   build->write(stimuli, tree);                                  files
//
// The stages change the graph in place. An export of floats has neither calibrate() nor quantize().
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "n2d2/compute/executor.hpp"
#include "n2d2/quantize/calibrate.hpp"
#include "n2d2/quantize/options.hpp"
#include "n2d2/quantize/quantize_graph.hpp"
#include "n2d2/quantize/reconstruct.hpp"
#include "n2d2/quantize/round_weights.hpp"
#include "n2d2/quantize/stored_calibration.hpp"
#include "n2d2/targets/target.hpp"

namespace n2d2::pipeline {

/// What a graph is right after a stage.
enum class Form {
  Floats,   ///< passes and recipes have run
  Scaled,   ///< scales that the model brings are adopted; nothing was refused yet
  Integers  ///< quantize() has run
};

/// Functions that are called while the stages run. Each may be empty.
struct Hooks {
  passes::PassContext passes = {};
  std::function<void(Form form, const graph::Graph& graph)> reached = {};
};

/// What is exported, and how. `quantize` has the bits and the rescaling of the target's request.
struct Request {
  /// The type of the export, whose recipes modules may have added to: "CPP".
  std::string type = "CPP";
  quantize::Options quantize = {};
  /// Bits of layers, by name, that the network asks for; the target's parameters come first.
  std::map<std::string, LayerWidths, std::less<>> widths = {};
  /// One for each output of the graph, in its order; plan() fills their values in.
  std::vector<targets::Output> outputs = {};
  /// Where the network comes from, for messages; whether it is an ONNX file alone, which options cut instead
  /// of keys.
  std::string file = {};
  bool is_lone_onnx = false;
  /// passes::PassContext::outputs_may_reshape. The classes of an output are the channels of its map then.
  bool outputs_may_reshape = false;
};

/// A graph that an export takes.
struct Prepared {
  /// Whether the graph has all its integers: it comes from a file of a quantized graph.
  bool has_integers = false;
  /// Whether the model brought scales with it.
  bool was_quantized = false;
  /// Quantization options of the request, with the zero points and the widths of outputs that the target
  /// takes.
  quantize::Options options;
};

/// Runs the passes and recipes of the target, adopts scales that the model brings, and asks the target what
/// it takes.
/// ExportError with every layer that is refused, each with place and hint, before anything is calibrated.
Prepared prepare(graph::Graph& graph, const Request& request, const targets::Export& target,
                 const Hooks& hooks = {});

/// Whether channels are scaled by what they reach before ranges are measured (`-no-cle` switches it off).
enum class Equalization { Off, On };

/// What the samples have shown.
struct Calibration {
  std::optional<quantize::Ranges>
      before;  ///< of the graph that was not equalized yet; none without equalization
  quantize::Ranges ranges;
  compute::ForwardTime time;
};

/// Ranges of all values over the samples. With equalization the samples are read twice, and channels are
/// scaled by the first reading. A rank of a cluster reads those samples that quantize::calibrate() wants.
Calibration calibrate(graph::Graph& graph, const quantize::BatchSource& samples,
                      const compute::ExecutorOptions& executor, const quantize::Options& options,
                      Equalization equalization, const cluster::Cluster& cluster = cluster::alone());

/// Scales channels by what they reached, and says of how many values.
void equalize(graph::Graph& graph, const quantize::Ranges& ranges, const quantize::Options& options);

/// What was tried, and which of it is taken.
struct Choice {
  int64_t samples = 0;                        ///< held out; 0: nothing was tried
  std::vector<quantize::TriedSetting> tried;  ///< what was asked for comes first
  size_t taken = 0;
  std::vector<quantize::RebuiltBlock> blocks = {};  ///< with -quant-effort 2
};

/// Finds how weights are rounded (quantize/round_weights.hpp), then tries what is simpler on samples held
/// out: the nearest weights, the largest values as thresholds, both, and without equalization. Takes
/// what errs less at the outputs by 0.2 dB, and by two standard errors of that. `unequalized` is the graph as
/// it was before calibrate() equalized it; null where it did not. Puts all into `calibration`, and the graph
/// that was taken in place of `graph`. Clipping that is not the default stays. With -quant-effort 1 and more.
Choice choose(graph::Graph& graph, const graph::Graph* unequalized, quantize::StoredCalibration& calibration,
              const quantize::Options& options, const quantize::BatchSource& samples,
              const compute::ExecutorOptions& executor);

/// Learns weights block by block (quantize/reconstruct.hpp).
quantize::Reconstruction learn_blocks(const graph::Graph& graph, const quantize::Ranges& ranges,
                                      const quantize::Options& options, const quantize::Rounding& rounding,
                                      const quantize::BatchSource& samples,
                                      const compute::ExecutorOptions& executor);

/// Lines "setting,snr_db,taken" of all that were tried.
std::string to_csv(const quantize::ChosenSetting& setting);

/// Puts weights on their grid (quantize/round_weights.hpp). Says what that gains, or why nothing was done.
void apply_rounding(graph::Graph& graph, const quantize::Rounding& rounding);

/// Integers of everything that the target computes in integers (quantize_graph).
quantize::QuantReport quantize(graph::Graph& graph, const quantize::Ranges& ranges,
                               const quantize::Options& options, const Hooks& hooks = {});

/// Lays the graph out, chooses kernels and plans the memory. ExportError.
std::unique_ptr<const targets::Build> plan(graph::Graph& graph, const Request& request,
                                           const targets::Export& target, const Hooks& hooks = {});

}  // namespace n2d2::pipeline
