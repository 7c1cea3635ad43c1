#include "n2d2/ops/log_softmax.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

void write_log_softmax(NodeWriter& node) {
  expect_float(node);
  node.result(node.add("LogSoftmax", {node.any()}, {{"axis", int64_t{1}}}), node.is_flat());
}

}  // namespace

void register_log_softmax(WriteRegistry& registry);
void register_log_softmax(WriteRegistry& registry) {
  registry.add(ops::LogSoftmax::kType, write_log_softmax);
}

}  // namespace n2d2::onnx
