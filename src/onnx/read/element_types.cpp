#include "element_types.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace n2d2::onnx {

std::string element_type_name(int64_t type) {
  static constexpr std::array<std::string_view, 27> kNames{
      "UNDEFINED",      "FLOAT",    "UINT8",        "INT8",           "UINT16",
      "INT16",          "INT32",    "INT64",        "STRING",         "BOOL",
      "FLOAT16",        "DOUBLE",   "UINT32",       "UINT64",         "COMPLEX64",
      "COMPLEX128",     "BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2",
      "FLOAT8E5M2FNUZ", "UINT4",    "INT4",         "FLOAT4E2M1",     "FLOAT8E8M0",
      "UINT2",          "INT2"};
  if (type < 0 || type >= static_cast<int64_t>(kNames.size())) return fmt::format("number {}", type);
  return std::string(kNames[static_cast<size_t>(type)]);
}

std::optional<NarrowType> narrow_type(int64_t type) {
  switch (type) {
    case kInt2:
      return NarrowType{2, true};
    case kUint2:
      return NarrowType{2, false};
    case kInt4:
      return NarrowType{4, true};
    case kUint4:
      return NarrowType{4, false};
    case ::onnx::TensorProto::INT8:
      return NarrowType{8, true};
    case ::onnx::TensorProto::UINT8:
      return NarrowType{8, false};
    case ::onnx::TensorProto::INT16:
      return NarrowType{16, true};
    case ::onnx::TensorProto::UINT16:
      return NarrowType{16, false};
    default:
      return std::nullopt;
  }
}

}  // namespace n2d2::onnx
