#include "n2d2/ops/batchnorm.hpp"

#include <algorithm>
#include <array>

#include "n2d2/base/log.hpp"

#include "import/node.hpp"

namespace n2d2::onnx {

namespace {

/// ONNX weighs the old statistic with momentum, ours the new one.
void convert_batchnorm(Node& node) {
  const Operand& data = node.data();
  if (data.dims.size() < 2)
    refuse(fmt::format("the data has extents {}, expected N,C,...", text_of(data.dims)));
  node.expect("training_mode", 0, "export the model for inference");
  node.expect("spatial", 1);
  bool learns = false;
  for (size_t i = 1; i < node.file().outputs.size(); ++i) {
    node.expect_no_output(i, "a statistic of training");
    learns = learns || node.wants_output(i);
  }
  // Up to operator set 13 more outputs mean that the batch makes the statistics.
  if (learns && node.opset() < 14)
    log::warn(
        "{}: has the form of training, with {} outputs; the statistics of the file are used, as for "
        "inference: export the "
        "model for inference (model.eval()) when the scores are wrong",
        node.file().subject(), node.file().outputs.size());
  auto norm = std::make_unique<ops::BatchNorm>();
  norm->epsilon = node.real("epsilon", 1e-5F);
  const double momentum = node.real("momentum", 0.9F);
  norm->momentum = std::clamp(node.options().copies_momentum ? momentum : 1 - momentum, 0.0, 0.999999);
  constexpr std::array roles{"scales", "biases", "means", "variances"};
  std::vector<graph::ValueId> inputs{data.value};
  for (size_t i = 0; i < roles.size(); ++i)
    inputs.push_back(
        node.add_constant(roles[i], real_tensor(node.constant(i + 1, roles[i]), {data.dims[1]}, roles[i])));
  node.finish(std::move(norm), std::move(inputs), data.dims);
}

}  // namespace

void register_batchnorm(RuleRegistry& registry);
void register_batchnorm(RuleRegistry& registry) {
  registry.add("BatchNormalization", {convert_batchnorm, nullptr});
}

}  // namespace n2d2::onnx
