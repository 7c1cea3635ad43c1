// Where are the values of a whole batch?
#pragma once

#include "samples.hpp"

namespace n2d2::compute {

/// Activations or gradients of one value for the whole batch; grows, never shrinks.
class Buffer {
 public:
  void reserve(const Shape& sample, int64_t samples) {
    size_ = sample_size(sample);
    if (storage_.elements() < size_ * samples) storage_ = Tensor(Shape{samples, size_});
  }
  float* at(int64_t sample) { return storage_.data<float>() + sample * size_; }
  const float* at(int64_t sample) const { return storage_.data<float>() + sample * size_; }
  int64_t size() const { return size_; }

 private:
  Tensor storage_;
  int64_t size_ = 0;
};

}  // namespace n2d2::compute
