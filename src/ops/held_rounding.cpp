#include "held_rounding.hpp"

namespace n2d2::ops {

void HeldRounding::forward(const graph::ForwardArgs& args) const {
  const float* x = args.in[0]->data<float>();
  float* y = args.out[0]->data<float>();
  const double width = step ? step(args.in[1]->data<float>()[0]) : 1;
  for (size_t i = 0; i < held.size(); ++i)
    y[i] = static_cast<float>((is_inside[i] != 0 ? double{x[i]} : 0) + width * held[i]);
}

}  // namespace n2d2::ops
