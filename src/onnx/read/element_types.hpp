// What is an element type of the file called, and which integers does it have?
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace n2d2::onnx {

/// "INT64", also of types that the installed ONNX library is too old to know ("INT4", "FLOAT8E4M3FN");
/// "number 99" of those that no operator set has. `type` as in TensorProto.DataType.
std::string element_type_name(int64_t type);

/// An integer type of at most 16 bits. Those of less than 8 are packed: the first element of a byte is in its
/// low bits.
struct NarrowType {
  int bits = 8;
  bool is_signed = false;

  int64_t lowest() const { return is_signed ? -(int64_t{1} << (bits - 1)) : 0; }
  int64_t highest() const { return (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1; }
  bool is_packed() const { return bits < 8; }
};
/// Nothing for all other types.
std::optional<NarrowType> narrow_type(int64_t type);

// Types that the installed ONNX library is too old to know.
inline constexpr int kUint4 = 21, kInt4 = 22, kUint2 = 25, kInt2 = 26;

}  // namespace n2d2::onnx
