// How are channels picked, dropped or added, when there is no such operator? By a 1x1 Conv of zeros and ones.
#pragma once

#include "node.hpp"

namespace n2d2::onnx {

/// Channel i of the result is channel `from[i]` of the value, or zeros where that is -1. `suffix` as in
/// Node::add.
graph::ValueId pick_channels(Node& node, graph::ValueId value, const std::vector<int64_t>& from,
                             std::string_view suffix);

}  // namespace n2d2::onnx
