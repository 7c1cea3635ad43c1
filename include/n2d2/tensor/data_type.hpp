// Which element types exist, and how many bytes is one?
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "n2d2/base/fields.hpp"

namespace n2d2 {

/// Activations: F32, I8, U8, I16, U16. Weights: F32, I8, I16. Biases and sums: F32, I32, above 8 bits I64.
enum class DataType { F32, I8, U8, I16, U16, I32, I64 };

template <>
struct EnumText<DataType> {
  static constexpr std::array names{"f32", "i8", "u8", "i16", "u16", "i32", "i64"};
};

constexpr int64_t size_bytes(DataType type) {
  switch (type) {
    case DataType::I8:
    case DataType::U8:
      return 1;
    case DataType::I16:
    case DataType::U16:
      return 2;
    case DataType::I64:
      return 8;
    case DataType::F32:
    case DataType::I32:
      break;
  }
  return 4;
}

template <class T>
constexpr DataType data_type_of() {
  if constexpr (std::is_same_v<T, float>)
    return DataType::F32;
  else if constexpr (std::is_same_v<T, int8_t>)
    return DataType::I8;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return DataType::U8;
  else if constexpr (std::is_same_v<T, int16_t>)
    return DataType::I16;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return DataType::U16;
  else if constexpr (std::is_same_v<T, int32_t>)
    return DataType::I32;
  else {
    static_assert(std::is_same_v<T, int64_t>);
    return DataType::I64;
  }
}

inline std::string to_string(DataType type) {
  return ValueText<DataType>::print(type);
}

/// How the bytes of a logical N,C,H,W tensor lie in memory.
enum class Layout { Nchw, Nhwc };

template <>
struct EnumText<Layout> {
  static constexpr std::array names{"nchw", "nhwc"};
};

}  // namespace n2d2
