#include "n2d2/delegates/delegate.hpp"

namespace n2d2::delegates {

void register_all_delegates(DelegateRegistry& registry);

const DelegateRegistry& registry() {
  static const DelegateRegistry all = [] {
    DelegateRegistry out;
    register_all_delegates(out);
    return out;
  }();
  return all;
}

}  // namespace n2d2::delegates
