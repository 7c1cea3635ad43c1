#include "writer_model.hpp"

#include <cstring>
#include <limits>
#include <optional>

#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include "read/element_types.hpp"

namespace n2d2::onnx {

namespace {

using ::onnx::AttributeProto;
using ::onnx::TensorProto;

/// The IR version of an operator set, so that programs of its age read the file.
int ir_version(int opset) {
  return opset == kWrittenOpset ? 7 : 10;
}

void declare(::onnx::ValueInfoProto& info, const std::string& name, const Extents& dims) {
  info.set_name(name);
  auto& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(TensorProto::FLOAT);
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    auto& dim = *type.mutable_shape()->add_dim();
    if (axis == 0)
      dim.set_dim_param("N");
    else
      dim.set_dim_value(dims[axis]);
  }
}

void set_attribute(AttributeProto& to, const WrittenAttribute& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    to.set_type(AttributeProto::INT);
    to.set_i(*integer);
  } else if (const auto* real = std::get_if<float>(&value)) {
    to.set_type(AttributeProto::FLOAT);
    to.set_f(*real);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    to.set_type(AttributeProto::STRING);
    to.set_s(*text);
  } else {
    to.set_type(AttributeProto::INTS);
    for (const int64_t i : std::get<std::vector<int64_t>>(value)) to.add_ints(i);
  }
}

TensorProto::DataType type_of(DataType type) {
  switch (type) {
    case DataType::F32:
      return TensorProto::FLOAT;
    case DataType::I8:
      return TensorProto::INT8;
    case DataType::U8:
      return TensorProto::UINT8;
    case DataType::I16:
      return TensorProto::INT16;
    case DataType::U16:
      return TensorProto::UINT16;
    case DataType::I32:
      return TensorProto::INT32;
    case DataType::I64:
      break;
  }
  throw InternalError(fmt::format("{} constants are not written", to_string(type)), __FILE__, __LINE__);
}

template <class T>
void copy_reals(const Tensor& tensor, std::vector<float>& out) {
  for (const T x : tensor.span<T>()) out.push_back(static_cast<float>(x));
}

/// Adds the extents of all tensors.
void check(::onnx::ModelProto& model) {
  try {
    ::onnx::ShapeInferenceOptions strict;
    strict.check_type = true;
    strict.error_mode = 1;
    ::onnx::shape_inference::InferShapes(model, ::onnx::OpSchemaRegistry::Instance(), strict);
    ::onnx::checker::check_model(model);
  } catch (const std::exception& error) {
    throw InternalError(fmt::format("the written model is refused: {}", error.what()), __FILE__, __LINE__);
  }
}

/// The model in operator set 13 with zeros of 8 bits in the place of integers of 4 and 16, which are all that
/// it has not: the installed ONNX library may know no later one.
::onnx::ModelProto as_known(const ::onnx::ModelProto& model) {
  ::onnx::ModelProto out = model;
  out.set_ir_version(ir_version(kWrittenOpset));
  out.mutable_opset_import(0)->set_version(kWrittenOpset);
  for (TensorProto& tensor : *out.mutable_graph()->mutable_initializer()) {
    const std::optional<NarrowType> type = narrow_type(tensor.data_type());
    if (!type || type->bits == 8) continue;
    tensor.set_data_type(type->is_signed ? TensorProto::INT8 : TensorProto::UINT8);
    const auto count = elements_of({tensor.dims().begin(), tensor.dims().end()});
    tensor.set_raw_data(std::string(static_cast<size_t>(count), '\0'));
  }
  return out;
}

}  // namespace

ModelBuilder::ModelBuilder(const std::string& version, int opset)
    : model_(std::make_unique<::onnx::ModelProto>()), graph_(*model_->mutable_graph()), opset_(opset) {
  model_->set_ir_version(ir_version(opset));
  model_->set_producer_name("n2d2");
  model_->set_producer_version(version);
  auto& set = *model_->add_opset_import();
  set.set_domain("");
  set.set_version(opset);
  graph_.set_name("network");
}

ModelBuilder::~ModelBuilder() = default;

std::string ModelBuilder::unique(const std::string& name) {
  std::string out = name;
  for (int i = 2; !names_.insert(out).second; ++i) out = fmt::format("{}_{}", name, i);
  return out;
}

void ModelBuilder::add_input(const std::string& name, const Extents& dims) {
  declare(*graph_.add_input(), name, dims);
}

void ModelBuilder::add_output(const std::string& name, const Extents& dims) {
  declare(*graph_.add_output(), name, dims);
}

TensorProto& ModelBuilder::add_initializer(const std::string& name, const Extents& dims, int type) {
  TensorProto& out = *graph_.add_initializer();
  out.set_name(unique(name));
  out.set_data_type(type);
  for (const int64_t extent : dims) out.add_dims(extent);
  return out;
}

