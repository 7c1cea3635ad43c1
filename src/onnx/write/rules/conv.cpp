#include "n2d2/ops/conv.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

/// Weights of channels that a connection table leaves out are zeros of the dense kernel.
void write_conv(NodeWriter& node) {
  const auto& conv = node.op<ops::Conv>();
  std::vector<std::string> inputs{node.map(), node.parameter(1)};
  if (node.has_input(2)) inputs.push_back(node.parameter(2));
  node.result(node.add("Conv", inputs,
                       {{"kernel_shape", rows_columns(conv.kernel)},
                        {"strides", rows_columns(conv.stride)},
                        {"dilations", rows_columns(conv.dilation)},
                        {"pads", begins_ends(conv.padding)},
                        {"group", int64_t{conv.groups}}}),
              false);
}

}  // namespace

void register_conv(WriteRegistry& registry);
void register_conv(WriteRegistry& registry) {
  registry.add(ops::Conv::kType, write_conv);
}

}  // namespace n2d2::onnx
