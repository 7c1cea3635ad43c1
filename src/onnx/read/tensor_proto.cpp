#include "tensor_proto.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include <onnx/onnx_pb.h>

#include "n2d2/tensor/integer_types.hpp"

#include "element_types.hpp"
#include "external_data.hpp"

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

/// A tensor, and its bytes where they are those of another file.
struct Source {
  const TensorProto& tensor;
  const std::string* outside;

  bool has_bytes() const { return outside != nullptr || tensor.has_raw_data(); }
  const std::string& bytes() const { return outside != nullptr ? *outside : tensor.raw_data(); }
};

/// Elements of type T as the machine stores them: little-endian, which the file's byte order is too.
template <class T, class Out, class Convert>
void read_raw(const Source& source, std::vector<Out>& out, int64_t size, const Convert& convert) {
  const std::string& raw = source.bytes();
  expect_count(source.tensor, static_cast<int64_t>(raw.size()), size * static_cast<int64_t>(sizeof(T)),
               "bytes");
  out.resize(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i) {
    T element;
    std::memcpy(&element, raw.data() + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    out[static_cast<size_t>(i)] = convert(element);
  }
}

/// From raw bytes of T when there are any, else from the typed field, whose elements are converted first.
template <class T, class Out, class Field, class Convert, class FromField>
void read_elements(const Source& source, const Field& field, std::vector<Out>& out, int64_t size,
                   const Convert& convert, const FromField& from_field) {
  if (source.has_bytes()) return read_raw<T>(source, out, size, convert);
  expect_count(source.tensor, field.size(), size, "values");
  out.reserve(static_cast<size_t>(size));
  for (const auto element : field) out.push_back(convert(from_field(element)));
}

void read_reals(const Source& source, Array& out, int64_t size) {
  const TensorProto& tensor = source.tensor;
  const auto to_float = [](auto x) { return static_cast<float>(x); };
  const auto same = [](auto x) { return x; };
  const auto low_bits = [](int32_t x) { return static_cast<uint16_t>(x); };
  switch (tensor.data_type()) {
    case TensorProto::FLOAT:
      return read_elements<float>(source, tensor.float_data(), out.reals, size, same, same);
    case TensorProto::DOUBLE:
      return read_elements<double>(source, tensor.double_data(), out.reals, size, to_float, same);
    case TensorProto::FLOAT16:
      return read_elements<uint16_t>(source, tensor.int32_data(), out.reals, size, half, low_bits);
    default:
      return read_elements<uint16_t>(source, tensor.int32_data(), out.reals, size, brain, low_bits);
  }
}

template <class T, class Field>
void read_integers(const Source& source, const Field& field, Array& out, int64_t size) {
  out.is_integer = true;
  out.lowest = std::is_signed_v<T> ? static_cast<int64_t>(std::numeric_limits<T>::min()) : 0;
  out.highest = static_cast<int64_t>(
      std::min<uint64_t>(std::numeric_limits<T>::max(), std::numeric_limits<int64_t>::max()));
  read_elements<T>(
      source, field, out.integers, size, [](T x) { return static_cast<int64_t>(x); },
      [](auto x) { return static_cast<T>(x); });
}

/// Integers that share bytes, also in int32_data. The last byte may have bits that belong to no element.
void read_packed(const Source& source, const NarrowType& type, Array& out, int64_t size) {
  const int64_t per_byte = kBitsOfByte / type.bits;
  std::vector<uint8_t> bytes;
  read_elements<uint8_t>(
      source, source.tensor.int32_data(), bytes, (size + per_byte - 1) / per_byte,
      [](uint8_t x) { return x; }, [](int32_t x) { return static_cast<uint8_t>(x); });
  out.is_integer = true;
  out.lowest = type.lowest();
  out.highest = type.highest();
  out.integers.reserve(static_cast<size_t>(size));
  const int64_t values = int64_t{1} << type.bits;
  for (int64_t i = 0; i < size; ++i) {
    const int64_t bits =
        bytes[static_cast<size_t>(i / per_byte)] >> (i % per_byte * type.bits) & (values - 1);
    out.integers.push_back(bits > out.highest ? bits - values : bits);
  }
}

}  // namespace

Array read_tensor(const TensorProto& tensor, ExternalData& files) {
  if (!is_external(tensor)) return read_tensor(tensor);
  const std::string bytes = files.bytes_of(tensor);
  return read_tensor(tensor, &bytes);
}

Array read_tensor(const TensorProto& tensor, const std::string* outside) {
  N2D2_CHECK(outside != nullptr || !is_external(tensor), "tensor '{}': its values are in another file",
             tensor.name());
  const Source source{tensor, outside};
  if (tensor.has_segment()) throw ModelError(fmt::format("tensor '{}' is only a segment", tensor.name()));
  Array out;
  out.dims.assign(tensor.dims().begin(), tensor.dims().end());
  const int64_t size = elements_of(out.dims);
  switch (tensor.data_type()) {
    case TensorProto::FLOAT:
    case TensorProto::DOUBLE:
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
      read_reals(source, out, size);
      break;
    case TensorProto::INT8:
      read_integers<int8_t>(source, tensor.int32_data(), out, size);
      break;
    case TensorProto::UINT8:
      read_integers<uint8_t>(source, tensor.int32_data(), out, size);
      break;
    case TensorProto::BOOL:
      read_integers<uint8_t>(source, tensor.int32_data(), out, size);
      out.highest = 0;  // true and false are no integers of a scale
      out.is_truth = true;
      break;
    case TensorProto::INT16:
      read_integers<int16_t>(source, tensor.int32_data(), out, size);
      break;
    case TensorProto::UINT16:
      read_integers<uint16_t>(source, tensor.int32_data(), out, size);
      break;
    case TensorProto::INT32:
      read_integers<int32_t>(source, tensor.int32_data(), out, size);
      break;
    case TensorProto::UINT32:
      read_integers<uint32_t>(source, tensor.uint64_data(), out, size);
      break;
    case TensorProto::INT64:
      read_integers<int64_t>(source, tensor.int64_data(), out, size);
      break;
    case TensorProto::UINT64:
      read_integers<uint64_t>(source, tensor.uint64_data(), out, size);
      break;
    default:
      const std::optional<NarrowType> narrow = narrow_type(tensor.data_type());
      if (!narrow)
        throw ModelError(fmt::format("tensor '{}' has element type {}, which is not read", tensor.name(),
                                     element_type_name(tensor.data_type())),
                         {}, "integers and floats of 16 bits and more are");
      read_packed(source, *narrow, out, size);
  }
  return out;
}

}  // namespace n2d2::onnx
