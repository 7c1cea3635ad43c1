#include <cmath>

#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/fc.hpp"

#include "import/layers.hpp"
#include "quantized.hpp"
#include "transpose.hpp"

namespace n2d2::onnx {

namespace {

/// Rows of a matrix to a multiple of them, one for each output.
Array rows_of_outputs(const Array& matrix, const FcMatrix& form) {
  const int64_t inputs = matrix.dims[0], outputs = matrix.dims[1];
  Array out = form.transposed ? matrix : matrix.like({outputs, inputs});
  if (!form.transposed)
    for (int64_t o = 0; o < outputs; ++o)
      for (int64_t i = 0; i < inputs; ++i) out.take(o * inputs + i, matrix, i * outputs + o);
  for (float& w : out.reals) w = static_cast<float>(form.alpha * static_cast<double>(w));
  for (float& step : out.steps) step = static_cast<float>(std::abs(form.alpha) * static_cast<double>(step));
  return out;
}

/// Returns the weights of rows_of_outputs() as a tensor of `shape`. Makes no second array, because one layer
/// may be most of a file.
Tensor tensor_of_outputs(const Array& matrix, const FcMatrix& form, Shape shape) {
  const int64_t rows = matrix.dims[0], columns = matrix.dims[1];
  Tensor out(std::move(shape));
  const auto weights = out.span<float>();
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      weights[static_cast<size_t>(form.transposed ? r * columns + c : c * rows + r)] = static_cast<float>(
          form.alpha * static_cast<double>(matrix.reals[static_cast<size_t>(r * columns + c)]));
  return out;
}

graph::ValueId add_weights(Node& node, const Array& matrix, const FcMatrix& form, Shape shape) {
  const int64_t outputs = shape[0];
  std::optional<QuantParams> scales;
  if (!matrix.steps.empty()) scales = scales_of_rows(node, rows_of_outputs(matrix, form), outputs);
  return node.add_constant("weights", tensor_of_outputs(matrix, form, std::move(shape)), std::move(scales));
}

void expect_matrix(const Array& matrix) {
  if (matrix.is_integer) refuse("the matrix holds integers, expected real numbers");
}

}  // namespace

graph::ValueId add_fc(Node& node, const Operand& data, const Array& matrix, const FcMatrix& form,
                      std::optional<Tensor> biases, std::string_view suffix) {
  if (data.dims.size() != 2 || matrix.dims.size() != 2)
    refuse(fmt::format("the product of {} and {}, expected two matrices", text_of(data.dims),
                       text_of(matrix.dims)),
           "flatten the data to (N, features) before the product");
  expect_matrix(matrix);
  const int64_t outputs = form.outputs(matrix);
  auto fc = std::make_unique<ops::Fc>();
  fc->nb_outputs = window_size("number of outputs", outputs, 1);
  std::vector<graph::ValueId> inputs{data.value};
  inputs.push_back(add_weights(node, matrix, form, {outputs, matrix.size() / outputs}));
  if (biases) inputs.push_back(node.add_constant("biases", *std::move(biases)));
  return node.add(std::move(fc), std::move(inputs), suffix);
}

namespace {

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

/// alpha A B + beta C with constant B and C is an Fc.
void convert_gemm(Node& node) {
  node.expect("transA", 0);
  const bool transposed = node.integer("transB", 0) != 0;
  const double alpha = node.real("alpha", 1), beta = node.real("beta", 1);
  const Operand& data = node.data();
  const Array& matrix = node.constant(1, "the matrix");
  const FcMatrix form{transposed, alpha};
  std::optional<Tensor> biases;
  if (const Array* c = node.optional_constant(2, "C"); c != nullptr && matrix.dims.size() == 2)
    biases = fc_biases(*c, form.outputs(matrix), beta);
  const graph::ValueId value = add_fc(node, data, matrix, form, std::move(biases), "");
  node.set_value(value, node.extents_of(value, 2));
}

/// The product over the last axis of N,C,L or N,C,H,W is a 1x1 Conv between two exchanges of that axis and
/// the channels.
void finish_product(Node& node, const Operand& data, const Array& matrix) {
  const size_t rank = data.dims.size();
  expect_matrix(matrix);
  if (matrix.dims.size() != 2 || matrix.dims[0] != data.dims.back())
    refuse(fmt::format("the product of {} and {}, expected a matrix of {} rows", text_of(data.dims),
                       text_of(matrix.dims), data.dims.back()));
  const int64_t inputs = matrix.dims[0], outputs = matrix.dims[1];
  auto conv = std::make_unique<ops::Conv>();
  conv->kernel = {1, 1};
  conv->nb_outputs = window_size("number of outputs", outputs, 1);
  const graph::ValueId in = swap_channels(node, data.value, rank - 1, rank, "features");
  const graph::ValueId constant = add_weights(node, matrix, {}, {outputs, inputs, 1, 1});
  const graph::ValueId product = node.add(std::move(conv), {in, constant}, "product");
  const graph::NodeId layer = node.layer;
  Extents dims = data.dims;
  dims.back() = outputs;
  node.set_value(swap_channels(node, product, rank - 1, rank, ""), std::move(dims));
  node.layer = layer;
}

void convert_matmul(Node& node) {
  const Operand& data = node.data();
  if (data.dims.size() == 3 || data.dims.size() == 4)
    return finish_product(node, data, node.constant(1, "the matrix"));
  const graph::ValueId value = add_fc(node, data, node.constant(1, "the matrix"), {}, {}, "");
  node.set_value(value, node.extents_of(value, 2));
}

}  // namespace

void register_gemm(RuleRegistry& registry);
void register_gemm(RuleRegistry& registry) {
  registry.add("Gemm", {convert_gemm, nullptr});
  registry.add("MatMul", {convert_matmul, nullptr});
}

}  // namespace n2d2::onnx
