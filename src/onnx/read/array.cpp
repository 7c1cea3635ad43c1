#include "array.hpp"

#include <algorithm>

namespace n2d2::onnx {

std::string text_of(const Extents& dims) {
  std::string text;
  for (const int64_t extent : dims) text += fmt::format("{}{}", text.empty() ? "" : "x", extent);
  return text.empty() ? "scalar" : text;
}

int64_t elements_of(const Extents& dims) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  bool empty = false;
  for (const int64_t extent : dims) {
    if (extent < 0)
      throw ModelError(fmt::format("a tensor has extents {}, expected none below 0", text_of(dims)));
    empty = empty || extent == 0;
  }
  if (empty) return 0;
  int64_t size = 1;
  for (const int64_t extent : dims) {
    if (extent > kMost / size)
      throw ModelError(fmt::format("a tensor of {} has 2^31 elements or more", text_of(dims)));
    size *= extent;
  }
  return size;
}

Array Array::of_reals(Extents dims, std::vector<float> values) {
  N2D2_CHECK(elements_of(dims) == static_cast<int64_t>(values.size()), "{} values for {}", values.size(),
             text_of(dims));
  Array out;
  out.dims = std::move(dims);
  out.reals = std::move(values);
  return out;
}

Array Array::of_integers(Extents dims, std::vector<int64_t> values) {
  N2D2_CHECK(elements_of(dims) == static_cast<int64_t>(values.size()), "{} values for {}", values.size(),
             text_of(dims));
  Array out;
  out.dims = std::move(dims);
  out.is_integer = true;
  out.integers = std::move(values);
  return out;
}

Array Array::like(Extents of) const {
  // A constant that a small file asks for is not worth all the memory there is.
  constexpr int64_t kMostFolded = int64_t{1} << 25;
  const int64_t asked = elements_of(of);
  if (asked > std::max(kMostFolded, size()))
    throw ModelError(fmt::format("a constant of {} has more than 2^25 elements", text_of(of)), {},
                     "store large constants as initializers");
  Array out;
  out.dims = std::move(of);
  out.is_integer = is_integer;
  out.is_truth = is_truth;
  out.lowest = lowest;
  out.highest = highest;
  if (is_integer)
    out.integers.assign(static_cast<size_t>(asked), 0);
  else
    out.reals.assign(static_cast<size_t>(asked), 0.0F);
  if (!steps.empty()) out.steps.assign(static_cast<size_t>(asked), 0.0F);
  return out;
}

void Array::take(int64_t to, const Array& other, int64_t i) {
  N2D2_CHECK(is_integer == other.is_integer, "arrays of two types");
  if (is_integer)
    integers.at(static_cast<size_t>(to)) = other.integers.at(static_cast<size_t>(i));
  else
    reals.at(static_cast<size_t>(to)) = other.reals.at(static_cast<size_t>(i));
  if (steps.empty()) return;
  steps.at(static_cast<size_t>(to)) = other.steps.empty() ? 0.0F : other.steps.at(static_cast<size_t>(i));
}

Array Array::with_dims(Extents of) const {
  Array out = *this;
  out.dims = std::move(of);
  N2D2_CHECK(elements_of(out.dims) == size(), "{} elements as {}", size(), text_of(out.dims));
  return out;
}

Tensor Array::tensor() const {
  Tensor out(Shape(dims), is_integer ? DataType::I64 : DataType::F32);
  if (is_integer)
    std::copy(integers.begin(), integers.end(), out.data<int64_t>());
  else
    std::copy(reals.begin(), reals.end(), out.data<float>());
  return out;
}

Extents strides_of(const Extents& dims) {
  Extents strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

Extents broadcast(const Extents& a, const Extents& b) {
  Extents out(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      throw ModelError(fmt::format("{} and {} do not broadcast", text_of(a), text_of(b)));
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

void for_broadcast(const Extents& out, const Extents& a, const Extents& b,
                   const std::function<void(int64_t, int64_t, int64_t)>& body) {
  const auto steps = [&](const Extents& dims) {
    Extents result(out.size(), 0);
    const Extents own = strides_of(dims);
    for (size_t i = 0; i < dims.size(); ++i)
      if (dims[i] != 1) result[out.size() - dims.size() + i] = own[i];
    return result;
  };
  const Extents step_a = steps(a), step_b = steps(b);
  Extents index(out.size(), 0);
  const int64_t size = elements_of(out);
  int64_t at_a = 0, at_b = 0;
  for (int64_t i = 0; i < size; ++i) {
    body(i, at_a, at_b);
    for (size_t axis = out.size(); axis-- > 0;) {
      at_a += step_a[axis];
      at_b += step_b[axis];
      if (++index[axis] < out[axis]) break;
      at_a -= step_a[axis] * out[axis];
      at_b -= step_b[axis] * out[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace n2d2::onnx
