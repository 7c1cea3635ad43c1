// Which operators exist? All of them, by type name.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// Filled once from the sorted list of src/ops/CMakeLists.txt.
const graph::OperatorRegistry& registry();
/// For modules, before any graph is read.
graph::OperatorRegistry& open_registry();

}  // namespace n2d2::ops
