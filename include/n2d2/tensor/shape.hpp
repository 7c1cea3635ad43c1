// What is the extent of a tensor? Always in logical order: activations N,C,H,W, weights O,I,H,W.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "n2d2/base/error.hpp"

namespace n2d2 {

/// Extents, outermost first. Activations have rank 4; a vector of channels has rank 1.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
  explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}

  size_t rank() const { return dims_.size(); }
  int64_t operator[](size_t i) const { return dims_[i]; }
  int64_t& operator[](size_t i) { return dims_[i]; }
  const std::vector<int64_t>& dims() const { return dims_; }

  /// Returns one extent of an activation N,C,H,W (rank 4).
  int64_t n() const { return at(0); }
  int64_t c() const { return at(1); }
  int64_t h() const { return at(2); }
  int64_t w() const { return at(3); }

  /// Product of all extents; 1 for rank 0. ModelError when it passes 2^31 - 1.
  int64_t elements() const;
  /// Returns the shape with another batch extent.
  Shape with_batch(int64_t n) const;
  /// "1x3x32x32"
  std::string text() const;

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  int64_t at(size_t i) const {
    N2D2_CHECK(dims_.size() == 4, "shape {} is not N,C,H,W", text());
    return dims_[i];
  }
  std::vector<int64_t> dims_;
};

}  // namespace n2d2
