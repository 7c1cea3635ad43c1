#include "same_shape.hpp"

namespace n2d2::compute::onednn {

void SameShapeKernel::begin_forward(const Batch& batch, int) {
  try {
    for (const int64_t count : counts_of(batch))
      variants_.get(count, [this](int64_t samples) {
        const SingleThread single;
        return build(samples);
      });
  } catch (const dnnl::error& error) {
    rethrow(error, context_.node);
  }
}

void SameShapeKernel::forward(const ForwardBlock& b) {
  const SameShapePrimitives& p = primitives(b.at);
  engine_.run(p.forward, {{DNNL_ARG_SRC, &p.data, b.in[0]}, {DNNL_ARG_DST, &p.data, b.out[0]}}, b.at.thread);
}

void SameShapeKernel::run_backward(const BackwardBlock& b, int given) {
  const SameShapePrimitives& p = primitives(b.at);
  engine_.run(p.backward,
              {{given, &p.data, given == DNNL_ARG_SRC ? b.in[0] : b.out[0]},
               {DNNL_ARG_DIFF_DST, &p.data, b.d_out[0]},
               {DNNL_ARG_DIFF_SRC, &p.data, b.d_in[0]}},
              b.at.thread);
}

}  // namespace n2d2::compute::onednn
