#include "n2d2/ops/batchnorm.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

/// ONNX's momentum weighs the old statistic, ours the new one.
void write_batchnorm(NodeWriter& node) {
  expect_float(node);
  const auto& norm = node.op<ops::BatchNorm>();
  node.result(
      node.add("BatchNormalization",
               {node.map(), node.parameter(1), node.parameter(2), node.parameter(3), node.parameter(4)},
               {{"epsilon", static_cast<float>(norm.epsilon)},
                {"momentum", static_cast<float>(1 - norm.momentum)}}),
      false);
}

}  // namespace

void register_batchnorm(WriteRegistry& registry);
void register_batchnorm(WriteRegistry& registry) {
  registry.add(ops::BatchNorm::kType, write_batchnorm);
}

}  // namespace n2d2::onnx
