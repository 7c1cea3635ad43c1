#include "n2d2/targets/target.hpp"

namespace n2d2::targets {

void register_all_targets(Targets& registry);

Targets& registry() {
  static Targets all = [] {
    Targets filled;
    register_all_targets(filled);
    return filled;
  }();
  return all;
}

}  // namespace n2d2::targets
