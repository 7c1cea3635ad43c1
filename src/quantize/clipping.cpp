#include "n2d2/quantize/clipping.hpp"

#include "n2d2/base/error.hpp"

namespace n2d2::quantize {

void register_all_clippings(ClippingRegistry& registry);

const ClippingRegistry& clipping_registry() {
  static const ClippingRegistry all = [] {
    ClippingRegistry filled;
    register_all_clippings(filled);
    return filled;
  }();
  return all;
}

const Clipping& clipping(std::string_view name, std::string_view option) {
  if (const Clipping* found = clipping_registry().find(name)) return *found;
  const std::string known = join(clipping_registry().names(), ", ");
  if (name == "KL-Divergence" || name == "Quantile")
    throw ConfigError(fmt::format("{}: '{}' is not supported yet; known: {}", option, name, known));
  throw ConfigError(fmt::format("{}: unknown clipping mode '{}'; known: {}", option, name, known));
}

}  // namespace n2d2::quantize
