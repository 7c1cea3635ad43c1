// What values does a TensorProto hold?
#pragma once

#include <string>

#include "array.hpp"

namespace onnx {
class TensorProto;
}

namespace n2d2::onnx {

class ExternalData;

/// Reads a tensor, whose values may be in another file that `files` finds. Throws ModelError as the overload
/// below and as ExternalData does.
Array read_tensor(const ::onnx::TensorProto& tensor, ExternalData& files);
/// `outside`: its bytes where they are those of another file (ExternalData), else null. ModelError, message
/// only: a type that is not read, 2^31 elements, bytes that do not fit the extents.
Array read_tensor(const ::onnx::TensorProto& tensor, const std::string* outside = nullptr);

}  // namespace n2d2::onnx
