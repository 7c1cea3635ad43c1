// Answers: what do two fully connected layers compute, if the map between them is never there as a whole?
// Part of an exported project; may be used without condition.
//
// The bytes of fc twice, of 8 bits, the outputs of more where a network ends. A slice of the map between is made at a time, and its
// products are added to the sums of the outputs, in 32 bits; nothing is computed twice.
// Config fields of the call, besides those of plane.hpp (in_, out_, bottom_up, ordered):
//   slices   of the map between; >= 1, divides its channels
// Layer<C> of both, with configs of their own:
//     first: fc.hpp; out_c: channels of a slice
//     second: fc.hpp; in_: a slice, out_: the output of the call
// Arrays: those of both; weights of `second` [slices][out_c][channels of a slice]. None is read packed, neither runs on several threads.
// Output and input must not overlap.
// Stack: at most kStackBytes (plane.hpp) in the portable form.
// Scratch: fc_chain_scratch() bytes, at any address.
#pragma once

#include "fc.hpp"
#include "partial_sums.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// A slice of the map between, and what it adds to the sums; each has a frame of its own.
template <class C, class In, class Weight, class Sum, class Factor>
N2D2_APART void make_slice(const C& c, const In* in, uint8_t* between, const Weight* weights, const Sum* bias,
                           const Factor* factor) {
  const Stored<uint8_t> to = {between};
  fc_blocks(c, in, to, weights, bias, factor);
}
template <class C, class Weight, class Sum, class Factor>
N2D2_APART void add_slice(const C& c, const uint8_t* between, int32_t* sums, const Weight* weights,
                          const Sum* bias, const Factor* factor) {
  const Partial to = {sums, 0};
  fc_blocks(c, between, to, weights, bias, factor);
}

template <class C, class In, class Out, class First, class Second>
N2D2_INLINE void fc_chain(const C& c, Rows rows, const In* in, Out* out, uint8_t* scratch, const First& first,
                          const Second& second) {
  if (rows.count < 1) return;
  int32_t* const sums = sums_in(scratch);
  uint8_t* const between = reinterpret_cast<uint8_t*>(sums + c.out_c);
  const ptrdiff_t window = static_cast<ptrdiff_t>(c.in_h) * c.in_w * c.in_c;
  clear(sums, c.out_c);
  for (int channel = 0; channel < c.slices * first.c.out_c; channel += first.c.out_c) {
    make_slice(first.c, in, between, first.weights + channel * window, first.bias + channel,
               first.factor + channel * first.c.factor_step);
    add_slice(second.c, between, sums, second.weights + static_cast<ptrdiff_t>(channel) * c.out_c,
              second.bias, second.factor);
  }
  finish_row(second.c, sums, out, second.bias, second.factor, 0);
}

}  // namespace N2D2_EXPORT_NAMESPACE
