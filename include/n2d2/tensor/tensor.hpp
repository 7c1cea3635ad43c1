// Where are the numbers? An owning, dense, aligned block with a shape, a type and a layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "n2d2/tensor/data_type.hpp"
#include "n2d2/tensor/quant_params.hpp"
#include "n2d2/tensor/shape.hpp"

namespace n2d2 {

/// What a wire of the graph carries. The batch extent of a graph's activations is 1; executors run more.
struct TensorType {
  Shape shape;
  DataType dtype = DataType::F32;
  Layout layout = Layout::Nchw;
  std::optional<QuantParams> quant;
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

/// Dense tensor, 64-byte aligned, zero-filled at construction; copies copy the bytes.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(Shape shape, DataType dtype = DataType::F32, Layout layout = Layout::Nchw);
  Tensor(const Tensor& other);
  Tensor& operator=(const Tensor& other);
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(Tensor&&) noexcept = default;
  ~Tensor() = default;

  static Tensor from(Shape shape, std::vector<float> values);

  const Shape& shape() const { return shape_; }
  DataType dtype() const { return dtype_; }
  Layout layout() const { return layout_; }
  int64_t elements() const { return elements_; }
  int64_t bytes() const { return elements_ * size_bytes(dtype_); }
  bool empty() const { return elements_ == 0; }

  void* raw() { return data_.get(); }
  const void* raw() const { return data_.get(); }
  /// Throws InternalError when T is not the element type.
  template <class T>
  T* data() {
    check_type(data_type_of<T>());
    return reinterpret_cast<T*>(data_.get());
  }
  template <class T>
  const T* data() const {
    check_type(data_type_of<T>());
    return reinterpret_cast<const T*>(data_.get());
  }
  template <class T = float>
  std::span<T> span() {
    return {data<T>(), static_cast<size_t>(elements_)};
  }
  template <class T = float>
  std::span<const T> span() const {
    return {data<T>(), static_cast<size_t>(elements_)};
  }

  void fill(float value);
  /// Gives the tensor another shape with as many elements; the bytes stay.
  void reshape(Shape shape);

  friend bool operator==(const Tensor& a, const Tensor& b) {
    return a.shape_ == b.shape_ && a.dtype_ == b.dtype_ && a.layout_ == b.layout_ &&
           (a.elements_ == 0 || std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.bytes())) == 0);
  }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  void check_type(DataType wanted) const;
  void allocate();

  Shape shape_;
  DataType dtype_ = DataType::F32;
  Layout layout_ = Layout::Nchw;
  int64_t elements_ = 0;
  std::unique_ptr<std::byte[], Free> data_;
};

/// Logical N,C,H,W tensor in the other layout; same type, same values.
Tensor to_layout(const Tensor& tensor, Layout layout);

}  // namespace n2d2
