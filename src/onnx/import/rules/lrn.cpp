#include "n2d2/ops/lrn.hpp"

#include "import/node.hpp"

namespace n2d2::onnx {

namespace {

/// ONNX divides alpha by the number of neighbours, ours is taken as it is.
void convert_lrn(Node& node) {
  const Operand& data = node.data();
  if (data.dims.size() < 2)
    refuse(fmt::format("the data has extents {}, expected N,C,...", text_of(data.dims)));
  auto lrn = std::make_unique<ops::Lrn>();
  lrn->n = window_size("size", node.integer("size", 0), 1);
  lrn->alpha = node.real("alpha", 1e-4F) / lrn->n;
  lrn->beta = node.real("beta", 0.75);
  lrn->k = node.real("bias", 1);
  if (!(lrn->alpha >= 0) || !(lrn->k >= 0))
    refuse(fmt::format("alpha {} and bias {}, expected none below 0", lrn->alpha * lrn->n, lrn->k));
  node.finish(std::move(lrn), {data.value}, data.dims);
}

}  // namespace

void register_lrn(RuleRegistry& registry);
void register_lrn(RuleRegistry& registry) {
  registry.add("LRN", {convert_lrn, nullptr});
}

}  // namespace n2d2::onnx
