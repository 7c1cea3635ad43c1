#include "external_data.hpp"

#include <algorithm>
#include <fstream>

#include <onnx/onnx_pb.h>

#include "n2d2/base/error.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/base/text.hpp"

namespace n2d2::onnx {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostBytes = int64_t{1} << 30;

/// Which bytes of which file.
struct Place {
  std::string location;
  int64_t offset = 0;
  std::optional<int64_t> length;
};

[[noreturn]] void refuse_place(const ::onnx::TensorProto& tensor, const std::string& reason,
                               const std::string& hint = {}) {
  throw ModelError(fmt::format("tensor '{}', whose values are in another file: {}", tensor.name(), reason),
                   {}, hint);
}

Place place_of(const ::onnx::TensorProto& tensor) {
  Place place;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") place.location = entry.value();
    if (entry.key() != "offset" && entry.key() != "length") continue;
    const auto number = parse_whole(entry.value());
    if (!number || *number < 0)
      refuse_place(tensor, fmt::format("{} '{}', expected a number of bytes", entry.key(), entry.value()));
    if (entry.key() == "offset")
      place.offset = *number;
    else
      place.length = *number;
  }
  return place;
}

bool leaves_its_folder(const fs::path& path) {
  return std::find(path.begin(), path.end(), "..") != path.end();
}

/// The file without links, inside the folder.
fs::path file_of(const ::onnx::TensorProto& tensor, const fs::path& folder, const std::string& location) {
  const fs::path path(location);
  if (path.empty() || path.is_absolute() || leaves_its_folder(path))
    refuse_place(tensor, fmt::format("'{}' is no path inside the folder of the model", location),
                 "keep the files of a model in one folder, with relative paths");
  std::error_code error;
  const fs::path base = fs::canonical(folder.empty() ? "." : folder, error);
  const fs::path file = fs::canonical(base / path, error);
  if (error)
    refuse_place(
        tensor,
        fmt::format("'{}': {}", location,
                    error == std::errc::no_such_file_or_directory ? "no such file" : error.message()),
        "it is looked for beside the model");
  if (leaves_its_folder(file.lexically_relative(base)))
    refuse_place(tensor, fmt::format("'{}' is a link that leaves the folder of the model", location),
                 "copy the file itself beside the model");
  return file;
}

}  // namespace

bool is_external(const ::onnx::TensorProto& tensor) {
  return tensor.data_location() == ::onnx::TensorProto::EXTERNAL || tensor.external_data_size() > 0;
}

std::string ExternalData::bytes_of(const ::onnx::TensorProto& tensor) {
  const Place place = place_of(tensor);
  if (!folder_)
    refuse_place(tensor, fmt::format("'{}' has no folder to look in", place.location),
                 "save the model with its data inside (onnx.save with save_as_external_data=False)");
  const fs::path file = file_of(tensor, *folder_, place.location);
  try {
    expect_regular_file(file);
  } catch (const FileError& error) {
    refuse_place(tensor, fmt::format("'{}': {}", place.location, error.reason));
  }
  std::error_code ignored;
  const auto size = static_cast<int64_t>(fs::file_size(file, ignored));
  const int64_t length = place.length.value_or(std::max<int64_t>(0, size - place.offset));
  if (place.offset > size || length > size - place.offset)
    refuse_place(tensor,
                 fmt::format("'{}' has {} bytes, expected {} from byte {} on", place.location,
                             with_thousands(size), with_thousands(length), with_thousands(place.offset)),
                 "was it cut off while it was copied?");
  used_ += length;
  if (used_ > kMostBytes) refuse_place(tensor, "the tensors of the model have more than 1 GiB");
  std::string bytes(static_cast<size_t>(length), '\0');
  std::ifstream in(file, std::ios::binary);
  in.seekg(place.offset);
  if (length > 0 && !in.read(bytes.data(), length))
    refuse_place(tensor, fmt::format("'{}' cannot be read", place.location));
  return bytes;
}

}  // namespace n2d2::onnx
