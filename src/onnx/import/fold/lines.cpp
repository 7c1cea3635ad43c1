#include "fold.hpp"

namespace n2d2::onnx {

Lines lines_of(const Extents& dims, size_t axis) {
  Lines out;
  for (size_t i = 0; i < dims.size(); ++i)
    (i < axis ? out.outer : i == axis ? out.extent : out.inner) *= dims[i];
  return out;
}

int64_t one_integer(const Array& array, std::string_view what) {
  if (!array.is_integer || array.size() != 1)
    refuse(fmt::format("{} has extents {}, expected one integer", what, text_of(array.dims)));
  return array.integers[0];
}

int64_t index_in(int64_t index, int64_t extent) {
  if (index < -extent || index >= extent) refuse(fmt::format("index {} of an axis of {}", index, extent));
  return index < 0 ? index + extent : index;
}

Array integers_like(const Extents& dims, bool is_truth) {
  Array out;
  out.is_integer = true;
  out.is_truth = is_truth;
  return out.like(dims);
}

}  // namespace n2d2::onnx
