#include "n2d2/ops/lrn.hpp"

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

/// ONNX divides alpha by the number of channels.
void write_lrn(NodeWriter& node) {
  expect_float(node);
  const auto& lrn = node.op<ops::Lrn>();
  node.result(node.add("LRN", {node.map()},
                       {{"size", int64_t{lrn.n}},
                        {"alpha", static_cast<float>(lrn.alpha * lrn.n)},
                        {"beta", static_cast<float>(lrn.beta)},
                        {"bias", static_cast<float>(lrn.k)}}),
              false);
}

}  // namespace

void register_lrn(WriteRegistry& registry);
void register_lrn(WriteRegistry& registry) {
  registry.add(ops::Lrn::kType, write_lrn);
}

}  // namespace n2d2::onnx
