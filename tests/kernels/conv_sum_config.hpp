// Which values may a test give the fields of conv_sum.hpp?
#pragma once

#include "kernels/planned_tensor.hpp"

namespace n2d2::kernels_test {

template <class C>
void set_addend(C& c, const Placement& p) {
  c.addend_pixel = p.pixel, c.addend_row = p.row, c.addend_ring = p.ring;
  c.addend_first = p.first, c.addend_turn = p.turn();
}

// Bounds of 8 bits, which outputs of every type hold.
template <class Bound>
void set_sum(Generator& random, ConvSumConfig<Bound>& c) {
  c.sum_lo = random.in(0, 20), c.sum_hi = random.in(60, 127);
  c.sum_shift = random.in(1, 12);
  const int one = std::is_same_v<Bound, float> ? 2 : 1 << c.sum_shift;
  c.multiplier = static_cast<Bound>(random.in(-one, one)),
  c.addend_multiplier = static_cast<Bound>(random.in(1, one));
  c.addend_is_signed = random.in(0, 1), c.addend_index = random.in(0, 1);
}

}  // namespace n2d2::kernels_test
