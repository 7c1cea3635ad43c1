#include "n2d2/ops/fc.hpp"

#include "node.hpp"

namespace n2d2::onnx {

namespace {

/// O x I weights from K x N (or N x K when transposed), times alpha.
Tensor fc_weights(const Array& matrix, bool transposed, double alpha) {
  if (matrix.is_integer) refuse("the matrix holds integers, expected real numbers");
  const int64_t inputs = matrix.dims[transposed ? 1 : 0], outputs = matrix.dims[transposed ? 0 : 1];
  Tensor out(Shape{outputs, inputs});
  float* w = out.data<float>();
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t i = 0; i < inputs; ++i) {
      const double value = matrix.at(transposed ? o * inputs + i : i * outputs + o);
      w[o * inputs + i] = static_cast<float>(alpha * value);
    }
  return out;
}

/// beta C, broadcast to one value an output.
Tensor fc_biases(const Array& c, int64_t outputs, double beta) {
  const bool fits = c.dims.size() <= 2 && (c.dims.size() < 2 || c.dims[0] == 1);
  if (c.is_integer || !fits || (c.size() != 1 && c.size() != outputs))
    refuse(fmt::format("C has extents {}, expected {} real numbers", text_of(c.dims), outputs));
  Tensor out(Shape{outputs});
  for (int64_t o = 0; o < outputs; ++o)
    out.data<float>()[o] = static_cast<float>(beta * c.at(c.size() == 1 ? 0 : o));
  return out;
}

void finish_fc(Node& node, Tensor weights, std::optional<Tensor> biases) {
  auto fc = std::make_unique<ops::Fc>();
  fc->nb_outputs = window_size("number of outputs", weights.shape()[0], 1);
  std::vector<graph::ValueId> inputs{node.data().value, node.add_constant("weights", std::move(weights))};
  if (biases) inputs.push_back(node.add_constant("biases", *std::move(biases)));
  node.finish_map(std::move(fc), std::move(inputs), 2);
}

const Array& matrix_of(Node& node) {
  const Extents& data = node.data().dims;
  const Array& matrix = node.constant(1, "the matrix");
  if (data.size() != 2 || matrix.dims.size() != 2)
    refuse(
        fmt::format("the product of {} and {}, expected two matrices", text_of(data), text_of(matrix.dims)),
        "flatten the data to (N, features) before the product");
  return matrix;
}

/// alpha A B + beta C with constant B and C is an Fc.
void convert_gemm(Node& node) {
  node.expect("transA", 0);
  const bool transposed = node.integer("transB", 0) != 0;
  const double alpha = node.real("alpha", 1), beta = node.real("beta", 1);
  Tensor weights = fc_weights(matrix_of(node), transposed, alpha);
  std::optional<Tensor> biases;
  if (const Array* c = node.optional_constant(2, "C")) biases = fc_biases(*c, weights.shape()[0], beta);
  finish_fc(node, std::move(weights), std::move(biases));
}

void convert_matmul(Node& node) {
  finish_fc(node, fc_weights(matrix_of(node), false, 1), {});
}

}  // namespace

void register_gemm(RuleRegistry& registry);
void register_gemm(RuleRegistry& registry) {
  registry.add("Gemm", {convert_gemm, nullptr});
  registry.add("MatMul", {convert_matmul, nullptr});
}

}  // namespace n2d2::onnx
