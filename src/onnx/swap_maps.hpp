// What is a network whose maps lie on their side? The same layers with height and width exchanged in every map.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "n2d2/base/registry.hpp"
#include "n2d2/graph/graph.hpp"

namespace n2d2::onnx {

/// How the elements of a sample lie: element i of the new value is element index[i] of the old one.
struct Order {
  std::vector<int64_t> index;
  /// The node that made an order of it that is no map with height and width exchanged.
  std::string cause;
};
/// Null: the value is the transpose of the old one, height and width exchanged; its shape too. Else its shape is the
/// old one.
using OrderPtr = std::shared_ptr<const Order>;

/// N,C,H,W -> N,C,W,H.
Shape turned(const Shape& shape);
inline Dims turned(const Dims& dims) {
  return {dims.y, dims.x};
}
inline Pads turned(const Pads& pads) {
  return {pads.top, pads.left, pads.bottom, pads.right};
}
/// The last two axes of a tensor of rank 4 exchanged.
Tensor turned(const Tensor& tensor);
/// The order of the elements of a map C,H,W that was turned.
std::vector<int64_t> turned_index(const Shape& shape);

/// An order that moves whole channels, and positions alike in each of them.
struct Split {
  std::vector<int64_t> channels, positions;
};
std::optional<Split> split_of(const Order& order, const Shape& shape);

/// One node on its way into the new graph, for the rule of its operator.
struct SwappedNode {
  const graph::Node& old;
  /// Old shapes of its inputs and of its output; orders of its inputs (null for constants).
  std::vector<Shape> in;
  Shape out;
  std::vector<OrderPtr> orders;
  /// Null where an input is data.
  std::vector<std::shared_ptr<const Tensor>> constants;

  /// What the rule makes: the operator (a copy of the old one at first), constants that change, the order of the output.
  std::unique_ptr<graph::Operator> op = nullptr;
  std::map<size_t, Tensor> changed = {};
  OrderPtr order = nullptr;

  template <class Op>
  Op& as() {
    return dynamic_cast<Op&>(*op);
  }
  const Tensor& constant(size_t slot) const {
    N2D2_CHECK(constants.at(slot) != nullptr, "input {} of '{}' is no constant", slot, old.name);
    return *constants[slot];
  }
  /// Refuses an input that is not a turned map.
  void expect_map(size_t slot = 0) const;
  /// The channels and positions of input 0, which is not a turned map; refused when they are mixed.
  Split expect_split() const;
  /// Refuses an output of more elements than orders are kept of.
  void expect_room() const;
  /// The output's order, null where that says the same.
  void set_order(std::vector<int64_t> index, const std::string& cause);
  /// Refuses the node because of the order of an input.
  [[noreturn]] void refuse_order(size_t slot) const;
};

using SwapRule = std::function<void(SwappedNode&)>;
/// Every operator says here what the exchange means for it. One that does not is refused.
const Registry<SwapRule>& swap_rules();

struct Swapped {
  std::map<graph::ValueId, graph::ValueId> values;
  std::map<graph::NodeId, graph::NodeId> nodes;
  /// Values that are not turned maps.
  std::map<graph::ValueId, OrderPtr> orders;
  /// Old values that follow from what was refused.
  std::set<graph::ValueId> guessed;
};

/// Reports what cannot be exchanged: the reason and a hint.
using Refused = std::function<void(const graph::Node&, std::string reason, std::string hint)>;

/// Adds what `from` computes to `to`, so that each input and every map is the transpose of the old one, while values of
/// one pixel are equal. `inputs`: one for each input of `from`. No layer is added for it: fields and constants change.
/// Nodes keep their names where they are free. What was refused is reported; the graph is half-built then.
Swapped add_swapped(graph::Graph& to, const graph::Graph& from, const std::vector<graph::ValueId>& inputs,
                    const Refused& refused);

}  // namespace n2d2::onnx
