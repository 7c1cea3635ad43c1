#include "n2d2/compute/integer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "n2d2/base/parallel.hpp"

#include "integer_rounding.hpp"

namespace n2d2::compute {

namespace {

using graph::Integers;

template <class T>
Integers widened_as(const Tensor& tensor, int64_t first, const Shape& shape) {
  Integers out{shape, {}};
  const T* from = tensor.data<T>() + first;
  out.values.assign(from, from + shape.elements());
  return out;
}

/// `shape.elements()` integers from element `first` on.
Integers widened(const Tensor& tensor, int64_t first, const Shape& shape) {
  switch (tensor.dtype()) {
    case DataType::I8:
      return widened_as<int8_t>(tensor, first, shape);
    case DataType::U8:
      return widened_as<uint8_t>(tensor, first, shape);
    case DataType::I16:
      return widened_as<int16_t>(tensor, first, shape);
    case DataType::U16:
      return widened_as<uint16_t>(tensor, first, shape);
    case DataType::I32:
      return widened_as<int32_t>(tensor, first, shape);
    case DataType::I64:
      return widened_as<int64_t>(tensor, first, shape);
    case DataType::F32:
      break;
  }
  throw InternalError("float32 among integers", __FILE__, __LINE__);
}

template <class T>
void store_as(const Integers& from, Tensor& to, int64_t first) {
  T* out = to.data<T>() + first;
  for (const int64_t value : from.values) {
    N2D2_CHECK(value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max(),
               "{} does not fit {}", value, to_string(to.dtype()));
    *out++ = static_cast<T>(value);
  }
}

void store(const Integers& from, Tensor& to, int64_t first) {
  switch (to.dtype()) {
    case DataType::I8:
      return store_as<int8_t>(from, to, first);
    case DataType::U8:
      return store_as<uint8_t>(from, to, first);
    case DataType::I16:
      return store_as<int16_t>(from, to, first);
    case DataType::U16:
      return store_as<uint16_t>(from, to, first);
    case DataType::I32:
      return store_as<int32_t>(from, to, first);
    default:
      throw InternalError(fmt::format("an activation of {}", to_string(to.dtype())), __FILE__, __LINE__);
  }
}

/// Integers::zero.
int64_t zero_of(const graph::Value& value) {
  const double zero = value.type.quant ? value.type.quant->zero_point : 0;
  return zero == std::floor(zero) ? static_cast<int64_t>(zero) : 0;
}

void check_node(const graph::Graph& graph, const graph::Node& node, Diagnostics& findings) {
  for (const graph::Reason& reason : graph::integer_form(graph, node).why_not)
    findings.error(node.origin, fmt::format("{}: {}", subject(node), reason.text), reason.hint);
  std::vector<graph::ValueId> values = node.inputs;
  values.insert(values.end(), node.outputs.begin(), node.outputs.end());
  for (const graph::ValueId id : values) {
    const graph::Value& value = graph.value(id);
    N2D2_CHECK(value.type.shape.rank() != 4 || value.type.layout == Layout::Nchw,
               "'{}' has its bytes in another order", value.name);
    if (value.type.dtype == DataType::F32)
      findings.error(node.origin,
                     fmt::format("{}: '{}' is float32, integers are run", subject(node), value.name),
                     "quantize the graph first");
  }
}

}  // namespace

IntegerExecutor::IntegerExecutor(const graph::Graph& graph) : graph_(graph), order_(graph.schedule()) {
  N2D2_CHECK(graph.inputs().size() == 1, "a network of {} inputs", graph.inputs().size());
  Diagnostics findings;
  for (const graph::NodeId id : order_) check_node(graph, graph.node(id), findings);
  findings.finish<ModelError>();
}

void IntegerExecutor::run_node(const graph::Node& node, Values& values) const {
  std::vector<const Integers*> in;
  std::vector<Integers>
      constants;  // widened while the node runs: all of them take eight times the bytes of the weights
  constants.reserve(node.inputs.size());
  for (const graph::ValueId id : node.inputs) {
    const auto& constant = graph_.value(id).constant;
    if (constant) constants.push_back(widened(*constant, 0, constant->shape()));
    in.push_back(constant ? &constants.back() : &values.at(id));
  }
  std::vector<Integers*> out;
  for (const graph::ValueId id : node.outputs) {
    const Shape& shape = graph_.value(id).type.shape;
    Integers& made = values[id];
    made = {shape, std::vector<int64_t>(static_cast<size_t>(shape.elements()), 0), zero_of(graph_.value(id))};
    out.push_back(&made);
  }
  const DefinedRounding rounding(node.rescale);
  node.op->integers({in, out, rounding});
}

IntegerExecutor::Values IntegerExecutor::run_sample(const Tensor& batch, int64_t sample) const {
  const graph::Value& input = graph_.value(graph_.inputs()[0]);
  const Shape& shape = input.type.shape;
  Values values;
  values[input.id] = widened(batch, sample * shape.elements(), shape);
  values[input.id].zero = zero_of(input);
  for (const graph::NodeId id : order_) run_node(graph_.node(id), values);
  return values;
}

std::map<graph::ValueId, Tensor> IntegerExecutor::run(const Tensor& sample) const {
  const TensorType& type = graph_.value(graph_.inputs()[0]).type;
  N2D2_CHECK(sample.shape() == type.shape && sample.dtype() == type.dtype && sample.layout() == Layout::Nchw,
             "a sample of {} {}, the network takes {} {}", to_string(sample.dtype()), sample.shape().text(),
             to_string(type.dtype), type.shape.text());
  std::map<graph::ValueId, Tensor> out;
  for (const auto& [id, integers] : run_sample(sample, 0)) {
    Tensor tensor(integers.shape, graph_.value(id).type.dtype);
    store(integers, tensor, 0);
    out.emplace(id, std::move(tensor));
  }
  return out;
}

std::vector<Tensor> IntegerExecutor::outputs(const Tensor& batch) const {
  const TensorType& type = graph_.value(graph_.inputs()[0]).type;
  const int64_t count = batch.shape().n();
  N2D2_CHECK(batch.shape().with_batch(1) == type.shape && batch.dtype() == type.dtype,
             "samples of {} {}, the network takes {} {}", to_string(batch.dtype()), batch.shape().text(),
             to_string(type.dtype), type.shape.text());
  std::vector<Tensor> out;
  for (const graph::ValueId id : graph_.outputs()) {
    const TensorType& made = graph_.value(id).type;
    out.emplace_back(made.shape.with_batch(count), made.dtype);
  }
  parallel_for(count, [&](int64_t sample, int) {
    const Values values = run_sample(batch, sample);
    for (size_t i = 0; i < out.size(); ++i) {
      const Integers& made = values.at(graph_.outputs()[i]);
      store(made, out[i], sample * made.shape.elements());
    }
  });
  return out;
}

}  // namespace n2d2::compute
