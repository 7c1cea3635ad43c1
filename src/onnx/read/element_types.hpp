// What is an element type of the file called?
#pragma once

#include <cstdint>
#include <string>

namespace n2d2::onnx {

/// "INT64", also of types that the installed ONNX library is too old to know ("INT4", "FLOAT8E4M3FN");
/// "number 99" of those that no operator set has. `type` as in TensorProto.DataType.
std::string element_type_name(int64_t type);

}  // namespace n2d2::onnx