std::string ModelBuilder::reals(const std::string& name, const Extents& dims,
                                const std::vector<float>& values) {
  TensorProto& out = add_initializer(name, dims, TensorProto::FLOAT);
  out.set_raw_data(values.data(), values.size() * sizeof(float));
  return out.name();
}

std::string ModelBuilder::integers(const std::string& name, const std::vector<int64_t>& values) {
  TensorProto& out = add_initializer(name, {static_cast<int64_t>(values.size())}, TensorProto::INT64);
  out.set_raw_data(values.data(), values.size() * sizeof(int64_t));
  return out.name();
}

std::string ModelBuilder::byte(const std::string& name, uint8_t value) {
  TensorProto& out = add_initializer(name, {}, TensorProto::UINT8);
  out.set_raw_data(&value, 1);
  return out.name();
}

std::string ModelBuilder::nibbles(const std::string& name, const Extents& dims,
                                  const std::vector<int8_t>& values) {
  std::string bytes((values.size() + 1) / 2, '\0');
  for (size_t i = 0; i < values.size(); ++i)
    bytes[i / 2] = static_cast<char>(bytes[i / 2] | (values[i] & 0xF) << (i % 2 == 0 ? 0 : 4));
  TensorProto& out = add_initializer(name, dims, kInt4);
  out.set_raw_data(std::move(bytes));
  return out.name();
}

std::string ModelBuilder::zeros(const std::string& name, const Extents& dims, DataType type) {
  TensorProto& out = add_initializer(name, dims, type_of(type));
  out.set_raw_data(std::string(static_cast<size_t>(elements_of(dims) * size_bytes(type)), '\0'));
  return out.name();
}

std::string ModelBuilder::tensor(const std::string& name, const Tensor& tensor) {
  TensorProto& out = add_initializer(name, tensor.shape().dims(), type_of(tensor.dtype()));
  out.set_raw_data(tensor.raw(), static_cast<size_t>(tensor.bytes()));
  return out.name();
}

std::string ModelBuilder::as_reals(const std::string& name, const Tensor& tensor) {
  std::vector<float> values;
  values.reserve(static_cast<size_t>(tensor.elements()));
  switch (tensor.dtype()) {
    case DataType::I8:
      copy_reals<int8_t>(tensor, values);
      break;
    case DataType::I16:
      copy_reals<int16_t>(tensor, values);
      break;
    case DataType::I32:
      copy_reals<int32_t>(tensor, values);
      break;
    case DataType::I64:
      copy_reals<int64_t>(tensor, values);
      break;
    default:
      throw InternalError(
          fmt::format("'{}' holds {}, no integers of parameters", name, to_string(tensor.dtype())), __FILE__,
          __LINE__);
  }
  return reals(name, tensor.shape().dims(), values);
}

std::string ModelBuilder::add(const std::string& type, const std::vector<std::string>& inputs,
                              const WrittenAttributes& attributes, const std::string& output, int number) {
  auto& node = *graph_.add_node();
  node.set_op_type(type);
  const std::string name = unique(output);
  node.set_name(name);
  for (int left_out = 0; left_out < number; ++left_out) node.add_output("");
  node.add_output(name);
  for (const std::string& input : inputs) node.add_input(input);
  for (const auto& [key, value] : attributes) {
    AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(key);
    set_attribute(attribute, value);
  }
  return name;
}

void ModelBuilder::name_last(const std::string& tensor, const std::string& name) {
  const int last = graph_.node_size() - 1;
  if (last < 0 || graph_.node(last).output(0) != tensor) {
    auto& node = *graph_.add_node();
    node.set_op_type("Identity");
    node.add_input(tensor);
    node.add_output(name);
    node.set_name(name);
    return;
  }
  auto& node = *graph_.mutable_node(last);
  node.set_output(0, name);
  node.set_name(name);
  names_.erase(tensor);
}

std::string ModelBuilder::finish() {
  constexpr size_t kLargest = std::numeric_limits<int32_t>::max();
  if (model_->ByteSizeLong() > kLargest)
    throw ExportError(fmt::format("export ONNX: the model has {} bytes, a file can have {}",
                                  model_->ByteSizeLong(), kLargest));
  if (opset_ == kWrittenOpset) {
    check(*model_);
  } else {
    ::onnx::ModelProto known = as_known(*model_);
    check(known);
    for (const auto& info : known.graph().value_info())
      if (info.type().tensor_type().elem_type() == TensorProto::FLOAT) *graph_.add_value_info() = info;
  }
  return model_->SerializeAsString();
}

}  // namespace n2d2::onnx
