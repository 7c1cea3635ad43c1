#include "held_out.hpp"

#include <vector>

namespace n2d2::quantize {

Tensor SampleChoice::of(const Tensor& batch, int64_t first, int64_t most) const {
  const Shape& shape = batch.shape();
  const int64_t size = shape.with_batch(1).elements();
  std::vector<float> values;
  int64_t taken = 0;
  for (int64_t n = 0; n < shape.n() && taken < most; ++n)
    if ((first + n) % every == 0) {
      const float* from = batch.data<float>() + n * size;
      values.insert(values.end(), from, from + size);
      ++taken;
    }
  return taken == 0 ? Tensor() : Tensor::from(shape.with_batch(taken), std::move(values));
}

}  // namespace n2d2::quantize
