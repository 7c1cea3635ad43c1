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

std::vector<std::string> clipping_names() {
  return clipping_registry().names();
}

std::vector<std::string> weight_clipping_names() {
  std::vector<std::string> names = clipping_names();
  std::erase_if(names,
                [](const std::string& name) { return !clipping_registry().find(name)->is_for_weights; });
  return names;
}

const Clipping& clipping(std::string_view name, std::string_view option) {
  if (const Clipping* found = clipping_registry().find(name)) return *found;
  throw ConfigError(
      fmt::format("{}: unknown clipping mode '{}'; known: {}", option, name, join(clipping_names(), ", ")));
}

const Clipping& weight_clipping(std::string_view name) {
  const Clipping& found = clipping(name, "-wt-clipping-mode");
  if (!found.is_for_weights)
    throw ConfigError(fmt::format("-wt-clipping-mode: '{}' is for activations; known: {}", name,
                                  join(weight_clipping_names(), ", ")));
  return found;
}

}  // namespace n2d2::quantize
