// What do max_pool and average_pool have in common?
#pragma once

#include "n2d2/targets/cpp/config.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct PoolConfig : Planes, RescaleFields<Bound> {
  int pool_w = 1, pool_h = 1, stride_x = 1, stride_y = 1, pad_x = 0, pad_y = 0, count_zeros = 0, parallel = 0;
  int64_t start = 0;
  int pad_value = 0, by_count = 0, counted_x = 0, counted_y = 0, counted_w = 0, counted_h = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_planes(v), this->visit_rescale(v);
    v("pool_w", pool_w), v("pool_h", pool_h), v("stride_x", stride_x), v("stride_y", stride_y);
    v("pad_x", pad_x), v("pad_y", pad_y), v("count_zeros", count_zeros), v("parallel", parallel);
    v("by_count", by_count), v("counted_x", counted_x), v("counted_y", counted_y);
    v("counted_w", counted_w), v("counted_h", counted_h);
    if (start != 0) v("start", start);
    if (pad_value != 0) v("pad_value", pad_value);
  }
};

}  // namespace n2d2::targets::cpp
