#include "n2d2/ops/all.hpp"

namespace n2d2::ops {

void register_all_ops(graph::OperatorRegistry& registry);

const graph::OperatorRegistry& registry() {
  static const graph::OperatorRegistry all = [] {
    graph::OperatorRegistry filled;
    register_all_ops(filled);
    return filled;
  }();
  return all;
}

}  // namespace n2d2::ops
