// How does a shared library of the user add to the program?
//
//   #include <n2d2/modules/module.hpp>
//   N2D2_MODULE(n2d2) {
//     n2d2.add_layer<Mirror>();
//     n2d2.kernels("CPP").add(std::make_unique<MirrorKernel>());
//   }
//
// `n2d2 -module libmine.so`, or N2D2_MODULES=libmine.so:libother.so, loads it before anything else is done.
#pragma once

#include <string_view>

#include "n2d2/delegates/delegate.hpp"
#include "n2d2/graph/operator.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/modules/interface.hpp"
#include "n2d2/passes/pass.hpp"
#include "n2d2/program/kernel.hpp"
#include "n2d2/targets/target.hpp"

namespace n2d2::modules {

/// Everything that a module may add to. A name that is taken is an error of the module.
class Registries {
 public:
  graph::OperatorRegistry& operators();
  passes::PassRegistry& passes();
  targets::Targets& targets();
  delegates::DelegateRegistry& delegates();
  /// The kernels of a target. ConfigError when there is no such target, or it has none.
  program::KernelLibrary& kernels(std::string_view target);

  /// A recipe for one target. ConfigError when there is no such target.
  void add_recipe(std::string_view target, passes::Recipe recipe);

  /// A delegate with its options: `Backend.<kId>=1`.
  template <class D>
  void add_delegate() {
    delegates::register_delegate<D>(delegates());
  }

  /// An operator, and `Type=<its name>` for it in INI files.
  template <class Op>
  void add_layer() {
    graph::register_operator<Op>(operators());
    loader::add_layer_type(Op::kType);
  }
};

}  // namespace n2d2::modules

/// Begins the function of a module that is called once, with its Registries under the name given.
#define N2D2_MODULE(registries)                                                 \
  static void n2d2_fill_registries(n2d2::modules::Registries& registries);      \
  extern "C" const char* n2d2_module_interface() {                              \
    return N2D2_INTERFACE;                                                      \
  }                                                                             \
  extern "C" void n2d2_module_register(n2d2::modules::Registries& registries) { \
    n2d2_fill_registries(registries);                                           \
  }                                                                             \
  static void n2d2_fill_registries([[maybe_unused]] n2d2::modules::Registries& registries)
