// Which integers do weights become, so that the outputs of whole blocks err least? -quant-effort 2.
#pragma once

#include <string>
#include <vector>

#include "n2d2/compute/executor.hpp"
#include "n2d2/graph/graph.hpp"
#include "n2d2/quantize/calibrate.hpp"
#include "n2d2/quantize/options.hpp"
#include "n2d2/quantize/round_weights.hpp"

namespace n2d2::quantize {

/// Some layers of a network between two values that are all that goes in and out.
struct RebuiltBlock {
  std::string first, last;  ///< layers
  /// Squared error of what the block makes of a sample, over samples that were held out: with the integers of
  /// find_rounding(), and with those that were learnt.
  double before = 0, after = 0;
  std::string why_not;  ///< nothing was learnt

  bool is_kept() const { return why_not.empty() && after < before; }
};

struct Reconstruction {
  Rounding rounding;
  std::vector<RebuiltBlock> blocks;
};

/// Steps of learning a block, of 16 samples each.
inline constexpr int64_t kBlockSteps = 600;

/// Learns for each weight of `rounding` which of two integers it becomes, block by block in the
/// order in which they run (Li et al. 2021, BRECQ): a block is to make of its quantized input, of which half
/// are randomly left as floats (Wei et al. 2022, QDrop), what the floats make. Scales stay. Every second
/// sample is held out: a block keeps what it had where those show no gain. `rounding` is that of
/// find_rounding() for the same graph, ranges, options and samples. At most 256 samples, and as many as take
/// 768 MiB, but at least 16. Nothing depends on the number of threads.
Reconstruction reconstruct(const graph::Graph& graph, const Ranges& ranges, const Options& options,
                           const Rounding& rounding, const BatchSource& samples,
                           const compute::ExecutorOptions& executor, int64_t steps = kBlockSteps);

/// "first,last,error_before,error_after,kept", a line a block.
std::string to_csv(const std::vector<RebuiltBlock>& blocks);

}  // namespace n2d2::quantize
