// Which operators does oneDNN take over? Each maker gives a kernel, or null where the operator's own loops
// do.
#pragma once

#include <memory>

#include "../backend.hpp"
#include "engine.hpp"

namespace n2d2::compute::onednn {

/// What every oneDNN kernel is made for.
struct Maker {
  Engine& engine;
  const KernelContext& context;
};

std::unique_ptr<Kernel> make_batchnorm(const Maker& maker);
std::unique_ptr<Kernel> make_concat(const Maker& maker);
std::unique_ptr<Kernel> make_conv(const Maker& maker);
std::unique_ptr<Kernel> make_deconv(const Maker& maker);
std::unique_ptr<Kernel> make_elemwise(const Maker& maker);
std::unique_ptr<Kernel> make_fc(const Maker& maker);
std::unique_ptr<Kernel> make_lrn(const Maker& maker);
std::unique_ptr<Kernel> make_log_softmax(const Maker& maker);
std::unique_ptr<Kernel> make_nonlinearity(const Maker& maker);
std::unique_ptr<Kernel> make_pool(const Maker& maker);
std::unique_ptr<Kernel> make_relu(const Maker& maker);
std::unique_ptr<Kernel> make_saturation(const Maker& maker);
std::unique_ptr<Kernel> make_softmax(const Maker& maker);

}  // namespace n2d2::compute::onednn
