// What is a tensor whose values are known while importing? Reals or integers under extents of any rank.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "n2d2/tensor/tensor.hpp"

namespace n2d2::onnx {

using Extents = std::vector<int64_t>;

/// "1x3x224x224", "scalar" for rank 0.
std::string text_of(const Extents& dims);
/// Product of all extents. ModelError when one is negative or the product passes 2^31 - 1.
int64_t elements_of(const Extents& dims);

/// Values in row-major order. Booleans and all integer types are integers, all float types reals.
struct Array {
  Extents dims;
  bool is_integer = false;
  /// The integers are 1 for true and 0 for false.
  bool is_truth = false;
  std::vector<float> reals;
  std::vector<int64_t> integers;
  /// Bounds of the file's integer type, or of a Clip behind it; both 0 for integers that folding made. Where
  /// there are steps, bounds of reals / steps.
  int64_t lowest = 0, highest = 0;
  /// Real value of one integer step for each element of reals that DequantizeLinear or Quant made. Empty for
  /// all other arrays.
  std::vector<float> steps;

  static Array of_reals(Extents dims, std::vector<float> values);
  static Array of_integers(Extents dims, std::vector<int64_t> values);
  /// Zeros of a type like this one's, with steps if it has them. ModelError above 2^25 elements, unless this
  /// array has as many.
  Array like(Extents of) const;

  int64_t bytes() const {
    return static_cast<int64_t>(integers.size() * 8 + reals.size() * 4 + steps.size() * 4);
  }
  int64_t size() const { return static_cast<int64_t>(is_integer ? integers.size() : reals.size()); }
  double at(int64_t i) const {
    return is_integer ? static_cast<double>(integers[static_cast<size_t>(i)])
                      : static_cast<double>(reals[static_cast<size_t>(i)]);
  }
  /// Element i of another array of the same type becomes element `to` of this one, with its step.
  void take(int64_t to, const Array& other, int64_t i);
  Array with_dims(Extents of) const;

  /// float32, or int64 for integers.
  Tensor tensor() const;
};
using ArrayPtr = std::shared_ptr<const Array>;

/// Extents after numpy's broadcast. ModelError when they do not fit.
Extents broadcast(const Extents& a, const Extents& b);
/// Calls body(element, a, b) for each element of the broadcast result with the indices into both operands.
void for_broadcast(const Extents& out, const Extents& a, const Extents& b,
                   const std::function<void(int64_t, int64_t, int64_t)>& body);
/// Row-major steps, in elements.
Extents strides_of(const Extents& dims);

}  // namespace n2d2::onnx
