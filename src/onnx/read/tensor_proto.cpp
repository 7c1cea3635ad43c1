#include "tensor_proto.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include <onnx/onnx_pb.h>

namespace n2d2::onnx {

namespace {

using ::onnx::TensorProto;

/// IEEE 754 binary16.
float half(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits >> 15) << 31;
  const uint32_t exponent = (bits >> 10) & 0x1F, fraction = bits & 0x3FF;
  if (exponent == 0) return (sign != 0 ? -1.0F : 1.0F) * static_cast<float>(fraction) * 0x1p-24F;
  const uint32_t wide = sign | (exponent == 31 ? 0xFFU : exponent + 112) << 23 | fraction << 13;
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

float brain(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

void expect_count(const TensorProto& tensor, int64_t found, int64_t expected, const char* what) {
  if (found != expected)
    throw ModelError(
        fmt::format("tensor '{}' holds {} {}, its extents ask for {}", tensor.name(), found, what, expected));
}

/// Elements of type T as the machine stores them: little-endian, which the file's byte order is too.
template <class T, class Out, class Convert>
void read_raw(const TensorProto& tensor, std::vector<Out>& out, int64_t size, const Convert& convert) {
  const std::string& raw = tensor.raw_data();
  expect_count(tensor, static_cast<int64_t>(raw.size()), size * static_cast<int64_t>(sizeof(T)), "bytes");
  out.resize(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i) {
    T element;
    std::memcpy(&element, raw.data() + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    out[static_cast<size_t>(i)] = convert(element);
  }
}

/// From raw bytes of T when there are any, else from the typed field, whose elements are converted first.
template <class T, class Out, class Field, class Convert, class FromField>
void read_elements(const TensorProto& tensor, const Field& field, std::vector<Out>& out, int64_t size,
                   const Convert& convert, const FromField& from_field) {
  if (tensor.has_raw_data()) return read_raw<T>(tensor, out, size, convert);
  expect_count(tensor, field.size(), size, "values");
  out.reserve(static_cast<size_t>(size));
  for (const auto element : field) out.push_back(convert(from_field(element)));
}

void read_reals(const TensorProto& tensor, Array& out, int64_t size) {
  const auto to_float = [](auto x) { return static_cast<float>(x); };
  const auto same = [](auto x) { return x; };
  const auto low_bits = [](int32_t x) { return static_cast<uint16_t>(x); };
  switch (tensor.data_type()) {
    case TensorProto::FLOAT:
      return read_elements<float>(tensor, tensor.float_data(), out.reals, size, same, same);
    case TensorProto::DOUBLE:
      return read_elements<double>(tensor, tensor.double_data(), out.reals, size, to_float, same);
    case TensorProto::FLOAT16:
      return read_elements<uint16_t>(tensor, tensor.int32_data(), out.reals, size, half, low_bits);
    default:
      return read_elements<uint16_t>(tensor, tensor.int32_data(), out.reals, size, brain, low_bits);
  }
}

template <class T, class Field>
void read_integers(const TensorProto& tensor, const Field& field, Array& out, int64_t size) {
  out.is_integer = true;
  out.lowest = std::is_signed_v<T> ? static_cast<int64_t>(std::numeric_limits<T>::min()) : 0;
  out.highest = static_cast<int64_t>(
      std::min<uint64_t>(std::numeric_limits<T>::max(), std::numeric_limits<int64_t>::max()));
  read_elements<T>(
      tensor, field, out.integers, size, [](T x) { return static_cast<int64_t>(x); },
      [](auto x) { return static_cast<T>(x); });
}

}  // namespace

Array read_tensor(const TensorProto& tensor) {
  if (tensor.data_location() == TensorProto::EXTERNAL || tensor.external_data_size() > 0) {
    std::string file;
    for (const auto& entry : tensor.external_data())
      if (entry.key() == "location") file = entry.value();
    throw ModelError(fmt::format("the values of tensor '{}' lie in another file, '{}'", tensor.name(), file),
                     {}, "save the model with its data inside (onnx.save with save_as_external_data=False)");
  }
  if (tensor.has_segment()) throw ModelError(fmt::format("tensor '{}' is only a segment", tensor.name()));
  Array out;
  out.dims.assign(tensor.dims().begin(), tensor.dims().end());
  const int64_t size = elements_of(out.dims);
  switch (tensor.data_type()) {
    case TensorProto::FLOAT:
    case TensorProto::DOUBLE:
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
      read_reals(tensor, out, size);
      break;
    case TensorProto::INT8:
      read_integers<int8_t>(tensor, tensor.int32_data(), out, size);
      break;
    case TensorProto::UINT8:
      read_integers<uint8_t>(tensor, tensor.int32_data(), out, size);
      break;
    case TensorProto::BOOL:
      read_integers<uint8_t>(tensor, tensor.int32_data(), out, size);
      out.highest = 0;  // true and false are no integers of a scale
      break;
    case TensorProto::INT16:
      read_integers<int16_t>(tensor, tensor.int32_data(), out, size);
      break;
    case TensorProto::UINT16:
      read_integers<uint16_t>(tensor, tensor.int32_data(), out, size);
      break;
    case TensorProto::INT32:
      read_integers<int32_t>(tensor, tensor.int32_data(), out, size);
      break;
    case TensorProto::UINT32:
      read_integers<uint32_t>(tensor, tensor.uint64_data(), out, size);
      break;
    case TensorProto::INT64:
      read_integers<int64_t>(tensor, tensor.int64_data(), out, size);
      break;
    case TensorProto::UINT64:
      read_integers<uint64_t>(tensor, tensor.uint64_data(), out, size);
      break;
    default:
      throw ModelError(fmt::format("tensor '{}' has element type {}, which is not read", tensor.name(),
                                   TensorProto::DataType_Name(tensor.data_type()).empty()
                                       ? std::to_string(tensor.data_type())
                                       : TensorProto::DataType_Name(tensor.data_type())),
                       {}, "float and integer types are");
  }
  return out;
}

}  // namespace n2d2::onnx
