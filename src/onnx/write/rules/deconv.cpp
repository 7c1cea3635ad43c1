#include "n2d2/ops/deconv.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

/// From O,C/groups,KH,KW to ONNX's C,O/groups,KH,KW.
std::string turned_weights(NodeWriter& node, int64_t groups) {
  const Tensor& weights = node.constant(1);
  const Shape& from = weights.shape();
  const int64_t outs = from[0] / groups, ins = from[1], taps = from[2] * from[3];
  Tensor out({ins * groups, outs, from[2], from[3]});
  for (int64_t g = 0; g < groups; ++g)
    for (int64_t c = 0; c < ins; ++c)
      for (int64_t o = 0; o < outs; ++o)
        std::copy_n(weights.data<float>() + ((g * outs + o) * ins + c) * taps, taps,
                    out.data<float>() + ((g * ins + c) * outs + o) * taps);
  return node.tensor("weights", out);
}

void write_deconv(NodeWriter& node) {
  expect_float(node);
  const auto& deconv = node.op<ops::Deconv>();
  std::vector<std::string> inputs{node.map(), turned_weights(node, deconv.groups)};
  if (node.has_input(2)) inputs.push_back(node.parameter(2));
  node.result(node.add("ConvTranspose", inputs,
                       {{"kernel_shape", rows_columns(deconv.kernel)},
                        {"strides", rows_columns(deconv.stride)},
                        {"dilations", rows_columns(deconv.dilation)},
                        {"pads", begins_ends(deconv.padding)},
                        {"output_padding", rows_columns(deconv.output_padding)},
                        {"group", int64_t{deconv.groups}}}),
              false);
}

}  // namespace

void register_deconv(WriteRegistry& registry);
void register_deconv(WriteRegistry& registry) {
  registry.add(ops::Deconv::kType, write_deconv);
}

}  // namespace n2d2::onnx
