// How do axes change places inside a rule? For operators of ours that go over channels only.
#pragma once

#include <array>

#include "import/node.hpp"

namespace n2d2::onnx {

/// The value with axes C, H, W of the result taken from these axes of its map (1 = C, 2 = H, 3 = W): the
/// value itself, a Reshape when no element moves, else a Transpose. `suffix` as in Node::add.
graph::ValueId transposed(Node& node, graph::ValueId value, const std::array<size_t, 3>& order,
                          std::string_view suffix);

/// Channels and this axis (1 to rank - 1) of a tensor N,C,L or N,C,H,W change places. Done twice it undoes
/// itself:
/// swap, work on channels, swap.
graph::ValueId swap_channels(Node& node, graph::ValueId value, size_t axis, size_t rank,
                             std::string_view suffix);

}  // namespace n2d2::onnx
