// What values does a TensorProto hold?
#pragma once

#include "array.hpp"

namespace onnx {
class TensorProto;
}

namespace n2d2::onnx {

/// ModelError, message only: data in another file, a type that is not read, 2^31 elements, bytes that do not fit
/// the extents.
Array read_tensor(const ::onnx::TensorProto& tensor);

}  // namespace n2d2::onnx
