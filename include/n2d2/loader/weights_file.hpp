// How do weights get into text files and back? One file per tensor, a folder replaced as a set.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "n2d2/loader/network.hpp"

namespace n2d2::loader {

/// Whether an input of a node is a parameter with a weight file: a constant that was learnt or came with the
/// network.
bool is_parameter(const graph::Graph& graph, const graph::Node& node, size_t slot);

/// `<layer>_<role>.syntxt` for every constant that is a parameter of a node ("weights", "biases", "scales",
/// "means", "variances"): blank-separated reals that read back as the same float32, one line an output, in
/// the order O,C,H,W; kernels of channels that are not connected are zeros. A name with '/', as
/// nodes of ONNX files have it, is a path of folders where each part can be a file name as it is; other names
/// are made file names by file_names(), so that no two layers share one. The folder is replaced as a set: it
/// is written beside, flushed, then exchanged, so that a run killed at any moment leaves either the old set
/// or the new one. ConfigError when something cannot be written.
/// `quantizers`: files of what they learnt, beside those of their constants: `<layer>_alphaW_LSQ.syntxt`, a
/// step a line, and `<layer>_masks.syntxt`, 0 or 1 in the order of the weights. Those of activations are
/// constants: `<layer>_QAct_SAT_Alpha.syntxt`, `<layer>_QAct_LSQ_StepSize.syntxt`.
void save_weights(const graph::Graph& graph, const std::filesystem::path& folder,
                  const QuantizerStates& quantizers = {});

struct LoadReport {
  int64_t loaded = 0;
  /// Parameters without a file; their values are kept.
  int64_t missing = 0;
};

/// Reads what save_weights() writes, files named by file_name() alone unless several layers would have one,
/// and the legacy single file `<layer>.syntxt` in which the bias of an output follows its weights. Unknown
/// files are ignored. ConfigError with every finding: wrong number of values, something that is not a number,
/// a file that may be of another layer, a missing file unless `ignore_missing`.
LoadReport load_weights(graph::Graph& graph, const std::filesystem::path& folder, bool ignore_missing);
/// Likewise, and what quantizers learnt.
LoadReport load_weights(Network& network, const std::filesystem::path& folder, bool ignore_missing);

}  // namespace n2d2::loader
