#include "n2d2/passes/pipelines.hpp"

namespace n2d2::passes {

// Identities go first and again after the activations, since one in between hides what could be fused; among
// them the Reshape between a Transpose and its Fc. Transposes are joined again, too: an activation that its
// input's range makes needless stands between two of them until then.
// BatchNorm goes into its layer before Padding does: a Padding above a BatchNorm then has a Conv as its
// child; and before a Deconv becomes a Conv and a DepthToSpace, behind which none would find weights.
// Activations are fused before Padding, which asks for the sign of what a max pool reads.
std::vector<std::string_view> float_pipeline(const PipelineOptions& options) {
  std::vector<std::string_view> names{"remove_unused",           "remove_dropout",  "normalize_weights",
                                      "remove_terminal_softmax", "remove_identity", "merge_transpose",
                                      "fold_channel_shuffle",    "fuse_batchnorm",  "lower_deconv",
                                      "fuse_activation",         "remove_identity", "merge_transpose",
                                      "keep_last_step",          "fuse_padding"};
  if (options.equalize) names.push_back("equalize_cross_layer");
  return names;
}

std::vector<std::string_view> export_pipeline() {
  return {"adapt_layout"};
}

std::vector<std::string_view> inference_pipeline() {
  return {"remove_dropout", "fuse_batchnorm", "fuse_activation"};
}

}  // namespace n2d2::passes
