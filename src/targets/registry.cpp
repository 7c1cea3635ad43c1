#include <map>

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

std::vector<passes::Recipe>& recipes_of_modules(const std::string& target) {
  static std::map<std::string, std::vector<passes::Recipe>> all;
  return all[target];
}

}  // namespace n2d2::targets
