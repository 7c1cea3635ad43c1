// Who computes? A backend makes one kernel for each node and says in which layout activations lie.
#pragma once

#include <memory>

#include "kernel.hpp"

namespace n2d2::compute {

class KernelMaker {
 public:
  virtual ~KernelMaker() = default;
  virtual Layout layout() const = 0;
  /// The context outlives the kernel.
  virtual std::unique_ptr<Kernel> make(const KernelContext& context) = 0;
  /// Before a pass that uses threads [0, threads).
  virtual void reserve_threads(int /*threads*/) {}
  /// Processor seconds inside library primitives, summed over threads; 0 when they are not counted.
  virtual double thread_seconds() const { return 0; }
};

std::unique_ptr<KernelMaker> make_reference_backend();
/// `times`: counts thread_seconds().
std::unique_ptr<KernelMaker> make_onednn_backend(bool times);

/// The operator's own loops, in any layout: the reference, and what the other backends fall back to. Null is
/// never given.
std::unique_ptr<Kernel> make_operator_kernel(const KernelContext& context);
/// Null for another operator. For both backends: a gradient of it depends on the size of the whole batch, of
/// which the operator's own loops see a block.
std::unique_ptr<Kernel> make_quantize_activation(const KernelContext& context);
/// Null for another operator, and for one with grids of its channels. In the layout of either backend.
std::unique_ptr<Kernel> make_fake_quantize(const KernelContext& context);

}  // namespace n2d2::compute
