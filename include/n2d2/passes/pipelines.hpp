// Which passes run, and in which order?
#pragma once

#include <string_view>
#include <vector>

namespace n2d2::passes {

struct PipelineOptions {
  /// Cross-layer equalization (`-no-cle` clears it). Only worth its time before an integer export.
  bool equalize = true;
};

/// Before calibration, on the float graph of any export:
/// remove_dropout, normalize_weights, remove_terminal_softmax, remove_identity, merge_transpose,
/// fold_channel_shuffle, fuse_batchnorm, lower_deconv, fuse_activation, remove_identity, merge_transpose,
/// fuse_padding and, if asked for, equalize_cross_layer.
std::vector<std::string_view> float_pipeline(const PipelineOptions& options = {});

/// After quantization, or after float_pipeline of a float export: adapt_layout, which decides where bytes
/// lie.
///   activations   value type layout Nhwc; shapes stay logical N,C,H,W
///   Conv weights  constant and type layout Nhwc: shape O,I,KH,KW, bytes in the order O,KH,KW,I
///   Fc weights    shape O x (C*H*W) and layout Nchw stay, each row goes from (c, y, x) to (y, x, c)
///   biases        as they are
/// compute::Executor cannot run the result any more; host run and export do.
std::vector<std::string_view> export_pipeline();

/// `-fuse` with a plain `-test`: remove_dropout, fuse_batchnorm, fuse_activation. Outputs stay what they are.
std::vector<std::string_view> inference_pipeline();

/// Name of the depthwise 1x1 Conv that fuse_batchnorm puts before a BatchNorm which no layer above can take
/// in, and folds it into; Graph::unique_name() has the last word.
std::string own_layer_of(std::string_view batchnorm);

}  // namespace n2d2::passes
