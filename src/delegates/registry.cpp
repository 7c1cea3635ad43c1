#include "n2d2/delegates/delegate.hpp"

namespace n2d2::delegates {

void register_all_delegates(DelegateRegistry& registry);

DelegateRegistry& open_registry() {
  static DelegateRegistry all = [] {
    DelegateRegistry out;
    register_all_delegates(out);
    return out;
  }();
  return all;
}

const DelegateRegistry& registry() {
  return open_registry();
}

}  // namespace n2d2::delegates
