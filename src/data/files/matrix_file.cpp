#include "matrix_file.hpp"

#include <fstream>

#include <fmt/format.h>

#include "n2d2/base/error.hpp"
#include "n2d2/data/sample_kind.hpp"
#include "n2d2/tensor/npy.hpp"

#include "array_file.hpp"
#include "mat.hpp"
#include "pixels.hpp"
#include "to_planes.hpp"

namespace n2d2::data {

Image read_matrix(const std::string& path) {
  const SampleKind kind = sample_kind(path);
  if (kind == SampleKind::None)
    throw ConfigError(fmt::format("{}: no reader for files that end like this", path), {},
                      "pictures (png, tif, ...) and arrays (npy, csv) are read");
  const Image found = kind == SampleKind::Array ? ArrayFile(path, {}).image(0) : read_picture(path);
  return mapped(found, DataType::F32, [](double x, size_t) { return x; });
}

void write_matrix(const std::string& path, const Image& matrix) {
  Tensor planes(Shape{1, matrix.channels(), matrix.height(), matrix.width()});
  to_planes(matrix, {}, planes.data<float>());
  std::ofstream file(path, std::ios::binary);
  file << npy(planes);
  file.close();
  if (!file) throw ConfigError(fmt::format("{}: cannot be written", path));
}

}  // namespace n2d2::data
