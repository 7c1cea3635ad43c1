// Which operators does oneDNN take over? Each maker gives a kernel, or null where the operator's own loops do.
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

std::unique_ptr<Kernel> make_conv(const Maker& maker);
std::unique_ptr<Kernel> make_fc(const Maker& maker);

}  // namespace n2d2::compute::onednn
