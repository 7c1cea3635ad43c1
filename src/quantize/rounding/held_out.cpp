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

Tensor read_samples(const SampleChoice& choice, const BatchSource& source, const WantsSample& wants,
                    int64_t most, int64_t most_bytes) {
  std::vector<float> values;
  Shape shape;
  int64_t read = 0, run = 0, kept = 0;
  Tensor batch;
  const auto is_enough = [&] {
    return kept >= most || static_cast<int64_t>(values.size() * sizeof(float)) >= most_bytes;
  };
  for (int64_t index = 0; !is_enough() && run < choice.count && source(index, batch); ++index) {
    const Tensor some = choice.of(batch, read, choice.count - run);
    read += batch.shape().n();
    if (some.empty()) continue;
    shape = some.shape();
    const int64_t size = shape.with_batch(1).elements();
    for (int64_t n = 0; n < shape.n() && !is_enough(); ++n) {
      if (!wants(run + n)) continue;
      const float* from = some.data<float>() + n * size;
      values.insert(values.end(), from, from + size);
      ++kept;
    }
    run += shape.n();
  }
  return kept == 0 ? Tensor() : Tensor::from(shape.with_batch(kept), std::move(values));
}

}  // namespace n2d2::quantize
