// Where are the values of a tensor that the model keeps in another file?
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace onnx {
class TensorProto;
}

namespace n2d2::onnx {

/// Whether the values of the tensor are in another file.
bool is_external(const ::onnx::TensorProto& tensor);

/// Reads bytes of files beside one model, in all at most 1 GiB.
class ExternalData {
 public:
  /// `folder` is that of the model; without one all tensors in other files are refused.
  explicit ExternalData(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  /// The bytes that `location`, `offset` and `length` of the tensor name. ModelError, message only: a path
  /// that is not relative or leaves the folder, also through links; no regular file; bytes behind its end.
  std::string bytes_of(const ::onnx::TensorProto& tensor);

 private:
  std::optional<std::filesystem::path> folder_;
  int64_t used_ = 0;
};

}  // namespace n2d2::onnx
