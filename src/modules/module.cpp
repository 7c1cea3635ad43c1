#include "n2d2/modules/module.hpp"

#include "n2d2/ops/all.hpp"

namespace n2d2::modules {

namespace {

const targets::Target& target_of(std::string_view name) {
  const auto* found = targets::registry().find(name);
  if (found == nullptr) throw ConfigError(targets::registry().unknown("target", name));
  return **found;
}

}  // namespace

graph::OperatorRegistry& Registries::operators() {
  return ops::open_registry();
}

passes::PassRegistry& Registries::passes() {
  return passes::open_registry();
}

targets::Targets& Registries::targets() {
  return targets::registry();
}

delegates::DelegateRegistry& Registries::delegates() {
  return delegates::open_registry();
}

program::KernelLibrary& Registries::kernels(std::string_view target) {
  program::KernelLibrary* kernels = target_of(target).kernels();
  if (kernels == nullptr) throw ConfigError(fmt::format("-export {} has no kernels", target));
  return *kernels;
}

void Registries::add_recipe(std::string_view target, passes::Recipe recipe) {
  target_of(target);
  targets::recipes_of_modules(std::string(target)).push_back(std::move(recipe));
}

}  // namespace n2d2::modules
