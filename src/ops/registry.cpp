#include "n2d2/ops/all.hpp"

namespace n2d2::ops {

void register_all_ops(graph::OperatorRegistry& registry);

graph::OperatorRegistry& open_registry() {
  static graph::OperatorRegistry all = [] {
    graph::OperatorRegistry filled;
    register_all_ops(filled);
    return filled;
  }();
  return all;
}

const graph::OperatorRegistry& registry() {
  return open_registry();
}

}  // namespace n2d2::ops
