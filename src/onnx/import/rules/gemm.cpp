#include <cmath>
#include <numeric>

#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/fc.hpp"

#include "import/fold/fold.hpp"
#include "import/layers.hpp"
#include "matmul.hpp"
#include "quantized.hpp"

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

/// A 1x1 Conv of features that are channels.
graph::ValueId add_product(Node& node, graph::ValueId features, const Array& matrix, const FcMatrix& form,
                           std::optional<Tensor> biases, std::string_view suffix) {
  const int64_t outputs = form.outputs(matrix);
  auto conv = std::make_unique<ops::Conv>();
  conv->kernel = {1, 1};
  conv->nb_outputs = window_size("number of outputs", outputs, 1);
  std::vector<graph::ValueId> operands{
      features, add_weights(node, matrix, form, {outputs, matrix.size() / outputs, 1, 1})};
  if (biases) operands.push_back(node.add_constant("biases", *std::move(biases)));
  return node.add(std::move(conv), std::move(operands), suffix);
}

}  // namespace

Product multiply_rows(Node& node, graph::ValueId value, Split split, const Array& matrix,
                      const FcMatrix& form, std::optional<Tensor> biases) {
  const size_t features = split.axes.back().size();
  const bool is_last = split.is_last(split.axes.back());
  std::vector<size_t> order(split.extents.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const graph::ValueId in =
      node.arranged(value, split, is_last ? order : split.order(), features, "features");
  const graph::ValueId product = add_product(node, in, matrix, form, std::move(biases), "product");
  if (!is_last) split = split_in_order(split.dims());
  return {product, split.with_last(form.outputs(matrix))};
}

namespace {

/// The product over the last axis is a 1x1 Conv whose channels are that axis; all others are pixels.
void finish_product(Node& node, const Extents& dims, const Array& matrix, const FcMatrix& form = {},
                    std::optional<Tensor> biases = {}) {
  expect_matrix(matrix);
  const bool is_matrix = matrix.dims.size() == 2;
  if (!is_matrix || matrix.size() / std::max<int64_t>(1, form.outputs(matrix)) != dims.back())
    refuse(fmt::format("the product of {} and {}, expected a matrix of {} rows", text_of(dims),
                       text_of(matrix.dims), dims.back()));
  const int64_t outputs = form.outputs(matrix);
  graph::NodeId layer;
  if (const std::optional<Split> split = node.split_of(0)) {
    const Product made = multiply_rows(node, node.lying(0).value, *split, matrix, form, std::move(biases));
    layer = node.layer;
    node.set_split(made.value, made.split);
  } else {
    const graph::ValueId product =
        add_product(node, node.with_channels_last(0), matrix, form, std::move(biases), "product");
    layer = node.layer;
    Extents made = dims;
    made.back() = outputs;
    node.set_channels_last(product, std::move(made));
  }
  node.layer = layer;
}

/// alpha A B + beta C with constant B and C is an Fc.
void convert_gemm(Node& node) {
  node.expect("transA", 0);
  const bool transposed = node.integer("transB", 0) != 0;
  const double alpha = node.real("alpha", 1), beta = node.real("beta", 1);
  const Array& matrix = node.constant(1, "the matrix");
  const FcMatrix form{transposed, alpha};
  std::optional<Tensor> biases;
  if (const Array* c = node.optional_constant(2, "C"); c != nullptr && matrix.dims.size() == 2)
    biases = fc_biases(*c, form.outputs(matrix), beta);
  const std::shared_ptr<const Split> tokens = node.lying(0).split;
  if (tokens && !tokens->axes[0].empty())  // rows of a matrix that are no samples
    return finish_product(node, tokens->dims(), matrix, form, std::move(biases));
  const Operand& data = node.data();
  const graph::ValueId value = add_fc(node, data, matrix, form, std::move(biases), "");
  node.set_value(value, node.extents_of(value, 2));
}

/// W X of a constant W and N,C,L is a 1x1 Conv.
void multiply_columns(Node& node) {
  const Array& matrix = node.constant(0, "the matrix");
  const Operand& data = node.data(1);
  expect_matrix(matrix);
  if (matrix.dims.size() != 2 || data.dims.size() != 3 || matrix.dims[1] != data.dims[1])
    refuse(fmt::format("the product of {} and {}, expected a matrix of {} columns", text_of(matrix.dims),
                       text_of(data.dims), data.dims.size() == 3 ? data.dims[1] : data.dims.back()));
  Extents dims = data.dims;
  dims[1] = matrix.dims[0];
  node.set_value(add_product(node, data.value, matrix, {.transposed = true}, {}, ""), std::move(dims));
}

void convert_matmul(Node& node) {
  const Extents dims = node.lying(0).dims;
  const bool has_constant = node.lying(0).is_constant() || node.lying(1).is_constant();
  if (!has_constant) return multiply_data(node);
  if (node.lying(0).is_constant() && node.lying(1).dims.size() > 2) return multiply_columns(node);
  const bool has_rows = dims.size() > 2 || (node.lying(0).split && !node.lying(0).split->axes[0].empty());
  if (has_rows && !node.lying(0).is_constant())
    return finish_product(node, dims, node.constant(1, "the matrix"));
  const Operand& data = node.data();
  const graph::ValueId value = add_fc(node, data, node.constant(1, "the matrix"), {}, {}, "");
  node.set_value(value, node.extents_of(value, 2));
}

}  // namespace

void register_gemm(RuleRegistry& registry);
void register_gemm(RuleRegistry& registry) {
  registry.add("Gemm", {convert_gemm, fold_gemm});
  registry.add("MatMul", {convert_matmul, fold_matmul});
}

}  // namespace n2d2::onnx
