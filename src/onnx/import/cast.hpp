// Which element type has a constant, and what does it become in another one?
#pragma once

#include "node.hpp"

namespace n2d2::onnx {

/// TensorProto.DataType, as far as it is read.
enum ElementType : int64_t {
  kFloat = 1,
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kInt32,
  kInt64,
  kString,
  kBool,
  kHalf,
  kDouble,
  kUint32,
  kUint64,
  kBrain = 16
};

/// Computed with as float32, whatever their width.
bool is_real_type(int64_t type);
/// The element type of a constant: kFloat for all reals, kInt64 for integers of which nothing is known.
int64_t type_of(const Array& array);
/// Reals are cut off, wide integers wrap. Refused for types that are not read.
Array cast_constant(const Array& in, int64_t type);

}  // namespace n2d2::onnx
