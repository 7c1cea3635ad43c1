// What values does a TensorProto hold?
#pragma once

#include <string>

#include "array.hpp"

namespace onnx {
class TensorProto;
}

namespace n2d2::onnx {

class ExternalData;

/// Of a tensor whose values are in another file, which `files` finds, too. ModelError as below and as ExternalData.
Array read_tensor(const ::onnx::TensorProto& tensor, ExternalData& files);
/// `outside`: its bytes where they are those of another file (ExternalData), else null. ModelError, message only: a
/// type that is not read, 2^31 elements, bytes that do not fit the extents.
Array read_tensor(const ::onnx::TensorProto& tensor, const std::string* outside = nullptr);

}  // namespace n2d2::onnx
